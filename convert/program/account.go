package program

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// account is the user whose rights a command has. The zero value means our own user.
type account struct{ ID int }

// Root's commands run as a user of their own, who has no entry in the user database and owns nothing else: a converter reads files of
// strangers, and the limit of processes does not bind root. The ids are above those that systemd gives out, below nobody's,
// under which PostgreSQL may run.
const (
	highestAccount = 65530
	lowestAccount  = 65520
)

// commandAccount returns the account for commands, whose directory is given. It is our own unless we are root, and also
// where root may not give files away, as in some containers.
func commandAccount(dir string) account {
	if os.Geteuid() != 0 {
		return account{}
	}
	for id := highestAccount; id >= lowestAccount; id-- {
		if _, err := user.LookupId(strconv.Itoa(id)); err == nil {
			continue // somebody's
		}
		if a := (account{id}); a.own(dir) == nil {
			return a
		}
		break
	}
	return account{}
}

// own gives a file to the account.
func (a account) own(path string) error {
	if a.ID == 0 {
		return nil
	}
	return os.Lchown(path, a.ID, a.ID)
}

// letRead lets the account read a file that stays ours.
func (a account) letRead(path string) error {
	if a.ID == 0 {
		return nil
	}
	if err := os.Lchown(path, -1, a.ID); err != nil {
		return err
	}
	return os.Chmod(path, 0o640)
}

// become gives up root's rights for those of the account.
func (a account) become() error {
	if a.ID == 0 {
		return nil
	}
	if err := syscall.Setgroups(nil); err != nil {
		return os.NewSyscallError("setgroups", err)
	}
	if err := syscall.Setresgid(a.ID, a.ID, a.ID); err != nil {
		return os.NewSyscallError("setresgid", err)
	}
	return os.NewSyscallError("setresuid", syscall.Setresuid(a.ID, a.ID, a.ID))
}
