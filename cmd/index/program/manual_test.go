package program

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// TestPageHasEveryOption: the manual page has each option and each letter, and man finds no fault in it.
func TestPageHasEveryOption(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if code := Run(t.Context(), t.Context(), []string{"--man"}, nil, &b, os.Stderr); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	page := b.String()
	(&options{}).flags().VisitAll(func(f *pflag.Flag) {
		want := `\fB\-\-` + strings.ReplaceAll(f.Name, "-", `\-`) + `\fR`
		if f.Shorthand != "" {
			want = `\fB\-` + f.Shorthand + `\fR, ` + want
		}
		if !strings.Contains(page, "\n.TP\n"+want) {
			t.Errorf("no %s in the manual page", want)
		}
	})
	if _, err := exec.LookPath("mandoc"); err == nil {
		cmd := exec.CommandContext(t.Context(), "mandoc", "-Tlint", "-Wwarning")
		cmd.Stdin = &b
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("mandoc: %v\n%s", err, out)
		}
	}
}

// TestCompletions: each shell that is installed reads its completion, and completes options, their values and files.
func TestCompletions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for shell, script := range map[string]string{
		"bash": `source ./bash; t() { COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _pgseek_index; echo "$* -> ${COMPREPLY[*]}"; }
t index --vers; t index --db st; t index --db = ps; t index -r li; t index -u x; t index --purge; t index li; complete -p index`,
		"zsh":  `autoload -Uz compinit; compinit -D; source ./zsh; echo ${_comps[index]}; _arguments() { print -rl -- "$@" }; _pgseek_index | grep -e vers -e '--format='`,
		"fish": `source ./fish; complete -C "index --vers"; complete -C "index --db st" | string split -f1 \t; complete -C "index -r li"`,
	} {
		want := map[string]string{
			"bash": "index --vers -> --version\nindex --db st -> start status stop\nindex --db = ps -> psql\nindex -r li -> list.txt\nindex -u x -> \n" +
				"index --purge -> --purge-lost\nindex li -> list.txt\ncomplete -F _pgseek_index index\n",
			"zsh": "_pgseek_index\n(--format)--format=[with --search\\: the form of the output]:value:(text json)\n" +
				"(--version)--version[show the version]\n",
			"fish": "--version\tshow the version\nstart\nstatus\nstop\nlist.txt\n",
		}[shell]
		var b bytes.Buffer
		if code := Run(t.Context(), t.Context(), []string{"--completion", shell}, nil, &b, os.Stderr); code != 0 {
			t.Fatalf("%s: exit code %d", shell, code)
		}
		for name, text := range map[string]string{shell: b.String(), "list.txt": ""} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		at, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not installed", shell)
			continue
		}
		args := map[string][]string{"bash": {"--norc", "-c"}, "zsh": {"-f", "-c"}, "fish": {"--no-config", "-c"}}[shell]
		cmd := exec.CommandContext(t.Context(), at, append(args, script)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir)
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", shell, err, out, want)
		}
	}
	if _, err := parseArgs([]string{"--completion", "ksh"}, os.Stderr); err == nil || err.Error() != `--completion "ksh": want bash, zsh or fish` {
		t.Errorf("ksh: %v", err)
	}
}
