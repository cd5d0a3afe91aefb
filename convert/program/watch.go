package program

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// watch watches the processes of a conversion.
type watch struct {
	job      *job
	orphaned chan struct{} // closed when no process waits for the result any more
	deadline time.Time
	self     int
	group    int // its own process group

	main   int // process of the present command
	ended  bool
	status syscall.WaitStatus
}

// Looks begin close together, since most conversions are short, and become rarer.
const (
	firstLook   = 2 * time.Millisecond
	longestLook = 100 * time.Millisecond
)

// wait returns when the command has ended, or with the reason why it has to be stopped.
func (w *watch) wait() (stopped string) {
	w.ended = false
	pause, looked := firstLook, time.Now()
	for {
		w.reap()
		if w.ended {
			return ""
		}
		select {
		case <-w.orphaned:
			return "is no longer wanted"
		case <-time.After(pause):
		}
		now := time.Now()
		if now.After(w.deadline) {
			return fmt.Sprintf("took longer than %v", w.job.Time)
		}
		if now.Sub(looked) >= longestLook {
			if why := w.look(); why != "" {
				return why
			}
			looked = time.Now()
		}
		pause = min(pause*5/4, longestLook)
	}
}

// reap takes the exit statuses of all children that have ended.
func (w *watch) reap() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		if pid == w.main {
			w.ended, w.status = true, status
		}
	}
}

// look returns which limit the processes together have passed; empty for none.
func (w *watch) look() string {
	processes := w.descendants()
	if len(processes) > w.job.Processes {
		return fmt.Sprintf("started more than %d processes", w.job.Processes)
	}
	var memory int64
	for _, p := range processes {
		memory += p.resident
	}
	if memory > w.job.Memory {
		return fmt.Sprintf("took more than %d MB of memory", w.job.Memory>>20)
	}
	if diskUse(w.job.Dir)-w.job.Input > w.job.Disk {
		return fmt.Sprintf("wrote more than %d MB to its directory", w.job.Disk>>20)
	}
	return ""
}

// diskUse returns the bytes that the files of a directory occupy.
func diskUse(dir string) (total int64) {
	_ = filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			if st, ok := info.Sys().(*syscall.Stat_t); ok {
				total += min(st.Blocks*512, max(info.Size(), 0)+4096)
			}
		}
		return nil
	})
	return total
}

// killAll kills all descendants until none is left. It gives up after a minute.
func (w *watch) killAll() {
	until := time.Now().Add(time.Minute)
	for {
		w.reap()
		left := w.descendants()
		if len(left) == 0 {
			if _, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err == syscall.ECHILD || time.Now().After(until) {
				return
			}
			if w.main > 0 && !w.ended { // when /proc cannot be read
				_ = syscall.Kill(-w.main, syscall.SIGKILL)
			}
		}
		// Whole groups first: one call ends all of a group at once, also those that it has just forked.
		groups := make(map[int]bool)
		for _, p := range left {
			if p.group > 1 && p.group != w.group && !groups[p.group] {
				groups[p.group] = true
				_ = syscall.Kill(-p.group, syscall.SIGKILL)
			}
		}
		for _, p := range left {
			_ = syscall.Kill(p.id, syscall.SIGKILL)
		}
		if time.Now().After(until) {
			return
		}
		if len(left) < 8 {
			time.Sleep(time.Millisecond)
		}
	}
}

// process is a line of /proc.
type process struct {
	id, parent, group int
	resident          int64 // bytes
}

// descendants returns the living processes below the supervisor. All of them are in the tree of its children, because orphans among them
// become its own.
func (w *watch) descendants() []process {
	all := processes()
	below := map[int]bool{w.self: true}
	var list []process
	for grown := true; grown; {
		grown = false
		for i, p := range all {
			if p.id != 0 && below[p.parent] && !below[p.id] {
				below[p.id], grown = true, true
				list = append(list, p)
				all[i].id = 0
			}
		}
	}
	return list
}

// processes reads the processes of the machine that have not ended.
func processes() []process {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what was read counts
	list := make([]process, 0, len(names))
	page := int64(os.Getpagesize())
	for _, name := range names {
		id, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		b, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		end := bytes.LastIndexByte(b, ')') // the name before it may hold anything
		fields := bytes.Fields(b[end+1:])
		if end < 0 || len(fields) < 22 || string(fields[0]) == "Z" {
			continue
		}
		parent, _ := strconv.Atoi(string(fields[1]))
		resident, _ := strconv.ParseInt(string(fields[21]), 10, 64)
		group, _ := strconv.Atoi(string(fields[2]))
		list = append(list, process{id, parent, group, resident * page})
	}
	return list
}
