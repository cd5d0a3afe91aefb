package foreign

import (
	"path/filepath"
	"strings"
)

// program is one of the old programs, or a set of them.
type program int

// The programs.
const (
	aspseek program = 1 << iota
	mnogo
	datapark

	both = mnogo | datapark
	all  = aspseek | both
)

func (p program) name() string {
	switch p {
	case aspseek:
		return "ASPseek"
	case mnogo:
		return "mnoGoSearch"
	case datapark:
		return "DataparkSearch"
	}
	return "ASPseek, mnoGoSearch or DataparkSearch"
}

// tell finds out for which program the files are: by directives that only one has, by the forms of those that all have, and by the name
// of the file.
func tell(lines []line, path string) (program, error) {
	votes := map[program]int{}
	for _, l := range lines {
		in := owners(l.keyword)
		switch {
		case in == aspseek, in == mnogo, in == datapark:
			votes[in]++
		case in == both:
			votes[both]++
		case in != 0:
			votes[form(l)]++
		}
	}
	others := votes[both] + votes[mnogo] + votes[datapark]
	name := strings.ToLower(filepath.Base(path))
	switch {
	case len(votes) == 0:
		return 0, errTold("no directive of ASPseek, mnoGoSearch or DataparkSearch is in the file")
	case votes[aspseek] > others, votes[aspseek] == others && strings.Contains(name, "aspseek"):
		return aspseek, nil
	case votes[aspseek] == others && !strings.Contains(name, "indexer"):
		return 0, errTold("the lines are the same for ASPseek and mnoGoSearch; name the file aspseek.conf or indexer.conf")
	case votes[datapark] > votes[mnogo]:
		return datapark, nil
	}
	return mnogo, nil
}

// form tells by the values of a directive that all programs have; 0 when they could be anybody's.
func form(l line) program {
	args := words(l.rest)
	if len(args) == 0 {
		return 0
	}
	switch strings.ToLower(l.keyword) {
	case "allow", "disallow", "checkonly":
		switch first := strings.ToLower(args[0]); {
		case filterWord[first], strings.HasPrefix(first, "*"):
			return both
		case strings.ContainsAny(args[0], `\$^[`):
			return aspseek
		}
	case "server":
		if serverWord[strings.ToLower(args[0])] {
			return both
		}
	case "dbaddr":
		if strings.Contains(strings.ToLower(args[0]), "dbmode=") {
			return both
		}
	case "stopwordfile":
		if len(args) > 1 {
			return aspseek
		}
		return both
	}
	return 0
}
