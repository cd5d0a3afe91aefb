package embedded

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// socketName is the name of the server's socket in its folder; the number is its nominal port.
const socketName = socketPrefix + "5432"

const socketPrefix = ".s.PGSQL."

// maxSocketPath is the maximum length of a socket's path in bytes. The system's own limit is 107 or 103.
const maxSocketPath = 100

// socketFolder returns the folder for the socket of the cluster in dataDir: beside the cluster, or, when that
// path is too long or would need quoting in a connection string, a folder of the temporary directory that is
// named after it.
func socketFolder(dataDir string) string {
	beside := filepath.Join(dataDir, "run")
	odd := strings.ContainsFunc(beside, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`,'"\`, r)
	})
	if !odd && len(beside)+1+len(socketName) <= maxSocketPath {
		return beside
	}
	sum := sha256.Sum256([]byte(dataDir))
	name := "pgseek-" + hex.EncodeToString(sum[:8])
	private := filepath.Join(os.TempDir(), name)
	if len(private)+1+len(socketName) > maxSocketPath {
		private = filepath.Join("/tmp", name)
	}
	return private
}

// makeSocketFolder creates the folder, or checks that the existing one belongs to the account and is closed
// to others: a folder that another user has created first is refused.
func (a account) makeSocketFolder(path string) error {
	err := os.Mkdir(path, 0o700)
	if err == nil {
		return a.ownFolder(path)
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	var st syscall.Stat_t
	if err := syscall.Lstat(path, &st); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Uid == 0 && os.Geteuid() == 0 && st.Mode&(syscall.S_IFMT|0o777) == syscall.S_IFDIR|0o700 {
		// We were killed between creating it and changing its owner.
		return a.ownFolder(path)
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR || st.Uid != a.uid || st.Mode&0o077 != 0 {
		return fmt.Errorf("socket directory %s is not a private directory of account %s: remove it, or set another DataDir", path, a.name)
	}
	return nil
}
