package config

import (
	"slices"
	"strings"
)

// Sitemap is a Sitemap line with a URL. It belongs to the next Server line.
type Sitemap struct {
	URL  string // absolute, http or https, with a host; not normalized
	File string
	Line int
}

// sitemap reads a Sitemap line: a URL for the next Server, or yes or no for all that follow.
func (r *setsReader) sitemap(d directive) error {
	value, err := one(d)
	if err != nil {
		return err
	}
	if !strings.Contains(value, "://") {
		no, err := noYes(value)
		if err != nil {
			return reasonf("%s is neither an absolute URL nor yes or no", quote(value))
		}
		r.next.NoSitemaps = no
		return nil
	}
	url, login, err := startURL(value)
	if err != nil {
		return err
	}
	if login != "" {
		return reasonf("the URL contains a user name; AuthBasic of its Server is sent")
	}
	r.sitemaps = append(r.sitemaps, d)
	r.next.Sitemaps = append(slices.Clone(r.next.Sitemaps), Sitemap{URL: url, File: d.file, Line: d.line})
	return nil
}

// unusedSitemaps reports Sitemap lines that no Server line follows.
func (r *setsReader) unusedSitemaps(errs *Errors) {
	for _, d := range r.sitemaps {
		errs.add(d.problem("Sitemap", "no Server line follows; Sitemap URL applies to the next Server only"))
	}
}

// misplacedSitemaps reports Sitemap lines of the host of another Server than the one that they precede.
func (r *setsReader) misplacedSitemaps(errs *Errors) {
	for i := range r.sets.Servers {
		s := &r.sets.Servers[i]
		for _, m := range s.Sitemaps {
			if s.NoSitemaps {
				errs.add(Error{File: m.File, Line: m.Line, Keyword: "Sitemap", Reason: "Sitemap no holds for the Server line that follows"})
				continue
			}
			if hostOf(m.URL) == hostOf(s.URL) {
				continue
			}
			if at := slices.IndexFunc(r.sets.Servers, func(o Server) bool { return hostOf(o.URL) == hostOf(m.URL) }); at >= 0 {
				o := &r.sets.Servers[at]
				errs.add(Error{File: m.File, Line: m.Line, Keyword: "Sitemap", Reason: reasonf(
					"it belongs to the next Server, %s, but is of the host of the Server at %s:%d: write it above that line", quote(s.URL), o.File, o.Line).Error()})
			}
		}
	}
}
