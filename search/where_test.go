package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/lookup"
)

// checkFilter compares a filter with passes, for all places of sites 1 to 6 and of the last one: a place that
// passes is returned as it is, and no place that passes is skipped.
func checkFilter(t *testing.T, f filter, passes func(place) bool) {
	t.Helper()
	var all []place
	for _, site := range []int32{1, 2, 3, 4, 5, 6, 1<<24 - 1} {
		for _, url := range []int32{1, 2, 3, 4, 5, 6, 7, 8, 1<<31 - 1} {
			all = append(all, placeOf(site, url))
		}
	}
	for i, p := range all {
		got := f.next(p)
		if passes(p) {
			if got != p {
				t.Fatalf("%x passes, next is %x", uint64(p), uint64(got))
			}
			continue
		}
		if got <= p {
			t.Fatalf("%x does not pass, next is %x", uint64(p), uint64(got))
		}
		for _, q := range all[i:] {
			if q < got && passes(q) {
				t.Fatalf("from %x to %x: jumps over %x", uint64(p), uint64(got), uint64(q))
			}
		}
	}
}

// TestFiltersPassWhatTheyName verifies the filters of sites, excluded sites, documents of subsets and dates,
// each with none, the last ones and all.
func TestFiltersPassWhatTheyName(t *testing.T) {
	sites := []int32{1, 2, 3, 4, 5, 6, 1<<24 - 1}
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 8))
		var ids []int32
		for range r.IntN(6) {
			ids = append(ids, sites[r.IntN(len(sites))])
		}
		if r.IntN(10) == 0 {
			ids = slices.Clone(sites)
		}
		not := r.IntN(2) == 0
		t.Run(fmt.Sprintf("sites %v not %v", ids, not), func(t *testing.T) {
			checkFilter(t, newSiteSet(slices.Clone(ids), not), func(p place) bool { return slices.Contains(ids, p.site()) != not })
		})

		set := &documentSet{}
		named := map[place]bool{}
		whole := map[int32]bool{}
		for _, site := range sites { // in the order of the database: by site, several subsets mixed, nil for a whole site
			for range r.IntN(4) - 1 {
				if r.IntN(6) == 0 {
					whole[site] = true
					set.add(site, nil)
					continue
				}
				var urls []store.URLID
				for url := int32(1); url < 9; url++ {
					if r.IntN(3) == 0 {
						urls = append(urls, store.URLID(url))
						named[placeOf(site, url)] = true
					}
				}
				if len(urls) > 0 {
					set.add(site, urls)
				}
			}
		}
		set.sort()
		t.Run(fmt.Sprintf("subset %v %v", set.sites, set.urls), func(t *testing.T) {
			checkFilter(t, set, func(p place) bool { return whole[p.site()] || named[p] })
		})
	}
	dates := &dateFilter{from: 3, to: 5, of: func(url int32) int64 { return int64(url % 7) }} // 7 has none
	checkFilter(t, dates, func(p place) bool { return p.url()%7 >= 3 && p.url()%7 <= 5 })
	open := &dateFilter{from: 0, to: 1<<63 - 1, of: func(url int32) int64 { return int64(url % 2) }}
	checkFilter(t, open, func(p place) bool { return p.url()%2 == 1 })
}

// TestMatchSites: the labels of a pattern match whole labels at consecutive places anywhere in the name, by
// the values of wordsite. The last eight labels of a name count.
func TestMatchSites(t *testing.T) {
	labels := []string{"a", "b", "www", "org", "org:8080"}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 4))
		hosts := map[int32][]string{}
		bits := map[string]map[uint32]uint32{}
		for _, id := range []int32{1, 2, 3, 77, 1<<24 - 1} {
			for range 1 + r.IntN(8) {
				hosts[id] = append(hosts[id], labels[r.IntN(len(labels))])
			}
			for i, label := range hosts[id] {
				if bits[label] == nil {
					bits[label] = map[uint32]uint32{}
				}
				bits[label][uint32(id)] |= 1 << (32 - len(hosts[id]) + i)
			}
		}
		wordsite := map[string][]uint32{}
		for label, of := range bits {
			for id, places := range of {
				wordsite[label] = append(wordsite[label], places|id)
			}
		}
		for range 20 {
			var pattern []string
			for range 1 + r.IntN(4) {
				pattern = append(pattern, append(labels, "nowhere")[r.IntN(len(labels)+1)])
			}
			var want []int32
			for id, host := range hosts {
				if strings.Contains("."+strings.Join(host, ".")+".", "."+strings.Join(pattern, ".")+".") {
					want = append(want, id)
				}
			}
			slices.Sort(want)
			if diff := cmp.Diff(want, matchSites(query.Site(strings.Join(pattern, ".")), wordsite)); diff != "" {
				t.Fatalf("seed %d, %v of %v (-want +got):\n%s", seed, pattern, hosts, diff)
			}
		}
	}
}

// TestDocumentFilter: a language, a type, and their exclusions, of merged documents and of those of the real-time index.
func TestDocumentFilter(t *testing.T) {
	v := &docValues{kinds: newKinds(0)}
	of := func(language, docType string) kind { return newKind(lookup.Kind{Language: language, Type: docType}, 1) }
	for url, k := range map[int32]kind{1: of("de", "html"), 2: of("de-AT", "text"), 3: of("", "pdf"), 5: of("FR", "html")} {
		v.kinds.set(store.URLID(url), k)
	}
	p := &plan{kinds: map[int32]kind{4: of("fr", "html"), 5: of("it", "text")}}
	p.numberKinds(v)
	for text, want := range map[string][]int32{
		"lang:de": {1, 2}, "-lang:de": {3, 4, 5, 7}, "(lang:fr OR lang:it)": {4, 5}, "lang:fr": {4}, "-lang:fr": {1, 2, 3, 5, 7},
		"filetype:htm": {1, 4}, "filetype:txt": {2, 5}, "filetype:pdf": {3}, "-filetype:pdf": {1, 2, 4, 5, 7},
		"lang:ja": nil, "filetype:ja": nil,
	} {
		q, err := query.Parse("x "+text, query.Options{})
		if err != nil {
			t.Fatal(err)
		}
		p.notes = nil
		f := p.documentFilter(q.Root.(query.And).Filters[0])
		var got []int32
		for _, url := range []int32{1, 2, 3, 4, 5, 7} {
			if at := placeOf(9, url); f.next(at) == at {
				got = append(got, url)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
		if strange := len(want) == 0; strange != (len(p.notes) == 1) {
			t.Errorf("%s: notes %v", text, p.notes)
		}
	}
}

// TestManyKinds: more kinds than a byte can tell apart, and than two bytes can.
func TestManyKinds(t *testing.T) {
	const documents = 70000
	k := newKinds(0)
	for i := range int32(documents) {
		k.set(store.URLID(i), kind{tag: i%66000 + 1, weight: 1})
		if i == 200 && k.large != nil {
			t.Error("two bytes for 201 kinds")
		}
	}
	for i := range int32(documents) {
		want := i%66000 + 1
		if want >= 65536 {
			want = 0
		}
		if got := k.all[k.of(i)].tag; got != want {
			t.Fatalf("document %d has tag %d, want %d", i, got, want)
		}
	}
	if k.of(documents) != 0 {
		t.Error("an unknown document has a kind")
	}
}
