package config

import (
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
)

// hash returns the first half of a SHA-256 over the settings that can change links, words or the date of an unchanged
// document, one a line. Every text is quoted, so that no two configurations write the same lines. A setting
// that is added here, or written differently, makes the next run of every installation read all links again:
// harmless, but not free.
func hash(c *Config) [16]byte {
	h := sha256.New()
	line := func(format string, args ...any) { _, _ = fmt.Fprintf(h, format+"\n", args...) }

	line("pgseek settings 1")
	line("outside %v", c.Sets.FollowOutside)
	for _, s := range c.Sets.Servers { // their order decides which one rules a URL
		hashServer(h, s)
	}
	if c.Sets.FollowOutside {
		hashServer(h, c.Sets.Outside)
	}
	for _, f := range c.Sets.Filters {
		line("filter %s %v", f.Action, f.NoMatch)
		for _, p := range f.Patterns {
			line("  %q", p)
		}
	}

	// Links to new URLs of a pattern that was paused are read again when it is not.
	for _, lines := range []PaceLines{c.Sets.Pause, c.Sets.NeverPause} {
		for _, l := range lines {
			line("pause %q", l.Text)
		}
	}

	for _, l := range c.Sets.DuplicateHosts {
		line("duplicates %q %q", l.Canonical, l.Duplicates)
	}
	if !defaultExtensions(c.Sets.SkipExtensions) {
		line("skip %q", c.Sets.SkipExtensions)
	}
	if c.Sets.Archives {
		line("archives %d", c.Sets.ArchiveMembers)
	}
	for _, l := range c.Sets.DateRules { // the date of a stored document is read again
		line("date %q %s %q %s", l.Pattern, l.Place, l.Name, l.Order)
	}
	for _, l := range c.Sets.Converters { // links to what a line names are followed whatever SkipExtensions says
		line("converts %q", l.From)
	}

	s := &c.Spider
	tags := slices.Sorted(slices.Values(s.LinkTags))
	line("links %q %d %d", tags, s.MaxLinksPerPage, s.MaxURLLength)
	line("modes %v %v", s.NofollowExcludes, s.FollowRelNofollow)
	line("words %d %d %d", s.MinWordLength, s.MaxWordLength, s.IndexLimit)
	// Under gsa a host whose robots.txt cannot be fetched is closed, under rfc9309 it is not: the same
	// answers forbid other URLs, so that documents and links come and go with the policy. The default writes
	// nothing, so that a hash from before the policies remains valid.
	if s.RobotsPolicy != "rfc9309" {
		line("robots %s", s.RobotsPolicy)
	}
	if s.InfiniteSpaceRepeat != 0 { // links that it left out are read again when it is raised
		line("repeat %d", s.InfiniteSpaceRepeat)
	}
	if len(s.FileRoots) > 0 {
		line("files %q %v", s.FileRoots, s.FilePrivate)
	}
	for _, f := range s.Stopwords {
		line("stop %q %q", f.Lang, f.Words)
	}
	return [16]byte(h.Sum(nil)[:16])
}

// hashServer writes the settings of a Server that apply to its documents while these do not change. When and
// how often they are fetched is not part of it, and neither is DeleteBad, which acts on the next answer.
func hashServer(w io.Writer, s Server) {
	_, _ = fmt.Fprintf(w, "server %q %d %v %v\n", s.URL, s.MaxHops, s.Index, s.Follow)
	if s.IgnoreMeta { // the default writes nothing, so that earlier hashes remain valid; the same below
		_, _ = fmt.Fprintln(w, "  ignore META")
	}
	if s.IgnoreRobots {
		_, _ = fmt.Fprintln(w, "  ignore robots.txt")
	}
	if s.Extent == ExtentPath {
		_, _ = fmt.Fprintln(w, "  path")
	}
	for i := range s.Replace {
		_, _ = fmt.Fprintf(w, "  replace %q %q\n", s.Replace[i].Pattern, s.Replace[i].By)
	}
	if s.Charset != "" {
		_, _ = fmt.Fprintf(w, "  charset %q\n", s.Charset)
	}
	if s.KeepNavigation {
		_, _ = fmt.Fprintln(w, "  keep navigation")
	}
	if len(s.LeaveOut.Selectors) > 0 {
		_, _ = fmt.Fprintf(w, "  leave out %q\n", s.LeaveOut.Selectors)
	}
	if !s.Canonical {
		_, _ = fmt.Fprintln(w, "  no canonical pages")
	}
	if s.MaxURLs != 0 { // links beyond it are read again when it is raised
		_, _ = fmt.Fprintf(w, "  urls %d\n", s.MaxURLs)
	}
}
