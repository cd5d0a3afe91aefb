package merge

import (
	"fmt"
	"slices"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// checkLinks verifies that links ascend without duplicates, lead to registered URLs and not to the page
// itself, and that citation is their inverse. Unmerged changes are excluded: links that a journal row or a
// mark names, all links of a page that comes into the index, and those of a page that leaves it.
//
// The check processes a range of targets at a time. Each link adds a hash to the sum of its target, and each
// citation subtracts it; where the sum is not 0 the links are compared one by one.
func (c *checker) checkLinks() error {
	const targetBytes = 9
	width := max(c.o.Memory/4/targetBytes, 1)
	for from := int64(1); from == 1 || from <= int64(c.MaxURL); {
		l := linkPass{checker: c, from: from, to: min(from+width, int64(c.MaxURL)+1), limit: int(max(c.o.Memory/4/8, 1000))}
		if err := l.readWaiting(); err != nil {
			return err
		}
		if err := l.compare(from == 1); err != nil {
			return err
		}
		from = max(l.to, from+1)
	}
	return nil
}

// linkPass checks the links to a range of URLs.
type linkPass struct {
	*checker
	from, to int64
	limit    int       // of waiting
	waiting  []uint64  // links that the next merge looks at: target << 32 | page, ascending
	sums     []uint64  // by target
	exists   []bool    // by target: a row of urlword
	suspects []linkEnd // targets whose sum is not 0
}

type linkEnd = store.URLID

func pair(page, target store.URLID) uint64 { return uint64(target)<<32 | uint64(uint32(page)) }

// wait adds an unmerged link. When there are too many, the upper half of the targets is left to the next
// pass.
func (l *linkPass) wait(page, target store.URLID) {
	if int64(target) < l.from || int64(target) >= l.to {
		return
	}
	l.waiting = append(l.waiting, pair(page, target))
	if len(l.waiting) < l.limit {
		return
	}
	slices.Sort(l.waiting)
	l.waiting = slices.Compact(l.waiting)
	for len(l.waiting) > l.limit/2 && l.to-l.from > 1 {
		l.to -= (l.to - l.from) / 2
		end, _ := slices.BinarySearch(l.waiting, uint64(l.to)<<32)
		l.waiting = l.waiting[:end]
	}
	if len(l.waiting) > l.limit/2 {
		l.limit *= 2 // one target with that many
	}
}

// readWaiting collects the unmerged links.
func (l *linkPass) readWaiting() error {
	err := l.NamedLinks(l.ctx, func(page store.URLID, targets []store.URLID) {
		for _, t := range targets {
			l.wait(page, t)
		}
	})
	if err != nil {
		return err
	}
	err = l.Hrefs(l.ctx, func(p *index.PageLinks) error {
		if p.Live && p.Comes || p.Goes {
			for _, t := range p.Links {
				l.wait(p.URL, t)
			}
		}
		return nil
	})
	slices.Sort(l.waiting)
	l.waiting = slices.Compact(l.waiting)
	return err
}

// waits reports whether a link is unmerged.
func (l *linkPass) waits(page, target store.URLID) bool {
	if len(l.waiting) == 0 {
		return false
	}
	_, found := slices.BinarySearch(l.waiting, pair(page, target))
	return found
}

// at returns the index of a target in this pass, -1 when it is not in the range.
func (l *linkPass) at(target store.URLID) int {
	if at := int64(target) - l.from; at >= 0 && at < int64(len(l.sums)) {
		return int(at)
	}
	return -1
}

// compare compares links and citations by their sums. Errors of a list itself are reported by the first pass.
func (l *linkPass) compare(first bool) error {
	l.sums, l.exists = make([]uint64, l.to-l.from), make([]bool, l.to-l.from)
	err := l.URLs(l.ctx, l.from, l.to, func(url store.URLID, _ store.SiteID, _ bool) { l.exists[l.at(url)] = true })
	if err != nil {
		return err
	}
	err = l.Hrefs(l.ctx, func(p *index.PageLinks) error {
		if first {
			l.sum.Links += int64(len(p.Links))
		}
		if err := l.checkList("urlwords", "hrefs", p.URL, p.Links, first); err != nil || !p.Live {
			return err
		}
		for _, t := range p.Links {
			if at := l.at(t); at >= 0 && !l.waits(p.URL, t) {
				l.sums[at] += mix(pair(p.URL, t))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = l.Citations(l.ctx, 0, 1<<31, func(row index.Citation) error {
		if err := l.checkList("citation", "referrers", row.URL, row.Referrers, first); err != nil {
			return err
		}
		at := l.at(row.URL)
		switch {
		case at < 0 && first && (row.URL > l.MaxURL || row.URL < 1), at >= 0 && !l.exists[at]:
			return l.citeWith("index -X2 mends it", "url %d (no row in urlword)", row.URL) // hrefs may name it, too: -H would bring it back
		case at < 0:
			return nil
		case len(row.Referrers) == 0:
			return l.cite("url %d: no referrers", row.URL)
		}
		for _, page := range row.Referrers {
			if !l.waits(page, row.URL) {
				l.sums[at] -= mix(pair(page, row.URL))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for at, sum := range l.sums {
		if sum != 0 {
			l.suspects = append(l.suspects, store.URLID(l.from+int64(at)))
		}
	}
	return l.nameSuspects()
}

// cite reports damage of citation.
func (l *linkPass) cite(format string, args ...any) error {
	return l.citeWith("index -X2 or index -H mends it", format, args...)
}

// citeWith is cite with another remedy.
func (l *linkPass) citeWith(do, format string, args ...any) error {
	l.mend.citation()
	return l.found(index.Finding{Table: "citation", Text: fmt.Sprintf(format, args...), Do: do, Mends: true})
}

// checkList verifies a list of URLs that belongs to an owner.
func (l *linkPass) checkList(table, column string, owner store.URLID, list []store.URLID, first bool) error {
	bad := func(format string, args ...any) error {
		if table == "citation" {
			return l.cite(format, args...)
		}
		l.mend.links(owner)
		return l.found(index.Finding{Table: table, Text: fmt.Sprintf(format, args...), Do: "index -X2, then index, reads the page's links again", Mends: true})
	}
	for i, id := range list {
		at := l.at(id)
		var err error
		switch {
		case first && i > 0 && list[i-1] >= id:
			return bad("url %d: %s %v do not ascend", owner, column, shorten(list))
		case first && id == owner:
			err = bad("url %d: %s name itself", owner, column)
		case at >= 0 && !l.exists[at], at < 0 && first && (id > l.MaxURL || id < 1):
			err = bad("url %d: %s name %d, which is not there", owner, column, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// shorten cuts a list to a length that fits into a line.
func shorten(list []store.URLID) []store.URLID { return list[:min(len(list), 20)] }

// nameSuspects reports the links that citation lacks and those that it should not have.
func (l *linkPass) nameSuspects() error {
	for len(l.suspects) > 0 {
		set := l.suspects[:min(len(l.suspects), diffSet)]
		l.suspects = l.suspects[len(set):]
		var linked, cited []uint64
		err := l.Hrefs(l.ctx, func(p *index.PageLinks) error {
			for _, t := range p.Links {
				if _, ok := slices.BinarySearch(set, t); ok && p.Live && !l.waits(p.URL, t) {
					linked = append(linked, pair(p.URL, t))
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		err = l.Citations(l.ctx, int64(set[0]), int64(set[len(set)-1])+1, func(row index.Citation) error {
			for _, page := range row.Referrers {
				if _, ok := slices.BinarySearch(set, row.URL); ok && !l.waits(page, row.URL) {
					cited = append(cited, pair(page, row.URL))
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		slices.Sort(linked)
		slices.Sort(cited)
		if err := l.reportLinks(slices.Compact(linked), slices.Compact(cited)); err != nil {
			return err
		}
	}
	return nil
}

func (l *linkPass) reportLinks(linked, cited []uint64) error {
	ends := func(p uint64) (target, page string) {
		return l.name(store.URLID(p >> 32)), l.name(store.URLID(p & 0xffffffff))
	}
	for len(linked) > 0 || len(cited) > 0 {
		var err error
		switch {
		case len(cited) == 0 || len(linked) > 0 && linked[0] < cited[0]:
			target, page := ends(linked[0])
			err = l.cite("the row of %s lacks %s, which links to it", target, page)
			linked = linked[1:]
		case len(linked) == 0 || cited[0] < linked[0]:
			target, page := ends(cited[0])
			err = l.cite("the row of %s has %s, which does not link to it", target, page)
			cited = cited[1:]
		default:
			linked, cited = linked[1:], cited[1:]
		}
		if err != nil {
			return err
		}
	}
	return nil
}
