package spider

import (
	"context"
	"strings"

	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
)

// The link filter (docs/reference/behavior.md, Link filter). Its answer depends on sets.cnf and on the robots.txt of the page's
// own host, which the hash of the rules holds (read.go, linksHash), and on how deep a URL is registered. It does not depend
// on what this process happens to know: not on another host's robots.txt, and not on which URLs are in the caches.

// admit applies the filter after the scheme. It returns the Server that rules a URL which passes, nil for one that does not.
// deep says that the page is too deep to register the URL, or that SkipExtensions leaves the URL out. Such a URL passes if it is
// registered already, within MaxHops.
func (v *visit) admit(u weburl.URL) (server *Server, deep bool) {
	if u.IsFile() && !v.page.IsFile() { // the Web leads to no file
		return nil, false
	}
	server = v.c.o.Scope.Server(u)
	if server == nil {
		return nil, false
	}
	if verdict, _ := v.c.o.Scope.Filter(u); verdict == Disallow {
		return nil, false
	}
	if v.forbids(u) {
		return nil, false
	}
	return server, v.due.Hops+1 > server.MaxHops || v.c.o.Scope.Skips(u)
}

// passed returns the id of a URL that this process has registered, because it passed the filter then and passes it now: every
// MaxHops reaches further than this page. In index -T it returns none: URLs of the command line are registered without a
// test, so every link is tested.
func (v *visit) passed(u weburl.URL, h store.Hash) (store.URLID, bool) {
	if v.c.realtime != nil || v.due.Hops >= v.c.o.Scope.depth {
		return 0, false
	}
	id, ok := v.c.store.KnownURL(h)
	return id, ok && !v.forbids(u)
}

// forbids reports whether the robots.txt of the page's own host forbids a URL of that host. A URL of another host is tested
// before its own fetch, and by the sweep of its host.
func (v *visit) forbids(u weburl.URL) bool {
	if v.policy == nil || v.policy.held || u.HostInfo != v.page.HostInfo { // held: links stay while their targets do
		return false
	}
	allowed, _ := v.policy.rules.Allowed(u.Path)
	return !allowed
}

// reorders reports whether a link of this page leads to the page's own list in another order, as Apache's lists of a folder have
// them (?C=M;O=A; some servers write ?C=M&O=A): the same names once more.
func (v *visit) reorders(u weburl.URL) bool {
	list, order, ok := strings.Cut(u.Text, "?")
	own, _, _ := strings.Cut(v.page.Text, "?")
	return ok && list == own && len(order) == len("C=M;O=A") && strings.HasPrefix(order, "C=") && strings.IndexByte("NMSD", order[2]) >= 0 &&
		(order[3] == ';' || order[3] == '&') && order[4:6] == "O=" && (order[6] == 'A' || order[6] == 'D')
}

// repeats reports whether a page of an infinite space would register anything: its body is that of so many live documents
// that T-14 will discard it. The document transaction counts again and has the last word. A body that the URL had before is no
// repetition (T-16, T-17), and links that are known already lead no further.
func (v *visit) repeats(ctx context.Context, o *outcome, found *foundLinks) (bool, error) {
	if !v.mayRepeat(o, found) {
		return false, nil
	}
	n, err := v.c.store.Equals(ctx, o.crc, v.due.ID, v.c.o.InfiniteDuplicates)
	return n >= v.c.o.InfiniteDuplicates, err
}

// mayRepeat reports whether the documents with the same body must be counted before the links of a page are registered.
func (v *visit) mayRepeat(o *outcome, found *foundLinks) bool {
	c, due := v.c, v.due
	if v.whole || c.o.InfiniteDuplicates == 0 || o.crc == "" || len(found.others) == 0 && !c.o.Respider {
		return false
	}
	base := due.Status.Base()
	return o.crc != due.CRC || base != 200 && base != statusNotIndexed
}

// leaveOutRepeats takes the links from those findings whose body so many live documents have that T-14 will discard them. A recorder
// counts them when all earlier documents are recorded.
func (c *crawler) leaveOutRepeats(ctx context.Context, list []*finding) error {
	var ids []store.URLID
	var crcs []string
	for _, f := range list {
		if o := f.o; o.found != nil && !o.excluded && f.v.mayRepeat(o, o.found) {
			ids, crcs = append(ids, o.due.ID), append(crcs, o.crc)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	equals, err := c.store.EqualsOfEach(ctx, ids, crcs, c.o.InfiniteDuplicates)
	if err != nil {
		return err
	}
	for _, f := range list {
		if equals[f.o.due.ID] >= c.o.InfiniteDuplicates {
			f.o.repeated, f.o.read, f.o.found = true, false, nil
		}
	}
	return nil
}
