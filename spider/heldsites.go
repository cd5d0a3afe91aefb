package spider

import (
	"slices"
	"sync"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// heldSites are the sites of the leases of this process whose acknowledgement has not begun. A URL of such a
// site that is registered now need not wake it: the acknowledgement looks for work after it. When the lease
// was lost, there is none; then the sites are woken (worker).
type heldSites struct {
	mu     sync.Mutex
	leases map[*crawl.Lease]bool
	sites  map[store.SiteID]int // by how many leases
}

func newHeldSites() *heldSites {
	return &heldSites{leases: make(map[*crawl.Lease]bool), sites: make(map[store.SiteID]int)}
}

// add notes a lease.
func (h *heldSites) add(l *crawl.Lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.leases[l] = true
	for _, s := range l.Sites {
		h.sites[s]++
	}
}

// remove forgets a lease. Further calls do nothing.
func (h *heldSites) remove(l *crawl.Lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.leases[l] {
		return
	}
	delete(h.leases, l)
	for _, s := range l.Sites {
		if h.sites[s]--; h.sites[s] == 0 {
			delete(h.sites, s)
		}
	}
}

// others returns the sites that are not held, ascending, each once.
func (h *heldSites) others(sites []store.SiteID) []store.SiteID {
	h.mu.Lock()
	defer h.mu.Unlock()
	sites = slices.DeleteFunc(slices.Clone(sites), func(s store.SiteID) bool { return h.sites[s] > 0 })
	slices.Sort(sites)
	return slices.Compact(sites)
}
