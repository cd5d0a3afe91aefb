package program

import (
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
)

// Numbers of Linux that package syscall lacks.
const (
	prSetChildSubreaper = 36
	prSetNoNewPrivs     = 38
	rlimitProcesses     = 6
	closeRange          = 436 // the same on all architectures
	closeRangeOnExec    = 4
	prSetParentDeath    = 1
)

const (
	mostProcesses    = 4096 // of our user, who may have others; the supervisor counts its own
	mostOfTheAccount = 1024 // of an account that has no others
)

// setSubreaper makes this process the parent of its descendants whose own parent has ended.
func setSubreaper() error { return prctl(prSetChildSubreaper, 1) }

func prctl(option, value uintptr) error {
	if _, _, err := syscall.RawSyscall6(syscall.SYS_PRCTL, option, value, 0, 0, 0, 0); err != 0 {
		return err
	}
	return nil
}

// becomeLimited sets the limits of the second argument and becomes the program of the third, with the arguments that follow.
func becomeLimited() {
	debug.SetGCPercent(-1)
	supervisor := os.Getppid()
	if len(os.Args) < 4 {
		os.Exit(2)
	}
	var as account
	var memory, file, cpu uint64
	if _, err := fmt.Sscanf(os.Args[1], "%d %d %d %d", &as.ID, &memory, &file, &cpu); err != nil {
		os.Exit(2)
	}
	path, args, environment := os.Args[2], os.Args[3:], os.Environ()
	keepStandardFiles()
	_ = prctl(prSetNoNewPrivs, 1) // a program with the set-user-ID bit gets no other rights
	lower(syscall.RLIMIT_CORE, 0)
	lower(syscall.RLIMIT_FSIZE, file)
	lower(syscall.RLIMIT_CPU, cpu+1) // at the lower limit comes SIGXCPU, at the upper one SIGKILL
	if as.ID == 0 {
		lower(rlimitProcesses, mostProcesses)
	} else {
		lower(rlimitProcesses, mostOfTheAccount)
	}
	if err := as.become(); err != nil {
		fmt.Fprintln(os.Stderr, "cannot give up root's rights:", err)
		os.Exit(126)
	}
	// A change of the user takes the signal of the supervisor's death away.
	_ = prctl(prSetParentDeath, uintptr(syscall.SIGKILL))
	if os.Getppid() != supervisor {
		os.Exit(126)
	}
	lower(syscall.RLIMIT_AS, memory) // last: this process itself may be beyond it
	err := syscall.Exec(path, args, environment)
	fmt.Fprintln(os.Stderr, "cannot be run:", err)
	os.Exit(127)
}

// lower sets a limit where it is higher.
func lower(what int, to uint64) {
	var limit syscall.Rlimit
	if syscall.Getrlimit(what, &limit) != nil {
		return
	}
	limit.Max = min(limit.Max, to)
	limit.Cur = min(limit.Cur, limit.Max)
	if what == syscall.RLIMIT_CPU {
		limit.Cur = min(limit.Cur, limit.Max-1)
	}
	_ = syscall.Setrlimit(what, &limit)
}

// keepStandardFiles keeps files that our own process inherited, such as a lock of a shell script, from the program.
func keepStandardFiles() {
	if _, _, err := syscall.RawSyscall(closeRange, reportFile, ^uintptr(0)>>33, closeRangeOnExec); err == 0 {
		return
	}
	for fd := reportFile; fd < 1024; fd++ { // a kernel before 5.11
		syscall.CloseOnExec(fd)
	}
}
