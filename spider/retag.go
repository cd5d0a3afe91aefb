package spider

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"math"

	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// Tags reach known URLs: when the Tag lines differ from those of the last run, every registered URL gets the tag of its Server. It runs
// with the other sweeps, and costs nothing while the lines stay. The next merge brings the tags to the searches.

// tagHash returns the hash of what decides the tag of a URL.
func (o *Options) tagHash() []byte {
	h := sha256.New()
	line := func(s *Server) { _, _ = fmt.Fprintf(h, "%q %v %d\n", s.URL.Text, s.Path, s.Tag) }
	for i := range o.Servers {
		line(&o.Servers[i])
	}
	if o.Scope.outside != nil {
		line(o.Scope.outside)
	}
	return h.Sum(nil)[:16]
}

// retag gives the registered URLs the tags of their Servers when these have changed. An interrupted one is repeated by the next run.
func (c *crawler) retag(ctx context.Context) error {
	hash := c.o.tagHash()
	known, err := c.store.TagsKnown(ctx, hash)
	if err != nil || known {
		return err
	}
	if err := c.store.SetTagsKnown(ctx, nil); err != nil { // also when this is interrupted and the lines change back
		return err
	}
	changed := 0
	for upto := store.URLID(math.MaxInt32); ; {
		list, err := c.store.KnownURLs(ctx, upto, sweepPage)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			break
		}
		upto = list[len(list)-1].ID - 1
		var others []crawl.Tagged
		for i := range list {
			if tag, ok := c.o.Scope.tag(list[i].URL); ok && tag != list[i].Tag {
				others = append(others, crawl.Tagged{ID: list[i].ID, Tag: tag})
			}
		}
		if err := c.store.Retag(ctx, others); err != nil {
			return err
		}
		changed += len(others)
		if c.soft.Err() != nil {
			return nil
		}
	}
	if changed > 0 {
		slog.InfoContext(ctx, "registered URLs have got the changed Tag of their Server", "urls", changed)
	}
	return c.store.SetTagsKnown(ctx, hash)
}

// tag returns the tag of a registered URL; ok is false when no Server line rules it.
func (s *Scope) tag(url string) (tag int, ok bool) {
	page, err := weburl.ParseNormalized(url)
	if err != nil {
		return 0, false
	}
	server := s.Server(page)
	if server == nil {
		return 0, false
	}
	return server.Tag, true
}
