package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// ErrUnreachable says that the account that must run the server cannot access the data directory. The message
// names the folder that blocks it and the remedy.
var ErrUnreachable = errors.New("data directory not accessible")

// account is the system account that runs the server and owns the files of the cluster.
type account struct {
	name string
	uid  uint32
	gid  uint32
	// cred lets a program that runs as root switch to the account; it is nil when we are the account already.
	cred *syscall.Credential
}

// chooseAccount returns the account for the cluster in folder data: the owner of an existing cluster. For a
// new one it is our own account, or, because PostgreSQL refuses to run as root, the owner of the data directory
// if that exists, else postgres, else nobody.
func chooseAccount(data string) (account, error) {
	self := os.Geteuid()
	var st syscall.Stat_t
	switch err := syscall.Lstat(data, &st); {
	case errors.Is(err, syscall.ENOENT):
		if self != 0 {
			return lookupAccount(strconv.Itoa(self))
		}
		if owner, err := ownerOf(filepath.Dir(data)); err == nil && owner != 0 {
			return lookupAccount(strconv.Itoa(owner)) // the directory was made for an account, as a package does
		}
		for _, name := range []string{"postgres", "nobody"} {
			if u, err := user.Lookup(name); err == nil {
				return lookupAccount(u.Uid)
			}
		}
		return account{}, errors.New("PostgreSQL does not run as root, and neither the account postgres nor the account nobody exists")
	case errors.Is(err, syscall.EACCES) && ownedBy(filepath.Dir(data)) != "":
		return account{}, foreign(filepath.Dir(data), ownedBy(filepath.Dir(data)))
	case err != nil:
		return account{}, fmt.Errorf("examine the cluster: %w", &os.PathError{Op: "stat", Path: data, Err: err})
	case st.Uid == 0:
		return account{}, fmt.Errorf("%s belongs to root, but PostgreSQL does not run as root: change the owner of the directory", data)
	case self != 0 && int(st.Uid) != self:
		owner, err := lookupAccount(strconv.Itoa(int(st.Uid)))
		if err != nil {
			return account{}, err
		}
		return account{}, foreign(data, owner.name)
	}
	return lookupAccount(strconv.Itoa(int(st.Uid)))
}

// foreign is the error about a path that belongs to another account.
func foreign(path, owner string) error {
	return fmt.Errorf("%s belongs to account %s: run as %s (sudo -u %s) or root, or set another DataDir", path, owner, owner, owner)
}

// ownedBy returns the name of the account that owns a path; empty if the path cannot be examined.
func ownedBy(path string) string {
	uid, err := ownerOf(path)
	if err != nil {
		return ""
	}
	a, err := lookupAccount(strconv.Itoa(uid))
	if err != nil {
		return ""
	}
	return a.name
}

// ownerOf returns the id of the account that owns a path.
func ownerOf(path string) (int, error) {
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		return 0, err
	}
	return int(st.Uid), nil
}

// lookupAccount returns the account with a numeric user id, also when the id has no entry, as in many
// containers.
func lookupAccount(uid string) (account, error) {
	n, err := strconv.ParseUint(uid, 10, 32)
	if err != nil {
		return account{}, fmt.Errorf("account %s: %w", uid, err)
	}
	a := account{name: uid, uid: uint32(n), gid: uint32(os.Getegid())}
	u, err := user.LookupId(uid)
	if err == nil {
		a.name = u.Username
		gid, err := strconv.ParseUint(u.Gid, 10, 32)
		if err != nil {
			return account{}, fmt.Errorf("account %s: %w", u.Username, err)
		}
		a.gid = uint32(gid)
	}
	if os.Geteuid() == 0 {
		a.cred = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
	return a, nil
}

// command prepares a program of PostgreSQL: as the account, in a session of its own so that Ctrl-C on our
// terminal does not reach it, in a folder that every account can read, and without the variables by which a
// user directs psql to another server.
func (a account) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = "/"
	cmd.Env = serverEnvironment(os.Environ())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Credential: a.cred}
	// The session's first process leads a process group: its children end with it.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}

// serverEnvironment drops PG* and the locale of the terminal.
func serverEnvironment(env []string) []string {
	kept := make([]string, 0, len(env)+1)
	for _, e := range env {
		if strings.HasPrefix(e, "PG") || strings.HasPrefix(e, "LC_") || strings.HasPrefix(e, "LANG") || strings.HasPrefix(e, "NOTIFY_SOCKET=") {
			continue
		}
		kept = append(kept, e)
	}
	return append(kept, "LC_ALL=C.UTF-8")
}

// checkReach checks that the account can enter every folder on the path to dir.
func (a account) checkReach(ctx context.Context, dir string) error {
	if a.cred == nil || a.canPass(ctx, dir) {
		return nil
	}
	blocked := dir
	for p := dir; ; p = filepath.Dir(p) {
		if !a.canPass(ctx, p) {
			blocked = p // the uppermost folder that fails is the one to report
		}
		if p == filepath.Dir(p) {
			break
		}
	}
	return fmt.Errorf("%w: under root the server runs as account %s, which cannot enter %s on the path to %s: "+
		"set DataDir (spider.cnf, or PGSEEK_DATADIR) to a directory that it can access, such as /var/lib/pgseek",
		ErrUnreachable, a.name, blocked, dir)
}

// canPass asks the system as the account, so modes, ACLs and mount options all count.
func (a account) canPass(ctx context.Context, dir string) bool {
	return a.command(ctx, "/bin/sh", "-c", `cd -- "$1"`, "sh", dir).Run() == nil
}

// own changes the owner of a file or folder that we have just created to the account. It uses the open file,
// so that nobody can replace it between the two steps.
func (a account) own(f *os.File) error {
	if a.cred == nil {
		return nil
	}
	return f.Chown(int(a.uid), int(a.gid))
}

// openFile opens one of our files beside the cluster, and creates it for the account when it is missing. It
// follows no link, so that root never writes where another user points.
func (a account) openFile(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	var st syscall.Stat_t
	err = syscall.Fstat(int(f.Fd()), &st)
	switch {
	case err != nil:
	case st.Mode&syscall.S_IFMT != syscall.S_IFREG || st.Nlink != 1:
		err = fmt.Errorf("%s is not a regular file", path)
	case st.Uid != a.uid:
		err = a.own(f)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ownFolder changes the owner of a folder that we have just created to the account.
func (a account) ownFolder(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return a.own(f)
}
