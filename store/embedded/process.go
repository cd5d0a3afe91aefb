package embedded

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// pidFile is the contents of postmaster.pid: process id, data directory, start time, port, socket folder,
// listen address, shared memory, status; one on each line.
type pidFile struct {
	pid    int
	socket string // folder
}

// readPIDFile reads data/postmaster.pid. It returns the zero value for a missing or incomplete file.
func readPIDFile(data string) pidFile {
	content, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return pidFile{}
	}
	lines := strings.Split(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil || pid <= 0 {
		return pidFile{}
	}
	f := pidFile{pid: pid}
	if len(lines) > 4 {
		f.socket = strings.TrimSpace(lines[4])
	}
	return f
}

// running returns the process id of the postmaster that serves data, 0 when there is none. It recognizes a
// file left by a killed server, or from before a reboot, by its process: the id may belong to another program
// now.
func running(data string) int {
	pid := readPIDFile(data).pid
	if pid == 0 || !alive(pid) || isOther(pid, data) {
		return 0
	}
	return pid
}

// alive reports whether a process with this id exists.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// isOther reports whether a process is certainly no postmaster of data. It returns false when the system has
// no information about processes (no /proc).
func isOther(pid int, data string) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	cmdline, err := os.ReadFile(filepath.Join(proc, "cmdline"))
	if err != nil {
		return false
	}
	args := strings.Split(string(bytes.TrimRight(cmdline, "\x00")), "\x00")
	if name := filepath.Base(args[0]); name != "postgres" && name != "postmaster" {
		return true // also a dead child that nobody has waited for: it has no arguments
	}
	if i := slices.Index(args, "-D"); i >= 0 && i+1 < len(args) {
		return !sameFile(args[i+1], data)
	}
	if cwd, err := os.Readlink(filepath.Join(proc, "cwd")); err == nil {
		return !sameFile(cwd, data)
	}
	return false
}

// clearStale removes a postmaster.pid whose process id now belongs to another program. PostgreSQL removes it
// itself when no process has the id, but takes any process of the same account for a postmaster. The caller
// holds the lock.
func clearStale(data string) error {
	pid := readPIDFile(data).pid
	if pid == 0 || !alive(pid) || !isOther(pid, data) {
		return nil
	}
	return os.Remove(filepath.Join(data, "postmaster.pid"))
}

// orphans returns the processes of a killed postmaster that still work in data, such as a backend in a long
// query. No new server starts while they run. It returns none when the system has no information about
// processes.
func orphans(data string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		proc := filepath.Join("/proc", e.Name())
		// Children of a postmaster write their activity over their arguments: "postgres: pgseek:
		// checkpointer".
		cmdline, err := os.ReadFile(filepath.Join(proc, "cmdline"))
		if err != nil || !bytes.HasPrefix(cmdline, []byte("postgres:")) {
			continue
		}
		if cwd, err := os.Readlink(filepath.Join(proc, "cwd")); err == nil && sameFile(cwd, data) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// sameFile reports whether two paths lead to the same file.
func sameFile(a, b string) bool {
	ai, errA := os.Stat(a)
	bi, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(ai, bi)
}
