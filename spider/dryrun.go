package spider

import (
	"cmp"
	"context"
	"slices"

	"github.com/pgseek/pgseek/store/crawl"
)

// Swept is the result of a dry run: the changes that a sweep under the present configuration would make.
type Swept struct {
	Looked       int64 // URLs tested
	Hidden, Back []SweptLine
}

// SweptLine counts the URLs that one line of sets.cnf would change. Documents are those that a search finds
// (after they came back).
type SweptLine struct {
	Where           string // file:line that decides, empty when none does
	Why             string // in words, empty for what would come back
	URLs, Documents int64
	Examples        []string // some of the URLs, documents first

	documents, others []string // the last ones that were looked at
}

// sweptExamples is how many URLs a SweptLine shows.
const sweptExamples = 10

// DryRun tests all registered URLs as a sweep does, and changes nothing (index --dry-run-rules). Of the
// options it uses those that decide about URLs and robots.txt.
func DryRun(ctx context.Context, s *crawl.Store, o Options) (swept Swept, err error) {
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
		l.end()
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

// add counts a URL. The walk goes down the ids, and the examples are those with the lowest ones.
func (l *SweptLine) add(k crawl.RegisteredURL) {
	l.URLs++
	list := &l.others
	if k.Status.Base() == 200 {
		l.Documents++
		list = &l.documents
	}
	*list = append(*list, k.URL)
	if len(*list) > sweptExamples {
		*list = slices.Delete(*list, 0, 1)
	}
}

// end makes the examples: documents go before other URLs.
func (l *SweptLine) end() {
	slices.Reverse(l.documents)
	slices.Reverse(l.others)
	l.Examples = slices.Concat(l.documents, l.others)
	l.Examples = l.Examples[:min(len(l.Examples), sweptExamples)]
}
