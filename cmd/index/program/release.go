package program

import (
	"context"
	"fmt"

	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// release is --release: it ends the hold of a site, so that its documents can be lost again, and the pause that its host
// asked for.
func (p *program) release(ctx context.Context, s *store.DB) error {
	u, err := weburl.Typed(p.o.release, p.cfg.Spider.MaxURLLength)
	if err != nil {
		return fmt.Errorf("%q: want a site or one of its URLs, such as http://www.example.org/: %w", withoutPassword(p.o.release), err)
	}
	known, err := crawl.New(s).FindSite(ctx, u.Site)
	if err != nil {
		return err
	}
	if known == 0 {
		return fmt.Errorf("site %s is not registered", u.Site)
	}
	reason, err := crawl.New(s).ReleaseSite(ctx, u.Site, u.HostInfo, p.cfg.Spider.LostPeriod)
	if err != nil {
		return err
	}
	paused, err := crawl.New(s).EndPause(ctx, u.Host)
	if err != nil {
		return err
	}
	mounts := int64(0)
	if u.IsFile() {
		if mounts, err = crawl.New(s).ForgetFileMounts(ctx); err != nil {
			return err
		}
	}
	if mounts > 0 {
		fmt.Fprintf(p.out, "forgot %s; what is missing below them now can be lost\n", plural(mounts, "mount point"))
	}
	switch {
	case mounts > 0 && reason == "":
	case reason == "" && !paused:
		return fmt.Errorf("site %s is not on hold, and its host asks for no pause", u.Site)
	case reason == crawl.HoldRedirects:
		fmt.Fprintf(p.out, "released %s; documents that redirect leave the index at their next visit (all at once: index -a)\n", u.Site)
	case reason == crawl.HoldCanonical:
		fmt.Fprintf(p.out, "released %s; pages that still name a canonical page are united with it when the next crawl ends\n", u.Site)
	case reason != "":
		fmt.Fprintf(p.out, "released %s; its documents can be lost from the next visit on\n", u.Site)
	}
	if paused {
		fmt.Fprintf(p.out, "ended the pause that %s asked for; the next run asks it again\n", clean(u.Host))
	}
	return nil
}
