package program

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// A Place is this process's directory for the files of its conversions, below TMPDIR. It is made when it is first needed, and a
// lock on it says that its process lives: another process may remove it once the lock is free.
type Place struct {
	parent string

	mu   sync.Mutex
	dir  *os.File // locked; nil until it is made
	path string
}

// placePrefix begins the names of all Places.
const placePrefix = "pgseek-convert-"

// NewPlace returns a Place in a directory, TMPDIR when it is empty, and removes the Places of dead processes there.
func NewPlace(parent string) *Place {
	p := &Place{parent: cmp.Or(parent, os.TempDir())}
	p.sweep()
	return p
}

// sweep removes the Places of processes that ended without removing them.
func (p *Place) sweep() {
	entries, _ := os.ReadDir(p.parent) // a missing directory is reported when it is needed
	for _, e := range entries {
		if e.IsDir() && strings.HasPrefix(e.Name(), placePrefix) {
			removeUnlocked(filepath.Join(p.parent, e.Name()))
		}
	}
}

// removeUnlocked removes a Place of our own user whose process is dead.
func removeUnlocked(path string) {
	info, err := os.Lstat(path)
	if err != nil || !info.IsDir() {
		return
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return
	}
	dir, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer dir.Close()
	if syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		_ = removeTree(path)
	}
}

// removeTree removes a directory with all its files, also those in directories from which a converter has taken the write permission.
func removeTree(path string) error {
	err := os.RemoveAll(path)
	if errors.Is(err, os.ErrPermission) {
		_ = filepath.WalkDir(path, func(name string, d os.DirEntry, err error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(name, 0o700)
			}
			return nil
		})
		err = os.RemoveAll(path)
	}
	return err
}

// open makes the directory, if this was not done yet, and returns its path.
func (p *Place) open() (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir != nil {
		if _, err := os.Lstat(p.path); err == nil {
			return p.path, nil
		}
		p.dir.Close() // another program has removed it from TMPDIR
		p.dir = nil
	}
	for range 10 {
		path, err := os.MkdirTemp(p.parent, placePrefix)
		if err == nil && os.Geteuid() == 0 {
			err = os.Chmod(path, 0o711) // root's commands run as another user in a directory of theirs below it
		}
		if err != nil {
			return "", fmt.Errorf("a directory for conversions: %w", err)
		}
		if path, err = filepath.Abs(path); err != nil {
			return "", err
		}
		dir, err := os.Open(path)
		if err == nil {
			err = syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
			if _, gone := os.Lstat(path); err == nil && gone == nil {
				p.dir, p.path = dir, path
				return path, nil
			}
			dir.Close()
		}
		// Another process has removed it before it was locked.
		if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, syscall.EWOULDBLOCK) {
			_ = os.Remove(path)
			return "", fmt.Errorf("lock the directory for conversions: %w", err)
		}
	}
	return "", errors.New("a directory for conversions: other processes remove it again and again")
}

// File makes an empty file. The caller closes and removes it, else Close of the Place removes it.
func (p *Place) File() (*os.File, error) {
	path, err := p.open()
	if err != nil {
		return nil, err
	}
	return os.CreateTemp(path, "body-")
}

// folder makes an empty directory.
func (p *Place) folder() (string, error) {
	path, err := p.open()
	if err != nil {
		return "", err
	}
	return os.MkdirTemp(path, "run-")
}

// Close removes the directory. The Place can be used again; a nil Place has none.
func (p *Place) Close() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dir == nil {
		return nil
	}
	err := removeTree(p.path)
	p.dir.Close()
	p.dir = nil
	return err
}
