// Command demosite serves a folder of HTML on a loopback address, for the demo and for benchmarks: plain files with
// validators, without redirects and listings, and one log line per request.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	root := flag.String("root", ".", "`folder` to serve, or several as name=folder,..., each under /name")
	over := flag.String("over", "", "`folder` whose files take precedence over those of the same path")
	listen := flag.String("listen", "127.0.0.1:18042", "loopback `address`")
	log := flag.String("log", "", "`file` for one line per request: time, method, path, status")
	flag.Parse()
	if err := serve(*root, *over, *listen, *log); err != nil {
		fmt.Fprintf(os.Stderr, "demosite: %v\n", err)
		os.Exit(1)
	}
}

// serve answers until the process gets a signal.
func serve(root, over, listen, log string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := &site{}
	if over != "" {
		s.folders = append(s.folders, mount{prefix: "/", fs: http.Dir(over)})
	}
	for _, folder := range strings.Split(root, ",") {
		name, dir, named := strings.Cut(folder, "=")
		if !named {
			name, dir = "", folder
		}
		s.folders = append(s.folders, mount{prefix: "/" + name, fs: http.Dir(dir)})
	}
	if log != "" {
		f, err := os.Create(log)
		if err != nil {
			return err
		}
		s.log = bufio.NewWriter(f)
		defer func() { _ = errors.Join(s.log.Flush(), f.Close()) }()
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	if !listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
		return fmt.Errorf("%s is not a loopback address", listen)
	}
	fmt.Printf("serving %s on http://%s/\n", root, listener.Addr())
	server := &http.Server{Handler: s, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		closing, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		_ = server.Shutdown(closing)
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// site is the handler.
type site struct {
	folders []mount
	mu      sync.Mutex
	log     *bufio.Writer
}

type mount struct {
	prefix string // "/" or "/name"
	fs     http.FileSystem
}

// ServeHTTP answers with a file, its date and its tag. For a folder it is its index.html.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	recorder := &recorder{ResponseWriter: w, status: http.StatusOK}
	s.file(recorder, r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.log != nil {
		fmt.Fprintf(s.log, "%d %s %s %d\n", time.Now().UnixMilli(), r.Method, r.URL.RequestURI(), recorder.status)
		_ = s.log.Flush()
	}
}

func (s *site) file(w http.ResponseWriter, r *http.Request) {
	for _, m := range s.folders {
		rest, inside := strings.CutPrefix(r.URL.Path, strings.TrimSuffix(m.prefix, "/")+"/")
		if !inside {
			continue
		}
		if f, info := open(m.fs, "/"+rest); f != nil {
			defer func() { _ = f.Close() }()
			w.Header().Set("ETag", fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size()))
			http.ServeContent(w, r, filepath.Base(info.Name()), info.ModTime(), f)
			return
		}
	}
	http.NotFound(w, r)
}

// open returns a regular file, or the index.html of a folder; nil if there is none.
func open(fs http.FileSystem, name string) (http.File, os.FileInfo) {
	if strings.HasSuffix(name, "/") {
		name = path.Join(name, "index.html")
	}
	f, err := fs.Open(name)
	if err != nil {
		return nil, nil
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, nil
	}
	return f, info
}

// recorder remembers the status of an answer.
type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}
