package explain

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/spider/endless"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/report"
)

// PausedText describes a paused pattern in lines.
type PausedText struct {
	Since  string
	Except []string // patterns
	urls   report.PatternURLs
	Lines  []string // to write in sets.cnf
}

// DescribePaused counts the URLs of a paused pattern and says what to write.
func DescribePaused(ctx context.Context, s *store.DB, l *crawl.PausedPattern) (t PausedText, err error) {
	var except []string
	for _, e := range l.Except {
		except = append(except, endless.Regexp(e))
	}
	t = PausedText{Since: l.At.Local().Format(time.DateTime), Except: l.Except}
	t.urls, err = report.New(s).PatternURLs(ctx, l.Site, l.Regexp, except)
	confirm := "Pause " + l.Regexp
	if len(except) > 0 {
		confirm = "NeverPause " + strings.Join(except, " ") + " and " + confirm
	}
	t.Lines = []string{"NeverPause " + l.Regexp + "  (lifts the pause)", confirm + "  (confirms it)"}
	return t, err
}

// Counts returns the numbers of the URLs in words.
func (t *PausedText) Counts() string {
	return fmt.Sprintf("%s fetched, %d known and not fetched", wording.Plural(t.urls.Fetched, "URL"), t.urls.Waiting)
}

// pattern adds by which pattern a URL is paused: when it was never fetched, it is not.
func (x *explanation) pattern(ctx context.Context, sets *config.Sets, s *store.DB) error {
	if sets.NeverPause.Match(x.url.Text) {
		return nil
	}
	if sets.Pause.Match(x.url.Text) {
		x.Line("Pattern", "paused by a Pause line of sets.cnf; a NeverPause line that matches goes before it")
		x.Detail("%s", x.fateOfPaused())
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
		t, err := DescribePaused(ctx, s, &list[i])
		if err != nil {
			return err
		}
		x.Line("Pattern", "%s paused since %s: %s", by, t.Since, t.Counts())
		x.Detail("%s; write in sets.cnf:", x.fateOfPaused())
		for _, l := range t.Lines {
			x.Detail("%s", l)
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
