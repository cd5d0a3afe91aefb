package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/pgseek/pgseek/cmd/internal/cli"
)

// install is a configuration directory, its database and the program index, as an operator has them.
type install struct {
	t      *testing.T
	dir    string
	index  string // the program
	url    string // of searchd, without a slash at the end
	said   *lines
	client *http.Client
	daemon *exec.Cmd
	read   chan struct{} // closed when the daemon has said its last
}

// newInstall writes the configuration and starts nothing.
func newInstall(t *testing.T, dsn, sets, spider, searchd string) *install {
	t.Helper()
	in := &install{
		t: t, dir: t.TempDir(), index: filepath.Join(buildIndex(t), "index"), said: &lines{},
		client: &http.Client{
			Transport:     &http.Transport{MaxIdleConnsPerHost: 64},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	for name, text := range map[string]string{
		"sets.cnf": sets, "searchd.conf": searchd, "spider.cnf": fmt.Sprintf("DBAddr \"%s\"\n%s", strings.ReplaceAll(dsn, `"`, `\"`), spider),
	} {
		if err := os.WriteFile(filepath.Join(in.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(in.client.CloseIdleConnections)
	return in
}

// try runs index and returns its exit code and all its output.
func (in *install) try(args ...string) (code int, out string) {
	var b bytes.Buffer
	cmd := exec.CommandContext(context.Background(), in.index, append([]string{"--config", in.dir}, args...)...)
	cmd.Stdout, cmd.Stderr = &b, &b
	if err := cmd.Run(); cmd.ProcessState == nil {
		return -1, err.Error()
	}
	return cmd.ProcessState.ExitCode(), b.String()
}

// run runs index, which must end well.
func (in *install) run(args ...string) {
	in.t.Helper()
	if code, out := in.try(args...); code != cli.ExitDone {
		in.t.Fatalf("index %s: exit code %d\n%s", strings.Join(args, " "), code, out)
	}
}

// serve starts searchd as a separate process and waits until it answers searches. The process ends with the
// test, and must end successfully.
func (in *install) serve() {
	in.t.Helper()
	cmd := exec.CommandContext(context.Background(), "searchd", "--config", in.dir, "--listen", "127.0.0.1:0")
	errOut, err := cmd.StderrPipe()
	if err != nil {
		in.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		in.t.Fatal(err)
	}
	in.daemon, in.read = cmd, make(chan struct{})
	searching := make(chan string, 1)
	go func() {
		defer close(in.read)
		defer close(searching)
		address := ""
		for scan := bufio.NewScanner(errOut); scan.Scan(); {
			in.said.add(scan.Text())
			if _, at, found := strings.Cut(scan.Text(), "address="); found && address == "" {
				address = strings.TrimSuffix(at, "/")
			}
			if strings.Contains(scan.Text(), "searching") && address != "" {
				searching <- address
				address = ""
			}
		}
	}()
	in.t.Cleanup(in.halt)
	in.url = <-searching
	if in.url == "" {
		in.t.Fatalf("searchd does not search:\n%s", in.said)
	}
}

// halt asks searchd to stop, once.
func (in *install) halt() {
	if in.daemon == nil {
		return
	}
	if err := in.daemon.Process.Signal(syscall.SIGTERM); err != nil {
		in.t.Error(err)
	}
	<-in.read
	if err := in.daemon.Wait(); err != nil {
		in.t.Errorf("searchd ended badly: %v\n%s", err, in.said)
	}
	in.daemon = nil
}

// page is an answer of searchd.
type page struct {
	status int
	header http.Header
	body   string
}

// ask requests a path with its query from searchd; headers are pairs. It is safe for concurrent use.
func (in *install) ask(ctx context.Context, target string, headers ...string) (page, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, in.url+target, nil)
	if err != nil {
		return page{}, err
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header[headers[i]] = append(r.Header[headers[i]], headers[i+1])
	}
	answer, err := in.client.Do(r)
	if err != nil {
		return page{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	return page{answer.StatusCode, answer.Header, string(body)}, err
}

// lines keeps the first and the last lines of a program's output.
type lines struct {
	mu   sync.Mutex
	list []string
}

const keptLines = 400

func (l *lines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) >= keptLines {
		l.list = append(l.list[:keptLines/2], l.list[keptLines/2+1:]...)
	}
	l.list = append(l.list, line)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.list, "\n")
}
