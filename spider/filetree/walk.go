package filetree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// found is a file or a directory at the end of a walk.
type found struct {
	dir  int // descriptor of its directory, or of itself if it is one; the caller closes it
	name string
	stat unix.Stat_t
}

func (f *found) close() {
	if f.dir >= 0 {
		_ = unix.Close(f.dir) // nothing was written
	}
}

func (f *found) isDir() bool { return f.stat.Mode&unix.S_IFMT == unix.S_IFDIR }

// linked is a symbolic link that a walk met, with the path that it stands for.
type linked struct{ to string }

func (l linked) Error() string { return "leads to " + l.to }

// walk goes to an absolute path below a root. What is private is an error, unless private files are read. A path with a slash at
// its end names a directory.
func (t *Tree) walk(r *root, full string) (*found, error) {
	dir, err := unix.Open(r.path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		if !errors.Is(err, unix.EACCES) {
			return nil, failed(statusAway, "FileRoot %s: %w", r.path, err)
		}
		return nil, problem(r.path, err)
	}
	f := &found{dir: dir}
	if err := t.step(f, r.path); err != nil {
		f.close()
		return nil, err
	}
	at := r.path
	names := strings.FieldsFunc(strings.TrimPrefix(full, r.path), func(c rune) bool { return c == '/' })
	for i, name := range names {
		if name == "." || name == ".." { // no URL has them
			f.close()
			return nil, ErrNone
		}
		at = path.Join(at, name)
		last := i == len(names)-1
		err := t.enter(r, f, at, name, last && !strings.HasSuffix(full, "/"))
		var link linked
		if errors.As(err, &link) {
			link.to = path.Join(append([]string{link.to}, names[i+1:]...)...)
			if strings.HasSuffix(full, "/") {
				link.to += "/"
			}
			err = link
		}
		if err != nil {
			f.close()
			return nil, err
		}
	}
	return f, nil
}

// enter goes from a directory to a name in it. mayBeFile says that the name need not be a directory.
func (t *Tree) enter(r *root, f *found, at, name string, mayBeFile bool) error {
	if mayBeFile {
		if err := unix.Fstatat(f.dir, name, &f.stat, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return problem(at, err)
		}
		switch f.stat.Mode & unix.S_IFMT {
		case unix.S_IFREG:
			f.name = name
			if !t.o.Private && f.stat.Mode&0o004 == 0 {
				return private(at, f.stat.Mode, "read")
			}
			return nil
		case unix.S_IFLNK:
			return t.link(r, f.dir, at, name)
		case unix.S_IFDIR:
		default:
			return failed(StatusNoFile, "%s is neither file nor directory", at)
		}
	}
	const flags = unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK
	dir, err := unix.Openat(f.dir, name, flags|unix.O_RDONLY, 0) // this mounts what is mounted on demand
	if errors.Is(err, unix.EACCES) {
		dir, err = unix.Openat(f.dir, name, flags|unix.O_PATH, 0) // one may pass through it
	}
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) {
		if unix.Fstatat(f.dir, name, &f.stat, unix.AT_SYMLINK_NOFOLLOW) == nil && f.stat.Mode&unix.S_IFMT == unix.S_IFLNK {
			return t.link(r, f.dir, at, name)
		}
		return ErrNone
	}
	if err != nil {
		return problem(at, err)
	}
	f.close()
	f.dir = dir
	return t.step(f, at)
}

// step reads the state of the directory that was entered.
func (t *Tree) step(f *found, at string) error {
	if err := unix.Fstat(f.dir, &f.stat); err != nil {
		return problem(at, err)
	}
	if !t.o.Private && f.stat.Mode&0o001 == 0 {
		return private(at, f.stat.Mode, "enter")
	}
	return nil
}

// link returns where a symbolic link leads: a path below a root, else an error.
func (t *Tree) link(r *root, dir int, at, name string) error {
	buffer := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(dir, name, buffer)
	if err != nil {
		return problem(at, err)
	}
	to := string(buffer[:n])
	if !path.IsAbs(to) {
		to = path.Join(path.Dir(at), to)
	} else if to = path.Clean(to); r.real() != r.path && below(to, r.real()) { // the root itself is a link
		to = path.Join(r.path, strings.TrimPrefix(to, r.real()))
	}
	if t.root(to) == nil {
		return failed(StatusNoFile, "%s is a link to %s, which is outside every FileRoot", at, to)
	}
	return linked{to}
}

func private(at string, mode uint32, verb string) error {
	return failed(StatusPrivate, "others may not %s %s (mode %04o)"+PrivateHint, verb, at, mode&0o7777)
}

// isPrivate reports whether others may not read a file, or list or enter a directory on the way to it.
func (t *Tree) isPrivate(r *root, full string) bool {
	strict := Tree{o: t.o, roots: t.roots}
	strict.o.Private = false
	f, err := strict.walk(r, full)
	if err == nil {
		f.close()
		return f.isDir() && f.stat.Mode&0o004 == 0
	}
	var e *Error
	return errors.As(err, &e) && e.Code == StatusPrivate
}

// open opens what a walk has found, for reading. It is the file whose state was read, or an error.
func (f *found) open(full string) (*os.File, error) {
	name, flags := f.name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC
	if f.isDir() {
		name, flags = ".", flags|unix.O_DIRECTORY
	}
	fd, err := unix.Openat(f.dir, name, flags, 0)
	if err != nil {
		return nil, problem(full, err)
	}
	file := os.NewFile(uintptr(fd), full)
	var stat unix.Stat_t
	if err = unix.Fstat(fd, &stat); err != nil {
		err = problem(full, err)
	} else if stat.Ino != f.stat.Ino || stat.Dev != f.stat.Dev || stat.Mode&unix.S_IFMT != f.stat.Mode&unix.S_IFMT {
		err = failed(statusIO, "%s was replaced a moment ago", full)
	}
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, err
	}
	return file, nil
}

// below reports whether a clean path is a directory or lies below it.
func below(p, dir string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}

// isKnown reports whether an entry of a directory is listed: a file, a directory or a link.
func isKnown(mode fs.FileMode) bool {
	return mode.IsRegular() || mode.IsDir() || mode&fs.ModeSymlink != 0
}

// etag returns the ETag of a file or directory. One that was changed a moment ago gets one that the next visit does not have.
func etag(stat *unix.Stat_t, now int64, more string) string {
	changed := stat.Mtim.Nano()
	if changed > now-racy.Nanoseconds() && changed <= now {
		more += "-new"
	}
	return fmt.Sprintf(`"%x-%x-%x%s"`, stat.Size, changed, stat.Ino, more)
}
