package program

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/spider/weburl"
)

// firstSets is the sets.cnf of --init: five lines, of which one has an effect.
const firstSets = `# What to index. sets.cnf.example and man sets.cnf describe all directives. One line for each further site:
%s
# Visit each page after a week. It goes above the Server line:    Period 7d
# Leave out the URLs that match an expression:                    Disallow [?&](sort|sessionid)=
# Then: index --check-config asks the site once, and index crawls it.
`

// initMode is --init: it writes a sets.cnf for one site, and never over another one.
func (p *program) initMode(context.Context) error {
	line, err := firstServer(p.o.first)
	if err != nil {
		return err
	}
	dir := p.o.place
	if dir == "" {
		dir = config.PlaceForNew()
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return usageError(fmt.Sprintf("--init: %s is no directory; make it, or name another one with --config", clean(dir)))
	}
	file := filepath.Join(dir, "sets.cnf")
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return usageError(fmt.Sprintf("--init: %s is there already and stays as it is; write into it: %s", clean(file), line))
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, firstSets, line)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "wrote %s: %s\n", clean(file), line)
	if root, is := strings.CutPrefix(line, "Server file://"); is {
		fmt.Fprintf(p.out, "write into %s: FileRoot %s\n", clean(filepath.Join(dir, "spider.cnf")), root)
	}
	at := ""
	if p.o.place != "" {
		at = " --config " + shellWord(dir)
	}
	fmt.Fprintf(p.out, "next: index --check-config%s, then index%s\n", at, at)
	return nil
}

// firstServer returns the Server line for a URL that somebody typed. One for a directory of a site is about that directory.
func firstServer(typed string) (string, error) {
	if bare := withoutPassword(typed); bare != typed {
		return "", usageError(fmt.Sprintf("--init: leave the user and the password out of the URL: %s; a line above its Server line takes them: AuthBasic user:password", clean(bare)))
	}
	u, err := weburl.Typed(typed, 0)
	if err != nil {
		return "", usageError("--init: " + wrongURL(typed, err).Error())
	}
	if u.IsFile() {
		return "Server " + u.Text, nil
	}
	return lineFor(u.Text), nil
}

// shellWord quotes a word for a shell if that is needed.
func shellWord(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:") == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
