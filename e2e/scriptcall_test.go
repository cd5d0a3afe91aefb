package e2e

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pgseek/pgseek/cmd/index/program"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/storetest"
)

// callsCommand is the name under which the test binary makes calls of index, one after the other, for the scripts.
const callsCommand = "index-calls"

// call is one call of index.
type call struct {
	Dir  string
	Env  []string
	In   string
	Args []string
}

// callEnd is how a call ended.
type callEnd struct {
	Code        int
	Out, ErrOut []byte
}

// makeCalls reads calls from standard input and makes them in this process, each in its folder and its environment.
func makeCalls() {
	in, out := gob.NewDecoder(os.Stdin), gob.NewEncoder(os.Stdout)
	for {
		var c call
		err := in.Decode(&c)
		if errors.Is(err, io.EOF) {
			return
		}
		var end callEnd
		if err == nil {
			end, err = c.make()
		}
		if err == nil {
			err = out.Encode(end)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(exitFailed)
		}
	}
}

// make makes a call.
func (c call) make() (end callEnd, err error) {
	os.Clearenv()
	for _, v := range c.Env {
		name, value, _ := strings.Cut(v, "=")
		if err := os.Setenv(name, value); err != nil {
			return end, err
		}
	}
	if err := os.Chdir(c.Dir); err != nil {
		return end, err
	}
	var out, errOut bytes.Buffer
	ctx := store.WithDial(context.Background(), storetest.Dial)
	end.Code = program.Run(ctx, ctx, c.Args, strings.NewReader(c.In), &out, &errOut)
	end.Out, end.ErrOut = out.Bytes(), errOut.Bytes()
	return end, nil
}

// caller is a process that makes calls.
type caller struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	said   bytes.Buffer // on its own standard error: panics and races
	calls  *gob.Encoder
	endeds *gob.Decoder
}

// callers are the processes that wait for a call.
type callers struct {
	mu   sync.Mutex
	idle []*caller
}

// take returns a process for one script. back returns it.
func (c *callers) take() (*caller, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.idle); n > 0 {
		one := c.idle[n-1]
		c.idle = c.idle[:n-1]
		return one, nil
	}
	one := &caller{cmd: exec.CommandContext(context.Background(), callsCommand)}
	one.cmd.Stderr = &one.said
	in, err := one.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := one.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	one.in, one.calls, one.endeds = in, gob.NewEncoder(in), gob.NewDecoder(out)
	return one, one.cmd.Start()
}

func (c *callers) back(one *caller) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, one)
}

// end ends the processes, which must end well: the race detector ends them with exitRace.
func (c *callers) end(t testing.TB) {
	for _, one := range c.idle {
		_ = one.in.Close()
		if err := one.cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, &one.said)
		}
	}
}

// call runs index in a process that makes the calls of many scripts, as a process of its own costs more than the call:
// `call index -D` must end well, `! call index -D` must not, `call 2 index -n 0` must end with that code. Of the environment it
// has what the script began with and PGSEEK_DBADDR. A script that sets others, or gives index an input, uses exec and exit.
func (s script) call(neg bool, args []string) {
	want := -1
	if n, err := strconv.Atoi(args[0]); err == nil {
		want, args = n, args[1:]
	}
	if len(args) == 0 || args[0] != "index" || neg && want >= 0 {
		s.Fatalf("usage: [!] call [code] index [argument ...]")
	}
	dir := s.MkAbs(".")
	env := slices.Concat(s.env, []string{"PWD=" + dir, "PGSEEK_DBADDR=" + s.Getenv("PGSEEK_DBADDR")})
	one, err := s.callers.take()
	s.Check(err)
	var end callEnd
	if err := errors.Join(one.calls.Encode(call{Dir: dir, Env: env, Args: args[1:]}), one.endeds.Decode(&end)); err != nil {
		_ = one.in.Close()
		s.Fatalf("%s: %v, %v\n%s", strings.Join(args, " "), err, one.cmd.Wait(), &one.said)
	}
	s.callers.back(one)
	_, _ = s.Stdout().Write(end.Out)
	_, _ = s.Stderr().Write(end.ErrOut)
	if want < 0 && neg == (end.Code == exitDone) || want >= 0 && end.Code != want {
		s.Fatalf("%s: exit code %d", strings.Join(args, " "), end.Code)
	}
}

// scriptCall is script.call as a command of testscript.
func scriptCall(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(scriptKey{}).(script)
	s.TestScript = ts
	s.call(neg, args)
}
