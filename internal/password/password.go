// Package password makes and checks the password of the operator. The configuration has a bcrypt hash of it. Wrong ones are
// counted: after five in a minute from one address, or thirty from all, none is checked for the rest of that minute.
package password

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// Limits of wrong passwords within Window.
const (
	PerAddress = 5
	Overall    = 30
	Window     = time.Minute
)

// Lengths of a password. bcrypt reads no more than 72 bytes.
const (
	Shortest = 8
	Longest  = 72
)

const cost = 11

// Errors of Check.
var (
	ErrWrong   = errors.New("the password is wrong")
	ErrTooMany = errors.New("too many wrong passwords: try again in a minute")
)

// Hash returns the bcrypt hash of a new password.
func Hash(password string) (string, error) {
	switch n := len(password); {
	case n < Shortest:
		return "", fmt.Errorf("the password is too short: it needs at least %d characters", Shortest)
	case n > Longest:
		return "", fmt.Errorf("the password is too long: it may have at most %d bytes", Longest)
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), cost)
	return string(hash), err
}

// A Checker compares passwords with one hash. It is safe for concurrent use.
type Checker struct {
	hash []byte
	now  func() time.Time
	key  [32]byte

	mu    sync.Mutex
	wrong map[string][]time.Time // by address; those of the last minute
	good  [32]byte               // digest of the password that was right last, so that pages do not cost a bcrypt each
	known bool
	busy  chan struct{} // bounds how many hashes are computed at a time
}

// New returns a Checker for a bcrypt hash, nil for an empty one.
func New(hash string) *Checker {
	if hash == "" {
		return nil
	}
	c := &Checker{hash: []byte(hash), now: time.Now, wrong: map[string][]time.Time{}, busy: make(chan struct{}, 2)}
	_, _ = rand.Read(c.key[:]) // it never fails
	return c
}

// Check compares a password that somebody at an address sent. The error is ErrWrong or ErrTooMany.
func (c *Checker) Check(from, password string) error {
	tried := c.now()
	if !c.enter(from, tried) {
		return ErrTooMany
	}
	digest := c.digest(password)
	if c.remembered(digest) || c.compare(password) {
		c.right(from, tried, digest)
		return nil
	}
	return ErrWrong
}

// enter counts a try as wrong before it is checked, so that many at the same time are not more than allowed.
func (c *Checker) enter(from string, at time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := 0
	for address, times := range c.wrong {
		for len(times) > 0 && at.Sub(times[0]) >= Window {
			times = times[1:]
		}
		if all += len(times); len(times) == 0 {
			delete(c.wrong, address)
		} else {
			c.wrong[address] = times
		}
	}
	if all >= Overall || len(c.wrong[from]) >= PerAddress {
		return false
	}
	c.wrong[from] = append(c.wrong[from], at)
	return true
}

// right takes back what enter counted.
func (c *Checker) right(from string, at time.Time, digest [32]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.good, c.known = digest, true
	for i, t := range c.wrong[from] {
		if t.Equal(at) {
			c.wrong[from] = append(append([]time.Time{}, c.wrong[from][:i]...), c.wrong[from][i+1:]...)
			return
		}
	}
}

func (c *Checker) remembered(digest [32]byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.known && hmac.Equal(digest[:], c.good[:])
}

func (c *Checker) compare(password string) bool {
	c.busy <- struct{}{}
	defer func() { <-c.busy }()
	return len(password) <= Longest && bcrypt.CompareHashAndPassword(c.hash, []byte(password)) == nil
}

func (c *Checker) digest(password string) (sum [32]byte) {
	mac := hmac.New(sha256.New, c.key[:])
	_, _ = mac.Write([]byte(password))
	mac.Sum(sum[:0])
	return sum
}
