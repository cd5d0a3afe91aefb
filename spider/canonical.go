package spider

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
)

// A page may name another one as its canonical page, by a link element in its head or by the Link header (rel=canonical). Both are
// documents until the end of the run. Then the page is united with the canonical page (T-19, canonicalhold.go), when that is in the
// index. A page that is united stays so at its next visits, as long as its canonical page stands.

// notCanonical is the canonical page of a version that names one which is not followed.
const notCanonical store.URLID = -1

// claim is what a version says of its canonical page.
type claim struct {
	known bool        // it was read; otherwise what is stored holds
	page  store.URLID // 0 = none, or the page itself; notCanonical
	cause string      // which URL is not followed, and why
}

// readCanonical reads the canonical page that a version names: the Link header goes before link elements. doc is nil when the header
// alone was read. The canonical page is registered like the target of a redirect.
func (v *visit) readCanonical(ctx context.Context, o *outcome, doc *document.Document) error {
	if !v.server.Canonical {
		o.claim = claim{known: true}
		return nil
	}
	href, base, charset, cause := "", "", "", ""
	switch {
	case o.tag&modeCanonical != 0 && v.silentLink(o): // the last 200 said it
		return nil
	case o.tag&modeCanonical != 0:
		href, cause = single(linkHeader(o.answer.Header))
	case doc != nil:
		href, cause = single(linkElements(doc))
		base, charset = doc.Base, doc.Charset
	default:
		return nil
	}
	o.claim = claim{known: true, cause: cause}
	if cause != "" {
		o.claim.page = notCanonical
	}
	if href == "" {
		return nil
	}
	u, err := weburl.NewResolverIn(v.page, base, charset, v.c.o.MaxURLLength).Resolve(href)
	if err == nil {
		u, err = v.replaced(u)
	}
	if err != nil {
		o.claim.page, o.claim.cause = notCanonical, shortHref(href)+": "+err.Error()
		return nil
	}
	if u.Text == v.page.Text {
		return nil
	}
	if strings.HasPrefix(u.Text, "http://") && strings.TrimPrefix(u.Text, "http") == strings.TrimPrefix(v.page.Text, "https") { // behind a proxy pages often name themselves with http, which redirects back
		if id, err := v.c.store.FindURL(ctx, u.Text); err != nil {
			return err
		} else if id == 0 {
			o.claim.page, o.claim.cause = notCanonical, u.Text+": the same page by http"
			return nil
		}
	}
	page, refused, err := v.target(ctx, u.Text)
	if bad := (badLocation{}); errors.As(err, &bad) {
		o.claim.page, o.claim.cause = notCanonical, u.Text+": "+bad.Error()
		return nil
	}
	if err != nil {
		return err
	}
	if o.claim.page = page; page == 0 {
		o.claim.page, o.claim.cause = notCanonical, strings.TrimPrefix(refused, redirectsTo)
	}
	return nil
}

// named returns the canonical page that the version of an outcome names, 0 for none that is followed.
func (o *outcome) named() store.URLID { return max(o.claim.page, 0) }

// linkCanonical adds the canonical page to the links of its page: it is reached by it.
func (o *outcome) linkCanonical() {
	page := o.named()
	if !o.claim.known {
		page = o.due.Canonical
	}
	o.links = withLink(o.links, page)
}

// withLink adds a canonical page to links, which ascend.
func withLink(links []store.URLID, page store.URLID) []store.URLID {
	if page <= 0 {
		return links
	}
	if at, found := slices.BinarySearch(links, page); !found {
		return slices.Insert(slices.Clip(links), at, page)
	}
	return links
}

// silentLink reports whether an answer says nothing about the Link header of its version: a 304 without one.
func (v *visit) silentLink(o *outcome) bool {
	return o.answer.Status == 304 && !o.headed && len(o.answer.Header.Values("Link")) == 0
}

// linkTag returns the bit of the indexing mode that says whether the Link header names a canonical page.
func (v *visit) linkTag(o *outcome) int {
	switch {
	case v.server == nil || !v.server.Canonical:
		return 0
	case v.silentLink(o):
		return v.due.IndexMode & modeCanonical
	case len(linkHeader(o.answer.Header)) > 0:
		return modeCanonical
	}
	return 0
}

// shortHref returns a URL as it was written, fit for the tables.
func shortHref(href string) string { return fetch.ValidText(href, 200) }

// single returns the one URL of a list. Several different ones contradict each other, and none of them counts.
func single(hrefs []string) (href, cause string) {
	for _, h := range hrefs {
		if href != "" && h != href {
			return "", shortHref(href) + " and " + shortHref(h) + ": it names several"
		}
		href = h
	}
	return href, ""
}

// linkElements returns the canonical URLs of the link elements in the head of a page. What stands in the body may be written by
// others.
func linkElements(doc *document.Document) (hrefs []string) {
	for i := range doc.Heads {
		h := &doc.Heads[i]
		if !h.Body && h.Href != "" && h.HrefLang == "" && h.Media == "" && h.Type == "" && hasWord(h.Rel, "canonical") {
			hrefs = append(hrefs, h.Href)
		}
	}
	return hrefs
}

// hasWord reports whether a list of words separated by blanks contains one, in any case.
func hasWord(list, word string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(w string) bool { return strings.EqualFold(w, word) })
}

// maxLinkHeader is how many bytes of Link headers are read.
const maxLinkHeader = 16 << 10

// linkHeader returns the URLs that Link headers name as canonical: <URL>; rel="canonical" (RFC 8288). A link with an anchor is about
// another page.
func linkHeader(header http.Header) (hrefs []string) {
	for _, value := range header.Values("Link") {
		rest := value[:min(len(value), maxLinkHeader)]
		for {
			_, link, ok := strings.Cut(rest, "<")
			if !ok {
				break
			}
			href, params, ok := strings.Cut(link, ">")
			if !ok {
				break
			}
			var list map[string]string
			list, rest = linkParameters(params)
			href = strings.TrimSpace(href)
			if _, anchored := list["anchor"]; !anchored && hasWord(list["rel"], "canonical") && href != "" && !strings.ContainsAny(href, "< \t") {
				hrefs = append(hrefs, href)
			}
		}
	}
	return hrefs
}

// linkParameters reads the parameters of a link, up to the comma before the next one. The first of several equal ones counts.
func linkParameters(s string) (list map[string]string, rest string) {
	list = make(map[string]string)
	for {
		s = strings.TrimLeft(s, " \t")
		if s == "" || s[0] != ';' {
			_, rest, _ = strings.Cut(s, ",")
			return list, rest
		}
		s = strings.TrimLeft(s[1:], " \t")
		end := strings.IndexAny(s, "=;,")
		if end < 0 {
			end = len(s)
		}
		name, value := strings.ToLower(strings.TrimSpace(s[:end])), ""
		if s = s[end:]; strings.HasPrefix(s, "=") {
			value, s = linkValue(strings.TrimLeft(s[1:], " \t"))
		}
		if _, given := list[name]; !given {
			list[name] = value
		}
	}
}

// linkValue reads a token or a quoted string.
func linkValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, ";,")
		if end < 0 {
			end = len(s)
		}
		return strings.TrimSpace(s[:end]), s[end:]
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:]
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}
