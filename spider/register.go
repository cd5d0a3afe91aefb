package spider

import (
	"context"

	"github.com/pgseek/pgseek/spider/endless"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store/crawl"
)

// admitNew decides which URLs that no row has yet are registered: those of urls[places...] whose pattern is not
// paused and does not repeat itself, and for which MaxURLsPerServer leaves room. Links to URLs that are known are not asked about.
func (c *crawler) admitNew(ctx context.Context, urls []crawl.NewURL, places []int) (admitted []int, err error) {
	for _, i := range places {
		u := &urls[i]
		if endless.Repeats(u.URL, c.o.InfiniteRepeat) {
			c.counts.ofRepeats.Add(1)
			continue
		}
		if c.patterns.of(u.URL) != "" {
			c.counts.ofPaused.Add(1)
			continue
		}
		ok, err := c.hasRoom(ctx, u)
		if err != nil {
			return nil, err
		}
		if !ok {
			c.counts.overLimit.Add(1)
			continue
		}
		admitted = append(admitted, i)
	}
	return admitted, nil
}

// hasRoom reports whether the site of a new URL may have one more, and counts it.
func (c *crawler) hasRoom(ctx context.Context, u *crawl.NewURL) (bool, error) {
	if !c.o.Scope.limited {
		return true, nil
	}
	page, err := weburl.ParseNormalized(u.URL)
	if err != nil {
		return true, nil // refused where it is visited
	}
	server := c.o.Scope.Server(page)
	if server == nil || server.MaxURLs == 0 {
		return true, nil
	}
	n, err := c.limits.admit(ctx, u.Site, server, u.URL, 1)
	return n == 1, err
}

// noteNew tells the detector of endless sites which new URLs each page has brought.
func (c *crawler) noteNew(n *newURLs, admitted []int) {
	if c.patterns == nil {
		return
	}
	for len(admitted) > 0 {
		page := n.owners[admitted[0]]
		var found []string
		for len(admitted) > 0 && n.owners[admitted[0]] == page {
			url := n.urls[admitted[0]].URL
			c.patterns.detector.Grew(url)
			found, admitted = append(found, url), admitted[1:]
		}
		c.patterns.detector.FoundOn(page.page.Text, found)
	}
}

// pausedBy returns why a URL that was never fetched is not to be fetched now: the pattern that is paused. A URL
// that an operator asked for is fetched.
func (v *visit) pausedBy() string {
	d := v.due
	if d.Start || d.Deleted || !neverAnswered(&crawl.Previous{Status: d.Status}) {
		return ""
	}
	return v.c.patterns.of(v.page.Text)
}
