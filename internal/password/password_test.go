package password

import (
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"
)

func checker(t *testing.T, password string) (*Checker, *time.Time) {
	t.Helper()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	c := New(string(hash))
	now := time.Date(2026, 11, 23, 8, 0, 0, 0, time.UTC)
	c.now = func() time.Time { return now }
	return c, &now
}

// TestFiveTriesAMinute: wrong passwords are counted by address and in all, right ones are not.
func TestFiveTriesAMinute(t *testing.T) {
	c, now := checker(t, "correct horse")
	check := func(from, password string, want error) {
		t.Helper()
		if err := c.Check(from, password); !errors.Is(err, want) {
			t.Errorf("%s with %q: got %v, want %v", from, password, err, want)
		}
	}
	for range 20 {
		check("a", "correct horse", nil)
	}
	for range PerAddress {
		check("a", "wrong", ErrWrong)
	}
	check("a", "correct horse", ErrTooMany)
	check("b", "correct horse", nil)
	*now = now.Add(Window)
	check("a", "correct horse", nil)
	for i := range Overall {
		check(string(rune('c'+i/PerAddress)), "wrong", ErrWrong)
	}
	check("z", "correct horse", ErrTooMany)
	*now = now.Add(Window)
	check("z", strings.Repeat("x", 100), ErrWrong)
	check("z", "correct horse", nil)
}

func TestHash(t *testing.T) {
	for _, bad := range []string{"", "1234567", strings.Repeat("x", 73)} {
		if _, err := Hash(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	hash, err := Hash("correct horse")
	if err != nil {
		t.Fatal(err)
	}
	if err := New(hash).Check("a", "correct horse"); err != nil {
		t.Error(err)
	}
	if New("") != nil {
		t.Error("a checker without a hash")
	}
}
