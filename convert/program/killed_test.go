package program

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// victimVariable makes the test's binary a process that converts in the named directory until it is killed.
const victimVariable = "PGSEEK_CONVERT_VICTIM"

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimVariable); dir != "" {
		place := NewPlace(dir)
		fmt.Println(place.open())
		script := `setsid sh -c "sleep 1006; : $0" & setsid -f sh -c "sleep 1007; : $0"; echo >started; sleep 1008; : $0`
		_, err := NewRunner(place, Limits{Time: time.Hour, Memory: 1 << 30, Output: 1 << 20, Disk: 1 << 20}).Run(
			context.Background(), []Step{{Args: []string{"sh", "-c", script, dir + "/mark"}}}, Input{ReaderAt: strings.NewReader("")})
		fmt.Println(err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// TestKilled kills the process with a conversion under way: its processes end, also those in sessions of their own, and its directory
// is removed (B53).
func TestKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), victimVariable+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	eventually(t, "the start", func() bool {
		started, _ := filepath.Glob(filepath.Join(dir, placePrefix+"*", "*", "started"))
		return len(started) > 0
	})
	if len(commands(dir+"/mark")) < 3 {
		t.Fatalf("%s: only %q", line, commands(dir+"/mark"))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	eventually(t, "the end of all processes", func() bool { return len(commands(dir+"/mark")) == 0 })
	eventually(t, "the end of the directory", func() bool {
		left, _ := filepath.Glob(filepath.Join(dir, placePrefix+"*"))
		return len(left) == 0
	})
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(20 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("waited in vain for " + what)
		}
	}
}
