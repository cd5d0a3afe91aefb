package program

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// MaxSteps is the largest number of commands in a chain.
const MaxSteps = 3

// Step is one command of a chain. $in and $out in its arguments are the names of its input and its output in its directory. They are the
// same in each conversion, since some programs write them into titles. $url is the document's URL.
// A command without $in reads its standard input. A command without $out writes to its standard output.
type Step struct {
	Args []string
	To   string // media type of the output, which gives the file of $out its extension
}

// Limits of a conversion.
type Limits struct {
	Time   time.Duration // of the whole chain
	Memory int64         // bytes, of each process and of all together
	Output int64         // bytes of the result that are read; more is cut off
	Disk   int64         // bytes in the directory, without the input
	AtOnce int           // conversions of this process; 0 = as many as there are processors
}

// maxProcesses is the greatest number of processes of one conversion.
const maxProcesses = 128

// Input is the document to convert.
type Input struct {
	io.ReaderAt        // an *os.File of the Place is linked instead of copied
	Size        int64  // bytes
	URL         string // may be empty
	Name        string // of the document, as in annual-report.pdf: some programs need the suffix, and some use the name as a title
}

// Result of a chain of commands.
type Result struct {
	Output    []byte
	Truncated bool          // the output was longer than Limits.Output
	Stderr    string        // last line that the commands wrote to standard error
	Elapsed   time.Duration // without the wait for other conversions
}

// ErrHere marks errors that concern this machine, not the document.
var ErrHere = errors.New("cannot convert here")

// FailedError says why a document cannot be converted.
type FailedError struct {
	Cause   string
	Elapsed time.Duration
}

func (e *FailedError) Error() string { return e.Cause }

// MissingError says that a program is not installed. It concerns this machine, not the document.
type MissingError struct{ Program string }

func (e *MissingError) Error() string { return e.Program + " is not installed" }

// A Runner runs conversions, some at once. It is safe for concurrent use.
type Runner struct {
	place  *Place
	limits Limits
	slots  chan struct{}
}

// NewRunner returns a Runner whose files are in a Place.
func NewRunner(place *Place, limits Limits) *Runner {
	if limits.AtOnce <= 0 {
		limits.AtOnce = runtime.NumCPU()
	}
	return &Runner{place: place, limits: limits, slots: make(chan struct{}, limits.AtOnce)}
}

// Run converts a document. When it returns, all processes of the conversion have ended and its files are removed. The error is a
// *FailedError, the error of the context, or an ErrHere.
func (r *Runner) Run(ctx context.Context, steps []Step, in Input) (Result, error) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
	res, err := r.run(ctx, steps, in)
	var failed *FailedError
	if err != nil && ctx.Err() == nil && !errors.As(err, &failed) {
		err = fmt.Errorf("%w: %w", ErrHere, err)
	}
	return res, err
}

func (r *Runner) run(ctx context.Context, steps []Step, in Input) (Result, error) {
	dir, err := r.place.folder()
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = removeTree(dir) }() // what it cannot remove goes with the Place
	j, err := r.prepare(dir, steps, in)
	if err != nil {
		return Result{}, err
	}
	return r.supervised(ctx, j)
}

// prepare puts the input into the directory and writes the commands out.
func (r *Runner) prepare(dir string, steps []Step, in Input) (*job, error) {
	if len(steps) == 0 || len(steps) > MaxSteps {
		return nil, fmt.Errorf("%d commands in a chain, want 1 to %d", len(steps), MaxSteps)
	}
	input, as := fileName(in.Name), commandAccount(dir)
	if err := place(filepath.Join(dir, input), in); err != nil {
		return nil, fmt.Errorf("input of a converter: %w", err)
	}
	if err := as.letRead(filepath.Join(dir, input)); err != nil {
		return nil, fmt.Errorf("input of a converter: %w", err)
	}
	j := &job{
		Dir: dir, As: as, Input: in.Size, Path: ourPath(), Time: r.limits.Time, Memory: r.limits.Memory, Disk: r.limits.Disk,
		Processes: maxProcesses,
	}
	for i, s := range steps {
		output := fmt.Sprintf("_out%d%s", i+1, extension(s.To))
		c := command{In: filepath.Join(dir, input), Out: filepath.Join(dir, output), Last: i == len(steps)-1}
		for _, arg := range s.Args {
			arg, c.Reads = replace(arg, "$in", input, c.Reads)
			arg, c.Writes = replace(arg, "$out", output, c.Writes)
			arg, _ = replace(arg, "$url", safeURL(in.URL), false)
			c.Args = append(c.Args, arg)
		}
		j.Commands = append(j.Commands, c)
		input = output
	}
	return j, nil
}

// place makes the input a file of the given name: a link when the input is a file, else a copy.
func place(name string, in Input) error {
	if f, ok := in.ReaderAt.(*os.File); ok && os.Link(f.Name(), name) == nil {
		return nil
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.NewSectionReader(in.ReaderAt, 0, in.Size))
	return errors.Join(err, f.Close())
}

// supervised runs a job under a supervisor.
func (r *Runner) supervised(ctx context.Context, j *job) (res Result, err error) {
	began := time.Now()
	control, hold, err := os.Pipe()
	if err != nil {
		return res, err
	}
	defer hold.Close()
	report, reported, err := os.Pipe()
	if err != nil {
		control.Close()
		return res, err
	}
	defer report.Close()
	out, output, err := os.Pipe()
	if err != nil {
		control.Close()
		reported.Close()
		return res, err
	}
	defer out.Close()

	// Not exec.CommandContext, which would kill the supervisor: the supervisor has to kill the commands first.
	cmd := &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{supervisorName}, Dir: "/", Env: []string{}, Stdin: control, Stdout: output,
		ExtraFiles: []*os.File{reported}, SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	err = cmd.Start()
	control.Close()
	reported.Close()
	output.Close()
	if err != nil {
		return res, fmt.Errorf("start the supervisor of converters: %w", err)
	}
	defer context.AfterFunc(ctx, func() { hold.Close() })()
	_ = json.NewEncoder(hold).Encode(j) // without an order the supervisor writes no report

	res.Output, res.Truncated = read(out, r.limits.Output)
	if res.Truncated {
		hold.Close() // asks the supervisor to end
	}
	var v verdict
	decoded := json.NewDecoder(io.LimitReader(report, 64<<10)).Decode(&v)
	_ = cmd.Wait()
	res.Elapsed, res.Stderr = time.Since(began), v.Stderr
	switch {
	case ctx.Err() != nil:
		return Result{}, context.Cause(ctx)
	case decoded != nil:
		return Result{}, fmt.Errorf("the supervisor of converters ended early: %w", decoded)
	case v.Missing != "":
		return Result{}, &MissingError{v.Missing}
	case v.Ours:
		return Result{}, errors.New(v.Cause)
	case v.Cause != "" && !res.Truncated:
		return Result{}, &FailedError{v.Cause, res.Elapsed}
	}
	if last := j.Commands[len(j.Commands)-1]; last.Writes && !res.Truncated {
		f, err := os.OpenFile(last.Out, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
		if err != nil {
			return Result{}, &FailedError{last.name() + " has not written its output", res.Elapsed}
		}
		defer f.Close()
		if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
			return Result{}, &FailedError{"the output of " + last.name() + " is no regular file", res.Elapsed}
		}
		res.Output, res.Truncated = read(f, r.limits.Output)
	}
	if len(res.Output) == 0 {
		return Result{}, &FailedError{because(j.Commands[len(j.Commands)-1].name()+" wrote no text", v.Stderr), res.Elapsed}
	}
	return res, nil
}

// read reads at most limit bytes, and reports whether there are more.
func read(r io.Reader, limit int64) ([]byte, bool) {
	b, _ := io.ReadAll(io.LimitReader(r, limit+1)) // an end that is not io.EOF is one, too
	if int64(len(b)) > limit {
		return b[:limit:limit], true
	}
	return b, false
}

// because adds the last line of standard error to a cause.
func because(cause, stderr string) string {
	if stderr = strings.TrimSpace(stderr); stderr != "" {
		return cause + ": " + stderr
	}
	return cause
}
