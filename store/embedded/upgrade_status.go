package embedded

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// upgradeStatus adds what is to be said about upgrades.
func (c *Cluster) upgradeStatus(status *Status) error {
	list, err := installed()
	if err != nil {
		return err
	}
	for _, v := range list {
		status.Installed = append(status.Installed, v.major)
	}
	slices.Sort(status.Installed)
	status.Installed = slices.Compact(status.Installed)
	s, err := c.readState()
	if err != nil || s == nil {
		return err
	}
	switch {
	case s.Step == stepKept || s.Step == stepFinishing:
		status.Kept, err = c.KeptCluster()
	case c.upgradeLocked():
		status.Upgrade = fmt.Sprintf("to PostgreSQL %d in progress since %s, process %d; the server is read-only until it is done",
			s.To, s.Begun.Local().Format(time.DateTime), s.PID)
	case s.Step == stepCopying:
		status.Upgrade = fmt.Sprintf("to PostgreSQL %d was interrupted; nothing is lost: index --db start removes what it left, index --db upgrade begins it again", s.To)
	default:
		status.Upgrade = "was interrupted in its last step: index --db start completes it"
	}
	if errors.Is(err, ErrNothingToDo) {
		err = nil // another program has just removed it
	}
	return err
}

// upgradeLines are the lines of a status about upgrades, each with its line feed before it.
func (s Status) upgradeLines() (text string) {
	if s.Made && !slices.Contains(s.Installed, s.Major) {
		text += fmt.Sprintf("\nmissing  the programs of PostgreSQL %d: without them the database cannot be started (Debian: apt-get install postgresql-%d)",
			s.Major, s.Major)
	}
	if n := len(s.Installed); n > 0 && s.Made && s.Installed[n-1] > s.Major && s.Upgrade == "" {
		text += fmt.Sprintf("\nnewer    PostgreSQL %d is installed: index --db upgrade moves the database to it", s.Installed[n-1])
	}
	if s.Upgrade != "" {
		text += "\nupgrade  " + s.Upgrade
	}
	if s.Kept.Major != 0 {
		text += fmt.Sprintf("\nkept     PostgreSQL %d in %s, %s, not used since %s: index --db upgrade --finish removes it",
			s.Kept.Major, s.Kept.Folder, Bytes(s.Kept.Size), s.Kept.Switched.Local().Format(time.DateTime))
	}
	return text
}
