package explain

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store/crawl"
)

// found adds whether searches find the URL, and if not, why.
func (x *explanation) found() { x.Line("In the index", "%s", x.isFound()) }

func (x *explanation) isFound() string {
	if why := x.notFound(); why != "" {
		if x.Index.Merged && x.Index.MarkSeq > x.Index.MergedSeq {
			why += "; its last version is found until the merge"
		}
		return "no: " + why
	}
	i := &x.Index
	switch {
	case x.Content == nil || x.Content.Words == 0:
		return "no: it has no words"
	case i.Realtime:
		return "found by a search: yes, in the real-time index until the merge"
	case i.NewSeq > i.MergedSeq:
		text := "waits for the merge (index -D)"
		if i.Behind != 0 {
			text = fmt.Sprintf("waits for schedule %d, then for the merge (index -D)", i.Behind)
		}
		if i.Merged {
			text += "; the previous version is found until then"
		}
		return text
	case i.Merged && x.Status.Lost() != 0:
		return "found by a search: yes, although it is lost"
	case i.Merged:
		return "found by a search: yes"
	}
	return "no: it has words, but is neither in the inverted index nor in the journal: the tables disagree"
}

// notFound returns why searches cannot find the URL; empty for a document that is an original.
func (x *explanation) notFound() string {
	base := x.Status.Base()
	switch {
	case x.Deleted:
		return "removed " + x.takenOut()
	case x.Original != nil:
		return "clone of " + x.Original.URL
	case x.Origin != 0:
		return "a clone without an original"
	case base == 200:
		return ""
	case base == 0:
		return "not fetched yet"
	case base == 301 || base == 302:
		if len(x.RedirectsTo) > 0 {
			return "redirects to " + x.RedirectsTo[0].URL
		}
		return "redirects to a URL that is not followed"
	case base == wording.NotIndexed && x.State.ErrorClass != "server": // else the server answered it
		return x.notIndexed()
	case base == wording.Duplicate:
		return "too many documents have the same body"
	case base == wording.Soft404:
		return "the site answers 200 with this page for any address"
	case base == crawl.StatusCanonical:
		return "its canonical page is " + x.State.Canonical.URL
	case base >= 700 && base < 800:
		return "no answer: " + wording.Numbered(base)
	}
	return "answered " + wording.Numbered(base)
}

// notIndexed returns why a page was received but not indexed.
func (x *explanation) notIndexed() string {
	switch {
	case x.rules.lists != "":
		return x.rules.lists
	case x.State.IndexMode&1 == 0:
		return "Index no of its Server"
	case x.rules.verdict == spider.CheckOnly:
		return fmt.Sprintf("CheckOnly by %s", place(x.rules.filter))
	case x.rules.nofollowExcludes && slices.Contains(x.State.Marks, "nofollow"):
		return x.says() + " under NofollowExcludes"
	case x.rules.nofollowExcludes && x.State.IndexMode&wording.ModeTagNoIndex == 0:
		return "noindex, or nofollow under NofollowExcludes"
	}
	return cmp.Or(x.says(), "noindex")
}

// place returns the position of a line of sets.cnf: file:line.
func place(f *config.Filter) string { return fmt.Sprintf("%s:%d", f.File, f.Line) }
