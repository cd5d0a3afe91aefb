package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// pages is the web server of the pages, a process of its own.
type pages struct {
	url    string   // http://127.0.0.1:port
	mounts []string // "/pg", "/python", ...
	dirs   []string // where they are
	over   string   // changed pages, which go before them
	files  int
	bytes  int64
	cmd    *exec.Cmd
}

// serve reads every page once, so that no part pays for the disk, and starts the web server on a free port. over
// is a folder for changed pages.
func serve(ctx context.Context, program, root, over string) (*pages, error) {
	p := &pages{over: over}
	for _, folder := range strings.Split(root, ",") {
		name, dir, found := strings.Cut(folder, "=")
		if !found || name == "" {
			return nil, fmt.Errorf("-root %q: want name=folder", folder)
		}
		p.mounts, p.dirs = append(p.mounts, "/"+name), append(p.dirs, dir)
		if err := p.warm(dir); err != nil {
			return nil, err
		}
	}
	p.cmd = exec.CommandContext(ctx, program, "-root", root, "-over", over, "-listen", "127.0.0.1:0")
	p.cmd.Cancel = func() error { return p.cmd.Process.Signal(syscall.SIGTERM) }
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	_, address, found := strings.Cut(line, " on ")
	if err != nil || !found {
		p.stop()
		return nil, fmt.Errorf("%s did not say where it serves: %q", program, line)
	}
	p.url = strings.TrimSuffix(strings.TrimSpace(address), "/")
	return p, nil
}

// warm reads all files below a folder, which may be a link.
func (p *pages) warm(dir string) error {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		n, err := io.Copy(io.Discard, f)
		p.files++
		p.bytes += n
		return err
	})
}

// stop ends the web server.
func (p *pages) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	_ = p.cmd.Wait()
}
