package merge

import (
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/posting"
)

// siteLabel is a part of a host name between dots, with the bit of its place.
type siteLabel struct {
	text string
	bit  int32 // in the upper byte; 0 beyond the eighth place from the right
}

// labels splits the host name of a site (http://host[:port]/): the last label has bit 31, the one before bit
// 30, down to bit 24. A port, which a site's name has only when it is not the default one, remains with the
// last label. Labels of more than 32 characters are left out.
func labels(site string) []siteLabel {
	_, host, _ := strings.Cut(site, "://")
	host, _, _ = strings.Cut(host, "/")
	parts := strings.Split(strings.ToLower(host), ".")
	var out []siteLabel
	for i, text := range parts {
		if text == "" || utf8.RuneCountInString(text) > posting.MaxWordRunes {
			continue
		}
		bit := uint32(0)
		if place := len(parts) - 1 - i; place < 8 {
			bit = 1 << (31 - place)
		}
		out = append(out, siteLabel{text, int32(bit)})
	}
	return out
}

// siteWords returns the different labels of sites.
func siteWords(sites []index.Site) []string {
	set := map[string]bool{}
	for _, s := range sites {
		for _, l := range labels(s.Name) {
			set[l.text] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// mergeSites adds sites to the rows of their labels in wordsite: one element a site, with the bits of all its
// places, by site_id.
func mergeSites(sites []index.Site, known map[string][]int32) map[string][]int32 {
	const id = 1<<24 - 1
	out := map[string][]int32{}
	for _, s := range sites {
		for _, l := range labels(s.Name) {
			packed, ok := out[l.text]
			if !ok {
				packed = slices.Clone(known[l.text])
			}
			i, found := slices.BinarySearchFunc(packed, int32(s.ID), func(p, site int32) int { return int(p&id) - int(site) })
			if found {
				packed[i] |= l.bit
			} else {
				packed = slices.Insert(packed, i, l.bit|int32(s.ID))
			}
			out[l.text] = packed
		}
	}
	return out
}

// LabelSites adds the labels of new sites to wordsite before the merge does, for index -T.
func LabelSites(ctx context.Context, s *index.Store) error {
	_, err := labelSites(ctx, s)
	return err
}

// labelSites adds the labels of all new sites to wordsite, some thousand sites at a time.
func labelSites(ctx context.Context, s *index.Store) (total int64, err error) {
	for {
		n, err := s.LabelSites(ctx, setSize, siteWords, mergeSites)
		total += int64(n)
		if err != nil || n < setSize {
			return total, err
		}
	}
}
