package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// OldestMajor is the oldest major version of PostgreSQL that a cluster may have.
const OldestMajor = 15

// ErrNoPrograms says that the required programs of PostgreSQL are not installed. The message names the
// package.
var ErrNoPrograms = errors.New("PostgreSQL is not installed")

// programFolders are the usual folders of initdb, postgres and psql, besides PATH. Debian keeps them out of
// PATH, in one folder for each major version.
var programFolders = []string{
	"/usr/lib/postgresql/*/bin",          // Debian, Ubuntu
	"/usr/pgsql-*/bin",                   // the PostgreSQL project's RPMs
	"/usr/lib/postgresql*/bin",           // Gentoo, openSUSE
	"/usr/libexec/postgresql*",           // Alpine
	"/usr/local/pgsql/bin",               // built from source
	"/opt/homebrew/opt/postgresql@*/bin", // Homebrew
	"/usr/local/opt/postgresql@*/bin",    // Homebrew on Intel
	"/home/linuxbrew/.linuxbrew/opt/postgresql@*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// version is an installed version of PostgreSQL.
type version struct {
	bin   string // folder of its programs
	major int
}

// installed returns the versions found in PATH and in the usual folders of distributions, in this order.
func installed() (list []version, err error) {
	folders := filepath.SplitList(os.Getenv("PATH"))
	for _, pattern := range programFolders {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("look for PostgreSQL in %s: %w", pattern, err)
		}
		folders = append(folders, matches...)
	}
	seen := make(map[string]bool)
	for _, folder := range folders {
		if !filepath.IsAbs(folder) || seen[folder] {
			continue // a relative entry of PATH means another folder for the account that runs the server
		}
		seen[folder] = true
		// A link in PATH leads to the folder that has all programs of that version.
		if real, err := filepath.EvalSymlinks(filepath.Join(folder, "postgres")); err == nil && majorOf(filepath.Dir(real)) != 0 {
			folder = filepath.Dir(real)
		}
		if v := majorOf(folder); v != 0 {
			list = append(list, version{folder, v})
		}
	}
	return list, nil
}

// Find returns the folder of PostgreSQL's programs of the given major version, or of the newest one
// installed, OldestMajor or later, when major is 0. Without a match the error wraps ErrNoPrograms and names the package to install.
func Find(major int) (bin string, found int, err error) {
	list, err := installed()
	if err != nil {
		return "", 0, err
	}
	for _, v := range list {
		if major != 0 && v.major == major {
			return v.bin, major, nil
		}
		if major == 0 && v.major >= OldestMajor && v.major > found {
			bin, found = v.bin, v.major
		}
	}
	switch {
	case major != 0:
		return "", 0, missingPrograms(major, list)
	case found == 0:
		return "", 0, fmt.Errorf("%w: no version %d or later in PATH or the usual directories; install it (Debian: apt-get install postgresql)",
			ErrNoPrograms, OldestMajor)
	}
	return bin, found, nil
}

// missingPrograms says that the programs of the version that created the cluster are missing, and how to get on.
func missingPrograms(major int, list []version) error {
	newer := 0
	for _, v := range list {
		newer = max(newer, v.major)
	}
	err := fmt.Errorf("%w: the cluster was created by version %d; install that version (Debian: apt-get install postgresql-%d)",
		ErrNoPrograms, major, major)
	if newer > major {
		err = fmt.Errorf("%w. After that, index --db upgrade moves the database to version %d, which is installed", err, newer)
	}
	return err
}

// majorOf returns the major version of the server programs in a folder, 0 when some are missing.
func majorOf(folder string) int {
	for _, program := range []string{"initdb", "postgres"} {
		if info, err := os.Stat(filepath.Join(folder, program)); err != nil || info.Mode()&0o111 == 0 {
			return 0
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, filepath.Join(folder, "postgres"), "--version").Output()
	if err != nil {
		return 0
	}
	return parseVersion(string(out))
}

// parseVersion reads the major version from "postgres (PostgreSQL) 15.14 (Debian 15.14-0+deb12u1)" or "... 18beta1".
func parseVersion(out string) int {
	_, rest, ok := strings.Cut(out, "(PostgreSQL) ")
	if !ok {
		return 0
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	major, err := strconv.Atoi(rest[:end])
	if err != nil {
		return 0
	}
	return major
}
