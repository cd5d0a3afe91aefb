package storetest

import (
	"os"
	"path/filepath"
	"syscall"
)

// testDir is read before the tests begin, for the reason of clusterID.
var testDir = os.Getenv("PGSEEK_TEST_DIR")

const (
	memoryDir  = "/dev/shm"
	memoryRoom = 4 << 30 // bytes that have to be free there for a server; a whole run needs about a quarter of them
)

// serverDir returns the folder with this name for a server: in PGSEEK_TEST_DIR, else in memory when there is
// room, else in the temporary directory. A folder that another test binary of the run has created in memory
// is used, whatever room is left.
func serverDir(name string) string {
	if testDir != "" {
		return filepath.Join(testDir, name)
	}
	dir := filepath.Join(memoryDir, name)
	if _, err := os.Lstat(dir); err == nil || hasRoom(memoryDir) {
		if makeFolder(dir) == nil {
			return dir
		}
	}
	return filepath.Join(os.TempDir(), name)
}

// serverRoot returns the folder in which serverDir makes a new one.
func serverRoot() string {
	switch {
	case testDir != "":
		return testDir
	case hasRoom(memoryDir):
		return memoryDir
	}
	return os.TempDir()
}

// hasRoom reports whether we may write into a folder, and memoryRoom is free there.
func hasRoom(dir string) bool {
	const write = 2
	var st syscall.Statfs_t
	if syscall.Access(dir, write) != nil || syscall.Statfs(dir, &st) != nil {
		return false
	}
	return uint64(st.Bavail)*uint64(st.Bsize) >= memoryRoom
}
