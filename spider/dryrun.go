package spider

import (
	"cmp"
	"context"
	"slices"

	"github.com/pgseek/pgseek/store"
)

// Swept is what a sweep under the configuration of now would do.
type Swept struct {
	Looked       int64 // URLs tested
	Hidden, Back []SweptLine
}

// SweptLine is what one line of sets.cnf would do. Documents are those that a search finds (once they are back).
type SweptLine struct {
	Where           string // file:line that decides, empty when none does
	Why             string // in words, empty for what would come back
	URLs, Documents int64
	Examples        []string // some of the URLs, documents first
}

// sweptExamples is how many URLs a SweptLine shows.
const sweptExamples = 10

// DryRun tests all known URLs as a sweep does, and changes nothing (index --dry-run-rules). Of the options it looks at what
// decides about URLs and robots.txt.
func DryRun(ctx context.Context, s *store.Store, o Options) (swept Swept, err error) {
	type line struct {
		status     int
		where, why string
	}
	lines := make(map[line]*SweptLine)
	err = (&sweeper{atRest(s, o), make(map[string]*policy)}).walk(ctx, func(n int, page []decision) (bool, error) {
		swept.Looked += int64(n)
		for _, d := range page {
			key := line{d.status, d.where, d.cause}
			l := lines[key]
			if l == nil {
				l = &SweptLine{Where: d.where, Why: d.cause}
				lines[key] = l
			}
			l.add(d.url)
		}
		return true, nil
	})
	for key, l := range lines {
		if key.status == statusAllowedAgain {
			swept.Back = append(swept.Back, *l)
		} else {
			swept.Hidden = append(swept.Hidden, *l)
		}
	}
	for _, list := range [][]SweptLine{swept.Hidden, swept.Back} {
		slices.SortFunc(list, func(a, b SweptLine) int {
			return cmp.Or(cmp.Compare(b.Documents, a.Documents), cmp.Compare(b.URLs, a.URLs), cmp.Compare(a.Where, b.Where), cmp.Compare(a.Why, b.Why))
		})
	}
	return swept, err
}

// add counts a URL. Documents go before other URLs among the examples.
func (l *SweptLine) add(k store.Known) {
	l.URLs++
	if k.Status.Base() != 200 {
		if len(l.Examples) < sweptExamples {
			l.Examples = append(l.Examples, k.URL)
		}
		return
	}
	if l.Documents < sweptExamples {
		l.Examples = slices.Insert(l.Examples, int(l.Documents), k.URL)
		l.Examples = l.Examples[:min(len(l.Examples), sweptExamples)]
	}
	l.Documents++
}
