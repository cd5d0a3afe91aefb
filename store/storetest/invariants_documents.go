package storetest

import (
	"math"
	"slices"

	"github.com/pgseek/pgseek/store/posting"
)

// maxContent is the largest content that a row may unpack to, in bytes (IndexLimit's maximum).
const maxContent = 10485760

// checkContent checks that content rows exist where docs/reference/behavior.md, Recording a document, allows
// them and nowhere else: a 200 that is no clone has its content, a 301 or 302 only its link, a 406 its
// content when it has links. Of what left the index by T-06 or T-12 the content stays while urlstate.kept_since
// says so. One that T-13 removed, and a purged orphan, have no row.
func checkContent(d *database) {
	for i := range d.urls {
		u := &d.urls[i]
		if d.content[u.ID] == nil && d.mustHaveRow(u) {
			d.report("urlwords: %s, status %d, has no row", d.name(u.ID), u.base())
		}
	}
	for i := range d.contents {
		c := &d.contents[i]
		u := d.url[c.URL]
		if u == nil {
			d.report("urlwords: a row of %s", d.name(c.URL))
			continue
		}
		bad := func(format string, args ...any) { d.report("urlwords: "+d.name(c.URL)+": "+format, args...) }
		if c.Deleted != u.Deleted {
			bad("deleted is %v, in urlword %v", c.Deleted, u.Deleted)
		}
		if c.WordCount < 0 || c.TotalCount < c.WordCount || (c.WordCount == 0) != (c.TotalCount == 0) || c.Size < 0 {
			bad("wordcount %d, totalcount %d, docsize %d", c.WordCount, c.TotalCount, c.Size)
		}
		if c.Words != nil {
			if _, err := posting.UnpackContent(c.Words, maxContent); err != nil {
				bad("words: %v", err)
			}
		}
		base := u.base()
		switch {
		case u.Origin != 0:
			bad("a clone with a row of its own")
		case d.withdrawnBy(u) == "SR-09":
			bad("a purged orphan with a row")
		case d.withdrawnBy(u) == "T-21":
			bad("removed by the operator, with a row")
		case d.withdrawnBy(u) == "T-13":
			bad("gone for good, with a row")
		case base == 200 && u.Deleted && !d.kept(u):
			bad("content that is not kept")
		case base == 200:
			if c.Words == nil {
				bad("a document without its content")
			}
		case base == 301 || base == 302:
			d.checkLinkRow(c)
			want := []int32{}
			if u.Redir != 0 && u.Redir != u.ID {
				want = []int32{u.Redir}
			}
			if !slices.Equal(c.Hrefs, want) {
				bad("hrefs %v, redir %d", c.Hrefs, u.Redir)
			}
		case base == 906:
			if texts := c.Title + c.Text + c.Keywords + c.Description + c.Lang + c.Charset; c.Words != nil || c.WordCount != 0 || texts != "" ||
				!slices.Contains(c.Hrefs, u.Redir) {
				bad("united with %d, with content: %v, wordcount %d, links %v, texts %q", u.Redir, c.Words != nil, c.WordCount, c.Hrefs, texts)
			}
		case base == 406:
			removed := c.Words == nil && c.Title+c.Keywords+c.Description == "" // its links stay
			if c.Words == nil && (!removed || d.kept(u)) || len(c.Hrefs) == 0 && !d.kept(u) || c.WordCount != 0 || c.Text != "" {
				bad("the row of a 406 with content: %v, links %v, wordcount %d, txt %q", c.Words != nil, c.Hrefs, c.WordCount, c.Text)
			}
		default:
			bad("a row with status %d", base)
		}
	}
}

// mustHaveRow reports whether a URL has a content row in every case.
func (d *database) mustHaveRow(u *urlRow) bool {
	if by := d.withdrawnBy(u); by == "SR-09" || by == "T-13" || by == "T-21" {
		return false
	}
	if u.base() == 200 && u.Deleted || u.base() == 406 {
		return u.Origin == 0 && d.kept(u)
	}
	return u.base() == 200 && u.Origin == 0 || u.base() == 301 || u.base() == 302 || u.base() == 906
}

// kept reports whether a document left the index and its content is kept.
func (d *database) kept(u *urlRow) bool { return d.state[u.ID] != nil && d.state[u.ID].Kept }

func (d *database) withdrawnBy(u *urlRow) string {
	if s := d.state[u.ID]; s != nil {
		return s.WithdrawnBy
	}
	return ""
}

// checkLinkRow checks that a link-only row has only its link.
func (d *database) checkLinkRow(c *contentRow) {
	texts := c.Title + c.Text + c.Keywords + c.Description + c.Lang + c.Charset
	if c.Words != nil || c.WordCount != 0 || texts != "" || len(c.Hrefs) > 1 {
		d.report("urlwords: %s: a redirect with content: %v, wordcount %d, links %v, texts %q", d.name(c.URL), c.Words != nil, c.WordCount, c.Hrefs, texts)
	}
}

// checkClones checks that of the live documents with one content the one with the lowest url_id is the
// original, and that all others name it, lost or not. Other documents are no clones, except those that a rule
// withdrew: they keep their former origin, which may have changed since, but is neither a clone nor the
// document itself.
func checkClones(d *database) {
	original := map[string]*urlRow{} // crc → the live document with the lowest id
	for i := range d.urls {
		if u := &d.urls[i]; u.live() && u.CRC != "" && original[u.CRC] == nil {
			original[u.CRC] = u
		}
	}
	for i := range d.urls {
		u := &d.urls[i]
		if first := original[u.CRC]; u.live() && first != nil {
			want := first.ID
			if u == first {
				want = 0
			}
			if u.Origin != want {
				d.report("urlword: %s: origin %d, but the first live document with its content is %d", d.name(u.ID), u.Origin, first.ID)
			}
		}
		if u.Origin == 0 {
			continue
		}
		o := d.url[u.Origin]
		switch {
		case !u.Deleted && u.base() != 200:
			d.report("urlword: %s: status %d with origin %d", d.name(u.ID), u.base(), u.Origin)
		case o == nil:
			d.report("urlword: %s: its original %d is not there", d.name(u.ID), u.Origin)
		case o.Origin != 0:
			d.report("urlword: %s: its original %d is a clone (of %d)", d.name(u.ID), u.Origin, o.Origin)
		case u.live() && (!o.live() || o.CRC != u.CRC || o.ID >= u.ID):
			d.report("urlword: %s: its original %d is not a live document with the same content", d.name(u.ID), u.Origin)
		}
	}
}

// checkRedirects checks that only 301 and 302 have a redir, that it names an existing row, and that the view
// shows endless chains as loops (B29).
func checkRedirects(d *database) {
	looped := map[int32]bool{}
	for _, id := range d.looped {
		looped[id] = true
	}
	for i := range d.urls {
		u := &d.urls[i]
		if u.Redir == 0 {
			continue
		}
		if u.base() != 301 && u.base() != 302 && u.base() != 906 {
			d.report("urlword: %s: status %d with redir %d", d.name(u.ID), u.base(), u.Redir)
		}
		if d.url[u.Redir] == nil {
			d.report("urlword: %s: its target %d is not there", d.name(u.ID), u.Redir)
		}
		if !u.Deleted && d.redirectsForEver(u) && !looped[u.ID] {
			d.report("redirect_chains: %s redirects in a loop, but is not marked", d.name(u.ID))
		}
	}
}

func (d *database) redirectsForEver(u *urlRow) bool {
	seen := map[int32]bool{}
	for u != nil && u.Redir != 0 {
		if seen[u.ID] {
			return true
		}
		seen[u.ID] = true
		u = d.url[u.Redir]
	}
	return false
}

// checkDates checks that every merged document has its dates and its length, and the language, type and tag of its
// content.
func checkDates(d *database) {
	dated := map[int32]bool{}
	for _, x := range d.dates {
		dated[x.URL] = true
		if d.url[x.URL] == nil {
			d.report("docdates: %s", d.name(x.URL))
		}
		if x.From == "fetch" && x.Modified.Before(x.Created) {
			d.report("docdates: %s: modified by a fetch before it was created", d.name(x.URL))
		}
	}
	for _, x := range d.dates {
		positions := 0
		for _, w := range d.merged[x.URL] {
			positions += int(w.Count)
		}
		if want := min(int16(math.Round(16*math.Log(1+float64(positions)))), 255); positions > 0 && x.Length != want {
			d.report("docdates: %s: length %d, but its %d positions have %d", d.name(x.URL), x.Length, positions, want)
		}
	}
	waits, unmerged := map[int32]bool{}, map[int32]bool{}
	for i := range d.journal {
		unmerged[d.journal[i].URL] = true
		if d.journal[i].Words != nil {
			waits[d.journal[i].URL] = true
		}
	}
	for i := range d.urls {
		if u := &d.urls[i]; u.live() && u.Origin == 0 && !waits[u.ID] && !dated[u.ID] {
			d.report("docdates: %s has no dates", d.name(u.ID))
		}
	}
	for _, x := range d.dates {
		if u := d.url[x.URL]; u != nil && u.live() && !unmerged[u.ID] && !x.Ruled {
			d.report("docdates: %s: its date is not that of urlstate.dated", d.name(x.URL))
		}
	}
	for _, x := range d.dates {
		if u := d.url[x.URL]; u != nil && u.live() && u.Origin == 0 && !waits[u.ID] && len(d.merged[u.ID]) > 0 && !x.Kind {
			d.report("docdates: %s: its language, type and tag are not those of its content", d.name(x.URL))
		}
	}
}
