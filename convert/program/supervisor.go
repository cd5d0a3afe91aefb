package program

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

// The first arguments by which our binary knows that it is a supervisor, or a command that is to be limited.
const (
	supervisorName = "pgseek-convert"
	limitedName    = "pgseek-convert-command"
)

// job is an order for a supervisor, as JSON on its standard input. The supervisor kills everything when that input ends.
type job struct {
	Dir       string
	As        account
	Input     int64 // bytes of the input in Dir
	Path      string
	Commands  []command
	Time      time.Duration
	Memory    int64
	Disk      int64
	Processes int
}

// command is a Step with its paths.
type command struct {
	Args          []string
	In, Out       string
	Reads, Writes bool // it has $in, it has $out
	Last          bool
}

// name returns the name of the program.
func (c *command) name() string { return filepath.Base(c.Args[0]) }

// verdict is the report of a supervisor.
type verdict struct {
	Cause  string // why the conversion failed, empty when it did not
	Ours   bool   // the cause is ours
	Stderr string // last line of standard error

	Missing string // program that is not installed
}

// init turns a process whose first argument is one of our names into a supervisor or a limited command.
func init() {
	if len(os.Args) == 0 {
		return
	}
	switch os.Args[0] {
	case supervisorName:
		// The thread that starts a child has to live as long as the supervisor: its death is the child's signal.
		runtime.LockOSThread()
		supervise()
	case limitedName:
		becomeLimited()
	default:
		return
	}
	os.Exit(2)
}

// reportFile is the descriptor on which the verdict is written.
const reportFile = 3

// supervise runs the job of standard input and ends the process.
func supervise() {
	debug.SetMemoryLimit(64 << 20)
	_ = setSubreaper()
	syscall.CloseOnExec(reportFile)
	report := os.NewFile(reportFile, "report")
	in := bufio.NewReader(os.Stdin)
	decoder := json.NewDecoder(in)
	var j job
	if err := decoder.Decode(&j); err != nil {
		os.Exit(2)
	}
	orphaned := make(chan struct{})
	go func() {
		for {
			if _, err := in.ReadByte(); err != nil {
				close(orphaned)
				return
			}
		}
	}()
	w := &watch{job: &j, orphaned: orphaned, deadline: time.Now().Add(j.Time), self: os.Getpid(), group: syscall.Getpgrp()}
	v := w.run()
	w.killAll()
	select {
	case <-orphaned: // the process that ordered this may be dead; if it lives, it removes the directory itself
		_ = removeTree(j.Dir)
		removeUnlocked(filepath.Dir(j.Dir))
	default:
	}
	_ = json.NewEncoder(report).Encode(v)
	os.Exit(0)
}

// run runs the commands one after another.
func (w *watch) run() verdict {
	stderr := ""
	for i := range w.job.Commands {
		c := &w.job.Commands[i]
		v := w.command(c)
		v.Stderr = cmp.Or(v.Stderr, stderr)
		if v.Cause != "" || v.Missing != "" {
			return v
		}
		stderr = v.Stderr
	}
	return verdict{Stderr: stderr}
}

// command runs one command to its end.
func (w *watch) command(c *command) verdict {
	path := lookPath(c.Args[0], w.job.Path)
	if path == "" {
		return verdict{Missing: c.Args[0]}
	}
	stdin, stdout, v := c.files(w.job.As)
	if v.Cause != "" {
		return v
	}
	defer stdin.Close()
	defer stdout.Close() // no other process may keep the output of the last command open: its reader waits for the end
	lines, stderr, err := os.Pipe()
	if err != nil {
		return verdict{Cause: err.Error(), Ours: true}
	}
	defer lines.Close()
	tail := follow(lines)

	limits := fmt.Sprintf("%d %d %d %d", w.job.As.ID, w.job.Memory, w.job.Disk, cpuSeconds(w.job.Time))
	w.main, err = syscall.ForkExec("/proc/self/exe", append([]string{limitedName, limits, path}, c.Args...), &syscall.ProcAttr{
		Dir: w.job.Dir, Env: []string{"PATH=" + w.job.Path, "LANG=C.UTF-8", "HOME=" + w.job.Dir},
		Files: []uintptr{stdin.Fd(), stdout.Fd(), stderr.Fd()}, Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
	stderr.Close()
	if err != nil {
		return verdict{Cause: fmt.Sprintf("%s cannot be started: %v", c.name(), err), Ours: true}
	}
	stdout.Close()
	stopped := w.wait()
	w.killAll() // its descendants that still run
	v.Stderr = tail.last(time.Second)
	v.Cause = w.failure(c, stopped, v.Stderr)
	return v
}

// failure says why a command failed; empty when it did not.
func (w *watch) failure(c *command, stopped, stderr string) string {
	switch s := w.status; {
	case stopped != "":
		return c.name() + " " + stopped
	case s.Signaled() && s.Signal() == syscall.SIGXCPU:
		return because(c.name()+" took too much CPU time", stderr)
	case s.Signaled() && s.Signal() == syscall.SIGXFSZ:
		return because(fmt.Sprintf("%s wrote a file of more than %d MB", c.name(), w.job.Disk>>20), stderr)
	case s.Signaled():
		return because(fmt.Sprintf("%s died: %s", c.name(), s.Signal()), stderr)
	case s.ExitStatus() != 0:
		return because(fmt.Sprintf("%s ended with status %d", c.name(), s.ExitStatus()), stderr)
	}
	return ""
}

// files opens the standard input and output of a command that runs with an account's rights.
func (c *command) files(as account) (in, out *os.File, v verdict) {
	var err error
	if c.Reads {
		in, err = os.Open(os.DevNull)
	} else {
		in, err = os.OpenFile(c.In, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		return nil, nil, verdict{Cause: "the command before " + c.name() + " has not written its output"}
	}
	switch {
	case c.Writes:
		out, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	case c.Last:
		return in, os.Stdout, v
	default:
		out, err = os.OpenFile(c.Out, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		err = errors.Join(err, as.own(c.Out))
	}
	if err != nil {
		in.Close()
		return nil, nil, verdict{Cause: err.Error(), Ours: true}
	}
	return in, out, v
}

// cpuSeconds is the CPU time that a process may use: as much as all processors give in the time.
func cpuSeconds(limit time.Duration) int {
	return (int(limit/time.Second) + 1) * runtime.NumCPU()
}

// lookPath finds a program in a PATH, in absolute directories only; empty for none. A name with a slash is a path itself.
func lookPath(name, path string) string {
	if strings.Contains(name, "/") {
		path, name = filepath.Dir(name), filepath.Base(name)
	}
	for dir := range strings.SplitSeq(path, ":") {
		if filepath.IsAbs(dir) {
			if found, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return found
			}
		}
	}
	return ""
}

// Installed reports whether a program is in PATH.
func Installed(name string) bool { return lookPath(name, ourPath()) != "" }

// ourPath returns the directories in which programs are looked for.
func ourPath() string { return cmp.Or(os.Getenv("PATH"), "/usr/local/bin:/usr/bin:/bin") }
