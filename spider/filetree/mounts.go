package filetree

import (
	"context"
	"errors"
	"io"
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// A share that is not mounted looks like an empty directory. What was a mount point at an earlier visit and is none now says so.

// Mounts returns the mount points on the way to a path, except /.
func (t *Tree) Mounts(ctx context.Context, full string) ([]string, error) {
	return within(ctx, t, full, func() (list []string, err error) {
		full := path.Clean(full)
		if r := t.root(full); r != nil && r.real() != r.path { // the root is a link: what it leads to is mounted
			for dir := r.real(); dir != "/" && err == nil; dir = path.Dir(dir) {
				list, err = appendMount(list, dir)
			}
		}
		for dir := full; dir != "/" && err == nil; dir = path.Dir(dir) {
			list, err = appendMount(list, dir)
		}
		return list, err
	})
}

func appendMount(list []string, dir string) ([]string, error) {
	is, err := isMount(dir)
	if is {
		list = append(list, dir)
	}
	return list, err
}

// Unmounted returns the first of these directories that the way to a path leads through and that is no mount point at present, a link
// of the root included; empty for none.
func (t *Tree) Unmounted(ctx context.Context, full string, mounts []string) (string, error) {
	return within(ctx, t, full, func() (string, error) {
		full := path.Clean(full)
		r := t.root(full)
		for _, dir := range mounts {
			if !below(full, dir) && (r == nil || r.real() == r.path || !below(r.real(), dir)) {
				continue
			}
			if is, err := isMount(dir); err != nil || !is {
				return dir, err
			}
		}
		return "", nil
	})
}

// isMount asks the kernel; one that cannot tell is asked for the devices of the directory and of its parent.
func isMount(dir string) (bool, error) {
	var at unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, dir, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_TYPE, &at)
	switch {
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.EACCES):
		return false, nil
	case errors.Is(err, unix.ENOSYS):
	case err != nil:
		return false, problem(dir, err)
	case at.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT != 0:
		return at.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0 && at.Mode&unix.S_IFMT == unix.S_IFDIR, nil
	}
	var own, parent unix.Stat_t
	if unix.Lstat(dir, &own) != nil || unix.Lstat(path.Dir(dir), &parent) != nil {
		return false, nil
	}
	return own.Dev != parent.Dev && own.Mode&unix.S_IFMT == unix.S_IFDIR, nil
}

// IsEmpty reports whether a root lists nothing, or is not there.
func (t *Tree) IsEmpty(ctx context.Context, root string) (bool, error) {
	return within(ctx, t, root, func() (bool, error) {
		fd, err := unix.Open(root, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			if err = problem(root, err); errors.Is(err, ErrNone) {
				return true, nil
			}
			return false, err
		}
		dir := os.NewFile(uintptr(fd), root)
		defer func() { _ = dir.Close() }() // nothing was written
		_, err = dir.Readdirnames(1)
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if err != nil {
			return false, problem(root, err)
		}
		return false, nil
	})
}
