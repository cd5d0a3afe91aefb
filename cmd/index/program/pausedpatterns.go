package program

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pgseek/pgseek/spider/endless"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/report"
)

// pausedText describes a paused pattern in lines.
type pausedText struct {
	since  string
	except []string // patterns
	urls   report.PatternURLs
	lines  []string // to write in sets.cnf
}

// describePaused counts the URLs of a paused pattern and says what to write.
func describePaused(ctx context.Context, s *store.DB, l *crawl.PausedPattern) (t pausedText, err error) {
	var except []string
	for _, e := range l.Except {
		except = append(except, endless.Regexp(e))
	}
	t = pausedText{since: l.At.Local().Format(time.DateTime), except: l.Except}
	t.urls, err = report.New(s).PatternURLs(ctx, l.Site, l.Regexp, except)
	confirm := "Pause " + l.Regexp
	if len(except) > 0 {
		confirm = "NeverPause " + strings.Join(except, " ") + " and " + confirm
	}
	t.lines = []string{"NeverPause " + l.Regexp + "  (lifts the pause)", confirm + "  (confirms it)"}
	return t, err
}

// counts returns the numbers of the URLs in words.
func (t *pausedText) counts() string {
	return fmt.Sprintf("%s fetched, %d known and not fetched", plural(t.urls.Fetched, "URL"), t.urls.Waiting)
}

// pausedPatterns prints which URL patterns are paused, if any (-S).
func (p *program) pausedPatterns(ctx context.Context, s *store.DB) error {
	list, err := crawl.New(s).PausedPatterns(ctx)
	if err != nil || len(list) == 0 {
		return err
	}
	fmt.Fprintf(p.out, "          Paused URL patterns (new URLs are not fetched; a line of sets.cnf lifts or confirms that)\n\n")
	for i := range list {
		t, err := describePaused(ctx, s, &list[i])
		if err != nil {
			return err
		}
		fmt.Fprintf(p.out, "   %s\n      since %s: %s\n", clean(list[i].Pattern), t.since, t.counts())
		for _, e := range t.except {
			fmt.Fprintf(p.out, "      except %s\n", clean(e))
		}
		for _, l := range t.lines {
			fmt.Fprintf(p.out, "      %s\n", clean(l))
		}
	}
	fmt.Fprint(p.out, "\n\n")
	return nil
}

// pattern adds by which pattern a URL is paused: when it was never fetched, it is not.
func (x *explanation) pattern(ctx context.Context, p *program, s *store.DB) error {
	sets := &p.cfg.Sets
	if sets.NeverPause.Match(x.url.Text) {
		return nil
	}
	if sets.Pause.Match(x.url.Text) {
		x.line("Pattern", "paused by a Pause line of sets.cnf; a NeverPause line that matches goes before it")
		x.detail("%s", x.fateOfPaused())
		return nil
	}
	list, err := crawl.New(s).PausedPatterns(ctx)
	if err != nil {
		return err
	}
	paused := endless.NewPaused()
	for i := range list {
		paused.Add(list[i].Pattern, list[i].Except)
	}
	by := paused.By(x.url.Text)
	for i := range list {
		if list[i].Pattern != by {
			continue
		}
		t, err := describePaused(ctx, s, &list[i])
		if err != nil {
			return err
		}
		x.line("Pattern", "%s paused since %s: %s", by, t.since, t.counts())
		x.detail("%s; write in sets.cnf:", x.fateOfPaused())
		for _, l := range t.lines {
			x.detail("%s", l)
		}
	}
	return nil
}

// fateOfPaused says what becomes of a URL of a paused pattern.
func (x *explanation) fateOfPaused() string {
	if x.ID == 0 || x.Status.Base() == 0 {
		return "this URL is not fetched"
	}
	return "this URL was fetched before, and is visited all the same"
}
