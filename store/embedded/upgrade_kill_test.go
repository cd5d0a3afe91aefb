package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// upgradeVariable makes a child upgrade the cluster, or finish or return, and says what happens at which step: "upgrade kill copied".
// Without a step it happens never. A fourth word makes the switch two steps, as on file systems that cannot exchange folders.
const upgradeVariable = "PGSEEK_EMBEDDED_UPGRADE"

func upgradeChild(dir, what string) error {
	c, err := Open(dir, Volatile())
	if err != nil {
		return err
	}
	words := append(strings.Fields(what), "", "", "")
	if words[3] != "" {
		exchange = func(string, string) error { return errors.ErrUnsupported }
	}
	reached := false
	atStep = func(step string) {
		if strings.ReplaceAll(step, " ", "_") != words[2] {
			return
		}
		reached = true
		switch words[1] {
		case "kill":
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		case "kill-old":
			_ = syscall.Kill(running(c.data), syscall.SIGKILL)
		case "kill-new":
			_ = syscall.Kill(running(c.freshPath()), syscall.SIGKILL)
		case "stop":
			_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
			time.Sleep(50 * time.Millisecond)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	switch words[0] {
	case "upgrade":
		_, err = c.Upgrade(ctx, UpgradeOptions{sameVersion: true})
	case "finish":
		err = c.FinishUpgrade(ctx)
	case "return":
		err = c.ReturnFromUpgrade(ctx)
	}
	if err == nil && words[2] != "" && !reached {
		return fmt.Errorf("step %s was never reached", words[2])
	}
	return err
}

// runUpgrade runs a child to its end and returns what it said. killed = it did not end by itself.
func runUpgrade(t *testing.T, dir, what string) (said string, failed, killed bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+dir, upgradeVariable+"="+what)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(out), err != nil, exit != nil && !exit.Exited()
}

// upgradeSteps are the steps before the switch, at which a kill leaves the old cluster in use, and from it on.
var (
	stepsBefore = []string{"begun", "stopped", "read-only", "made", "started", "roles", "copying", "copied", "compared", "both stopped"}
	stepsAfter  = []string{"switching", "exchanged", "aside", "renamed", "switched"}
	serverKills = []string{"kill-old copying", "kill-new copying", "kill-new roles", "kill-old copied", "kill-new copied"}
)

// pick returns a few of the steps, all in soak.
func pick(steps []string, n int) []string {
	if os.Getenv("PGSEEK_SOAK") != "" {
		return steps
	}
	first := int(time.Now().UnixNano()/1e6) % len(steps)
	var some []string
	for i := range n {
		some = append(some, steps[(first+i*len(steps)/n)%len(steps)])
	}
	slices.Sort(some)
	return slices.Compact(some)
}

// TestB86UpgradeKilled kills the program that upgrades, or a server, at each step. Afterwards one cluster is in use and has
// everything: before the switch the old one, from it on the new one.
func TestB86UpgradeKilled(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	c := openOldest(t, dir)
	start(t, c)
	query(t, c, "CREATE TABLE kept (n serial PRIMARY KEY, body text)")
	query(t, c, "INSERT INTO kept (body) SELECT repeat('word ', n % 500) FROM generate_series(1, 3000) n")
	rows := 3000
	// goesOn starts the server as any program does, and checks that all rows are there and that one more can be written.
	goesOn := func(t *testing.T, upgraded bool) {
		t.Helper()
		c := open(t, dir)
		start(t, c)
		if got := query(t, c, "SELECT count(*)::text FROM kept"); got != fmt.Sprint(rows) {
			t.Errorf("%s rows, want %d", got, rows)
		}
		query(t, c, "INSERT INTO kept (body) VALUES ('more')")
		rows++
		if upgraded {
			if k, err := c.KeptCluster(); err != nil || !exists(filepath.Join(k.Folder, "PG_VERSION")) {
				t.Errorf("the old cluster is not kept: %+v, %v", k, err)
			}
			if exists(c.freshPath()) {
				t.Error("pg.new is there")
			}
			return
		}
		nothingLeft(t, c)
	}
	before := serverKills
	for _, step := range stepsBefore {
		before = append(before, "kill "+strings.ReplaceAll(step, " ", "_"))
	}
	for _, what := range pick(before, 1) {
		t.Run(what, func(t *testing.T) {
			said, failed, killed := runUpgrade(t, dir, "upgrade "+what)
			if !failed || killed != strings.HasPrefix(what, "kill ") {
				t.Fatalf("failed %v, killed %v: %s", failed, killed, said)
			}
			goesOn(t, false)
		})
	}
	twoSteps := func(what string) string {
		if strings.HasSuffix(what, " aside") {
			what += " two-steps"
		}
		return what
	}
	backAt := []string{"returning", "returned", "aside"}
	for i, step := range stepsAfter {
		if os.Getenv("PGSEEK_SOAK") == "" {
			break // the last part has one of them
		}
		t.Run("kill at "+step+", and return", func(t *testing.T) {
			before := rows
			if said, _, killed := runUpgrade(t, dir, twoSteps("upgrade kill "+step)); !killed {
				t.Fatalf("was not killed: %s", said)
			}
			goesOn(t, true)
			if said, _, killed := runUpgrade(t, dir, twoSteps("return kill "+backAt[i%len(backAt)])); !killed {
				t.Fatalf("was not killed: %s", said)
			}
			rows = before // what was written since the switch
			goesOn(t, false)
		})
	}
	if said, _, killed := runUpgrade(t, dir, twoSteps("upgrade kill "+pick(stepsAfter, 1)[0])); !killed {
		t.Fatalf("was not killed: %s", said)
	}
	goesOn(t, true)
	for _, step := range []string{"finishing", "removed"} {
		t.Run("kill at "+step, func(t *testing.T) {
			if said, _, killed := runUpgrade(t, dir, "finish kill "+step); !killed {
				t.Fatalf("was not killed: %s", said)
			}
			start(t, open(t, dir))
			if err := open(t, dir).ReturnFromUpgrade(t.Context()); !errors.Is(err, ErrNothingToDo) {
				t.Errorf("return to a cluster that is being removed: %v", err)
			}
		})
	}
	if err := open(t, dir).FinishUpgrade(t.Context()); err != nil {
		t.Fatal(err)
	}
	goesOn(t, false)
}
