package program

import (
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestRootGivesUpItsRights runs a chain as root: each command has a user of its own, who may read its input and write its output, but neither
// change the input, nor read what only root may, nor have more processes than the limit. Other users' commands run as themselves.
func TestRootGivesUpItsRights(t *testing.T) {
	t.Parallel()
	secret := t.TempDir() + "/secret"
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	script := `echo "$(id -u) $(id -g) $(id -G) $(awk '/^Max processes/ {print $3 <= 4096, $4 <= 4096}' /proc/self/limits)"
		cat ` + secret + `; touch ` + secret + `.new; echo more >>"$0"; cat "$0"`
	res, err := converted(t, quick, "words", script, "cat; echo $(id -u)", `cat <"$0" >"$1"; echo $(id -u) >>"$1"; stat -c %u "$0" >>"$1"`)
	if err != nil {
		t.Fatal(err)
	}
	id := os.Geteuid()
	if id == 0 {
		id = highestAccount
	}
	is := strconv.Itoa(id)
	got := string(res.Output)
	want := strings.Join([]string{is + " " + is + " " + is + " 1 1", "words" + is, is, is, ""}, "\n")
	if os.Geteuid() != 0 {
		if lines := strings.Fields(got); lines[0] != is || lines[len(lines)-1] != is {
			t.Errorf("got %q", got)
		}
		return
	}
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := os.Stat(secret + ".new"); err == nil {
		t.Error("a command wrote beside its directory")
	}
}
