package config

import (
	"slices"
	"strings"
)

// setDBAddrs reads the databases that are searched: one on a line, or several URLs. The environment names one, for index and
// searchd. No reason repeats a value, which contains a password.
func setDBAddrs(s *Search, d directive) error {
	addrs := d.args
	if len(addrs) < 2 || !allURLs(addrs) {
		addr, err := one(d)
		if err != nil {
			return err
		}
		addrs = []string{addr}
	}
	for _, text := range addrs {
		addr, err := dbAddr(text)
		switch {
		case err != nil:
			return err
		case addr == "":
			continue
		case slices.Contains(s.DBAddrs, addr):
			return reasonf("the same database twice")
		case len(s.DBAddrs) == maxDatabases:
			return reasonf("more than %d databases", maxDatabases)
		}
		s.DBAddrs = append(s.DBAddrs, addr)
	}
	return nil
}

// maxDatabases bounds the databases of a searchd.
const maxDatabases = 32

// allURLs reports whether all texts are URLs, which contain no blanks. A connection string in which blanks are not quoted is none.
func allURLs(texts []string) bool {
	return !slices.ContainsFunc(texts, func(t string) bool {
		return !strings.HasPrefix(t, "postgres://") && !strings.HasPrefix(t, "postgresql://")
	})
}
