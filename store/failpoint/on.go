//go:build failpoint

package failpoint

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// plan is the action that FAILPOINT chooses.
type plan struct {
	name string
	nth  int
	what string
}

var (
	mu     sync.Mutex
	times  = map[string]int{}
	asked  = parse(os.Getenv("FAILPOINT"))
	counts = os.Getenv("FAILPOINT_COUNT")
)

// parse reads name:nth=action. It returns an empty plan for an empty text. A malformed text ends the program:
// a test that injects nothing would pass.
func parse(text string) (p plan) {
	if text == "" {
		return p
	}
	where, what, ok := strings.Cut(text, "=")
	name, nth, numbered := strings.Cut(where, ":")
	n, err := strconv.Atoi(nth)
	if !ok || !numbered || err != nil || n < 1 {
		panic(fmt.Sprintf("FAILPOINT=%s: want name:nth=kill, error, panic, sleep:ms or wait:file", text))
	}
	return plan{name, n, what}
}

// Hit performs the action that was chosen for the place of that name. It returns an error when one was asked
// for.
func Hit(name string) error {
	mu.Lock()
	times[name]++
	n := times[name]
	if counts != "" {
		write()
	}
	mu.Unlock()
	if asked.name != name || asked.nth != n {
		return nil
	}
	what, value, _ := strings.Cut(asked.what, ":")
	switch what {
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "error":
		return fmt.Errorf("fail point %s", name)
	case "panic":
		panic("fail point " + name)
	case "sleep":
		ms, err := strconv.Atoi(value)
		if err != nil {
			panic(err)
		}
		time.Sleep(time.Duration(ms) * time.Millisecond)
	case "wait":
		if err := os.WriteFile(value, nil, 0o600); err != nil {
			panic(err)
		}
		for {
			if _, err := os.Stat(value); os.IsNotExist(err) {
				return nil
			}
			time.Sleep(5 * time.Millisecond)
		}
	default:
		panic("FAILPOINT: unknown action " + asked.what)
	}
	return nil
}

// write writes how often each place was reached.
func write() {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(times)) {
		fmt.Fprintf(&b, "%s %d\n", name, times[name])
	}
	if err := os.WriteFile(counts, []byte(b.String()), 0o600); err != nil {
		panic(err)
	}
}
