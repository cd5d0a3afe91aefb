package merge

import (
	"maps"
	"slices"

	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
)

// checkLabels verifies that wordsite has the labels of the host names of all labeled sites, and no others.
// Labels are processed in groups that fit into the memory.
func (c *checker) checkLabels() error {
	const labelBytes = 100 // of a label of a site, in a map
	var labelled int64
	if err := c.LabelledSites(c.ctx, func(s index.Site) { labelled += int64(len(labels(s.Name))) }); err != nil {
		return err
	}
	groups := uint64(labelled*labelBytes/c.o.Memory + 1)
	for group := range groups {
		want := map[string]map[int32]uint32{} // label → site → bits of its places
		err := c.LabelledSites(c.ctx, func(s index.Site) {
			for _, l := range labels(s.Name) {
				if posting.TextHash(l.text)%groups != group {
					continue
				}
				if want[l.text] == nil {
					want[l.text] = map[int32]uint32{}
				}
				want[l.text][int32(s.ID)] |= uint32(l.bit)
			}
		})
		if err != nil {
			return err
		}
		err = c.Labels(c.ctx, func(word string, sites []int32) error {
			if posting.TextHash(word)%groups != group {
				return nil
			}
			return c.checkLabel(word, sites, want[word])
		})
		if err != nil {
			return err
		}
		for _, word := range slices.Sorted(maps.Keys(want)) {
			for _, site := range slices.Sorted(maps.Keys(want[word])) {
				if err := c.label("%q lacks site %d", word, site); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkLabel verifies a row of wordsite and removes its sites from want.
func (c *checker) checkLabel(word string, sites []int32, want map[int32]uint32) error {
	const id = 1<<24 - 1
	if len(sites) == 0 {
		return c.label("%q: no sites", word)
	}
	last := int32(0)
	for _, packed := range sites {
		site := packed & id
		bits, ok := want[site]
		var err error
		switch {
		case site <= last:
			err = c.label("%q: site %d after site %d", word, site, last)
		case !ok || bits != uint32(packed)&^id:
			err = c.label("%q: site %d with places %08b, want %08b", word, site, uint32(packed)>>24, bits>>24)
		}
		if err != nil {
			return err
		}
		last = site
		delete(want, site)
	}
	return nil
}

// label reports damage of wordsite.
func (c *checker) label(format string, args ...any) error {
	c.mend.labels()
	return c.damage("wordsite", format, args...)
}
