package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is the cost of a part.
type usage struct {
	program, postgres time.Duration // CPU
	wall              time.Duration
	peak              int64 // VmHWM of the program, bytes; 0 = it was no process of its own
}

func (u usage) cpu() time.Duration { return u.program + u.postgres }

// add sums up two parts that ran one after the other.
func (u usage) add(v usage) usage {
	return usage{u.program + v.program, u.postgres + v.postgres, u.wall + v.wall, max(u.peak, v.peak)}
}

// least returns the cheaper of two measurements of the same, with the larger peak.
func (u usage) least(v usage) usage {
	peak := max(u.peak, v.peak)
	if u == (usage{}) || v.cpu() < u.cpu() {
		u = v
	}
	u.peak = peak
	return u
}

// by divides the cost by a number of rounds. The peak is not divided.
func (u usage) by(n int) usage {
	d := time.Duration(n)
	return usage{u.program / d, u.postgres / d, u.wall / d, u.peak}
}

// meter measures CPU, that of the server included.
type meter struct{ postmaster int }

// measure runs do and adds what the server used meanwhile.
func (m meter) measure(do func() error) (u usage, err error) {
	before, err := m.postgres()
	if err != nil {
		return u, err
	}
	start := time.Now()
	if err := do(); err != nil {
		return u, err
	}
	u.wall = time.Since(start)
	after, err := m.postgres()
	u.postgres = after - before
	return u, err
}

// child runs a program and measures it, with its own CPU as the system accounts for ended children. Its output
// goes to a file, whose end is printed if it fails.
func (m meter) child(ctx context.Context, log string, stdin []byte, program string, args ...string) (u usage, err error) {
	out, err := os.Create(log)
	if err != nil {
		return u, err
	}
	defer func() { _ = out.Close() }()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), out, out
	var peak int64
	u, err = m.measure(func() error {
		if err := cmd.Start(); err != nil {
			return err
		}
		ended := make(chan struct{})
		watched := make(chan struct{})
		go func() {
			defer close(watched)
			peak = watchPeak(cmd.Process.Pid, ended)
		}()
		err := cmd.Wait()
		close(ended)
		<-watched
		return err
	})
	if err != nil {
		said, _ := os.ReadFile(log)
		return u, fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, said[max(0, len(said)-2000):])
	}
	u.program, u.peak = cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), peak
	return u, nil
}

// watchPeak reads VmHWM of a process, which only grows, until the process ends; growth in its last hundredth of a
// second is missed. ru_maxrss would be wrong: it begins with the size of the process that forked.
func watchPeak(pid int, ended <-chan struct{}) (peak int64) {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // gone when it has just ended
		if _, rest, found := bytes.Cut(status, []byte("VmHWM:")); found {
			if kib, err := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64); err == nil {
				peak = max(peak, kib<<10)
			}
		}
		select {
		case <-ended:
			return peak
		case <-tick.C:
		}
	}
}

// tick is the unit of the times in /proc/PID/stat (USER_HZ, the same on every Linux that Go runs on).
const tick = 10 * time.Millisecond

// postgres returns the CPU that the server's processes have used: the postmaster, its living children, and the
// ended ones, which the postmaster has waited for.
func (m meter) postgres() (time.Duration, error) {
	for {
		before, err := m.readServer()
		if err != nil {
			return 0, err
		}
		living, err := m.living()
		if err != nil {
			return 0, err
		}
		after, err := m.readServer()
		if err != nil {
			return 0, err
		}
		// A child that went over from one sum to the other meanwhile would be in none: backends end when their program does.
		if before.ended == after.ended {
			return time.Duration(after.own+after.ended+living) * tick, nil
		}
	}
}

func (m meter) readServer() (stat, error) {
	s, err := readStat(strconv.Itoa(m.postmaster))
	if err != nil {
		return s, fmt.Errorf("the database server: %w", err)
	}
	return s, nil
}

// living sums up the ticks of the server's children.
func (m meter) living() (ticks int64, err error) {
	children, err := m.children()
	for _, own := range children {
		ticks += own
	}
	return ticks, err
}

// children returns the server's child processes by id, with their ticks.
func (m meter) children() (map[int]int64, error) {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	children := map[int]int64{}
	for _, e := range processes {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		s, err := readStat(e.Name())
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // ended between two readings
		}
		if err != nil {
			return nil, err
		}
		if s.parent == m.postmaster {
			children[pid] = s.own
		}
	}
	return children, nil
}

// stat is a part of /proc/PID/stat: CPU in ticks of the process and of its ended children.
type stat struct {
	parent     int
	own, ended int64
}

func readStat(pid string) (s stat, err error) {
	content, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	if err != nil {
		return s, err
	}
	// The name stands in brackets and may hold anything; after it come state, parent, ... (proc(5)).
	fields := strings.Fields(string(content[bytes.LastIndexByte(content, ')')+1:]))
	if len(fields) < 15 {
		return s, fmt.Errorf("/proc/%s/stat: %d fields", pid, len(fields))
	}
	var n [15]int64
	for _, i := range []int{1, 11, 12, 13, 14} {
		if n[i], err = strconv.ParseInt(fields[i], 10, 64); err != nil {
			return s, fmt.Errorf("/proc/%s/stat: %w", pid, err)
		}
	}
	return stat{parent: int(n[1]), own: n[11] + n[12], ended: n[13] + n[14]}, nil
}
