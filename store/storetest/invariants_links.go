package storetest

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// checkHrefs checks that links ascend without duplicates, lead to registered URLs and not to the page itself.
func checkHrefs(d *database) {
	for i := range d.contents {
		c := &d.contents[i]
		d.checkList("urlwords", c.URL, "hrefs", c.Hrefs)
	}
}

// checkList checks a list of URLs that belongs to a URL.
func (d *database) checkList(table string, owner int32, column string, list []int32) {
	if !ascending(list) {
		d.report("%s: %s: %s %v do not ascend", table, d.name(owner), column, list)
	}
	for _, id := range list {
		if id == owner {
			d.report("%s: %s: %s name itself", table, d.name(owner), column)
		} else if d.url[id] == nil {
			d.report("%s: %s: %s name %d, which is not there", table, d.name(owner), column, id)
		}
	}
}

// link is a page and what it links to.
type link struct{ page, target int32 }

// checkCitation checks that citation is the inverse of the hrefs of pages that are not deleted, except for
// links that wait for the merge: links that a journal row or a mark names, all links of a new page, and those
// of a removed page.
func checkCitation(d *database) {
	cited := map[link]bool{}
	for _, c := range d.citations {
		d.checkList("citation", c.URL, "referrers", c.Referrers)
		if len(c.Referrers) == 0 {
			d.report("citation: %s: no referrers", d.name(c.URL))
		}
		if d.url[c.URL] == nil {
			d.report("citation: %s", d.name(c.URL))
		}
		for _, page := range c.Referrers {
			cited[link{page, c.URL}] = true
		}
	}
	linked := map[link]bool{}
	for i := range d.contents {
		c := &d.contents[i]
		if u := d.url[c.URL]; u != nil && !u.Deleted && !c.Deleted {
			for _, target := range c.Hrefs {
				linked[link{c.URL, target}] = true
			}
		}
	}
	w := d.waitingLinks()
	for i := range d.contents { // in the order of the pages
		c := &d.contents[i]
		for _, target := range c.Hrefs {
			if l := (link{c.URL, target}); linked[l] && !cited[l] && !w.named[l] && !w.comes[l.page] {
				d.report("citation: the row of %s lacks %s, which links to it", d.name(target), d.name(l.page))
			}
		}
	}
	for _, c := range d.citations {
		for _, page := range c.Referrers {
			if l := (link{page, c.URL}); !linked[l] && !w.named[l] && !w.goes[l] {
				d.report("citation: the row of %s has %s, which does not link to it", d.name(c.URL), d.name(page))
			}
		}
	}
}

// waiting holds the changes that the merge will make to citation.
type waiting struct {
	named map[link]bool
	comes map[int32]bool // pages all of whose links are looked at
	goes  map[link]bool  // links of marked pages that are out
}

func (d *database) waitingLinks() waiting {
	w := waiting{map[link]bool{}, map[int32]bool{}, map[link]bool{}}
	words := map[int32]bool{} // documents that have words in the index
	for _, x := range d.docwords {
		words[x.URL] = len(d.wordsOf(x)) > 0
	}
	for i := range d.journal {
		j := &d.journal[i]
		for _, target := range slices.Concat(j.Added, j.Removed) {
			w.named[link{j.URL, target}] = true
		}
		if j.Words == nil || !words[j.URL] {
			w.comes[j.URL] = true
		}
	}
	for i := range d.marks {
		m := &d.marks[i]
		for _, target := range m.Links {
			w.named[link{m.URL, target}] = true
		}
		if c := d.content[m.URL]; c != nil {
			for _, target := range c.Hrefs {
				w.goes[link{m.URL, target}] = true
			}
		}
	}
	return w
}

// checkLabels checks that wordsite has the labels of the host names of all labelled sites, and no others.
func checkLabels(d *database) {
	labelled := map[int32]bool{}
	for _, s := range d.siteStates {
		labelled[s.Site] = s.Labelled
	}
	want := map[string]map[int32]uint32{} // label → site → the bits of its places
	for _, s := range d.sites {
		if !labelled[s.ID] {
			continue
		}
		_, host, _ := strings.Cut(s.Site, "://")
		parts := strings.Split(strings.TrimSuffix(host, "/"), ".")
		for i, label := range parts {
			if label == "" || utf8.RuneCountInString(label) > 32 {
				continue
			}
			if want[label] == nil {
				want[label] = map[int32]uint32{}
			}
			bits := uint32(0)
			if place := len(parts) - 1 - i; place < 8 {
				bits = 1 << (31 - place)
			}
			want[label][s.ID] |= bits
		}
	}
	for _, l := range d.labels {
		last := int32(0)
		for _, packed := range l.Sites {
			site := packed & (1<<24 - 1)
			if site <= last {
				d.report("wordsite: %q: site %d after site %d", l.Word, site, last)
			}
			last = site
			bits, ok := want[l.Word][site]
			if !ok || bits != uint32(packed)&^(1<<24-1) {
				d.report("wordsite: %q: site %d with places %08b, want %08b", l.Word, site, uint32(packed)>>24, bits>>24)
			}
			delete(want[l.Word], site)
		}
		if len(l.Sites) == 0 {
			d.report("wordsite: %q: no sites", l.Word)
		}
	}
	for _, label := range slices.Sorted(maps.Keys(want)) {
		for _, site := range slices.Sorted(maps.Keys(want[label])) {
			d.report("wordsite: %q lacks site %d", label, site)
		}
	}
}
