package merge

import "github.com/pgseek/pgseek/store"

// mendPlan collects the mendable findings of a check, apart from its damaged words. All methods do nothing on
// nil.
type mendPlan struct {
	documents map[store.URLID]remedy
	versions  []badVersion         // rows of journal whose words cannot be read
	linking   map[store.URLID]bool // pages whose links cannot be right
	targets   bool                 // redirects lead to nothing
	cite      bool
	label     bool
	realtime  bool // the real-time index is filled again
}

// remedy is a set of changes that mend a document.
type remedy uint8

const (
	remedyDocWords  remedy = 1 << iota // docwords is written from the index
	remedyRejournal                    // its stored content is journaled again
	remedyMark                         // it is marked
	remedyRecount                      // its content row gets the counts of its content
)

type badVersion struct {
	url store.URLID
	seq int64
}

func (m *mendPlan) add(url store.URLID, r remedy) {
	if m != nil {
		m.documents[url] |= r
	}
}

func (m *mendPlan) docWords(urls ...store.URLID) {
	for _, u := range urls {
		m.add(u, remedyDocWords|remedyRejournal)
	}
}

func (m *mendPlan) rejournal(url store.URLID) { m.add(url, remedyRejournal) }
func (m *mendPlan) mark(url store.URLID)      { m.add(url, remedyMark) }
func (m *mendPlan) recount(url store.URLID)   { m.add(url, remedyRecount) }

func (m *mendPlan) version(url store.URLID, seq int64) {
	if m != nil {
		m.versions = append(m.versions, badVersion{url, seq})
		m.add(url, remedyRejournal)
	}
}

// links notes a page whose links cannot be right. They change, and citation with them.
func (m *mendPlan) links(page store.URLID) {
	if m != nil {
		m.linking[page] = true
		m.cite = true
	}
}

func (m *mendPlan) citation() {
	if m != nil {
		m.cite = true
	}
}

func (m *mendPlan) labels() {
	if m != nil {
		m.label = true
	}
}
