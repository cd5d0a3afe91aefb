package embedded

import "golang.org/x/sys/unix"

// swap swaps two folders of one file system in one step. Some file systems cannot (errors.ErrUnsupported, EINVAL).
func swap(a, b string) error {
	return unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
}
