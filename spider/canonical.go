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
// documents until the end of the run. If the canonical page is in the index then, the page is united with it (T-19,
// canonicalhold.go). It stays united at later visits while the canonical page is in the index and names no other page.

// notCanonical stands for a canonical page that is not followed.
const notCanonical store.URLID = -1

// A claim is the canonical page that a version of a page names.
type claim struct {
	known bool        // it was read; false = the stored claim holds
	page  store.URLID // 0 = none or the page itself; notCanonical
	cause string      // for notCanonical: the URL and the reason
}

// readCanonical reads the canonical page of a version. The Link header goes before link elements. doc is nil when only the header was
// read. The canonical page is registered like the target of a redirect.
func (v *visit) readCanonical(ctx context.Context, o *outcome, doc *document.Document) error {
	if !v.server.Canonical {
		o.claim = claim{known: true}
		return nil
	}
	href, base, charset, cause := "", "", "", ""
	switch {
	case o.tag&modeCanonical != 0 && v.silentLink(o): // the header of the last 200 holds
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
	// Behind a proxy, pages often name themselves with http, which redirects back.
	if strings.HasPrefix(u.Text, "http://") && strings.TrimPrefix(u.Text, "http") == strings.TrimPrefix(v.page.Text, "https") {
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

// named returns the canonical page of the version, 0 for none or for one that is not followed.
func (o *outcome) named() store.URLID { return max(o.claim.page, 0) }

// linkCanonical adds the canonical page to the links of the page, because the page leads to it.
func (o *outcome) linkCanonical() {
	page := o.named()
	if !o.claim.known {
		page = o.due.Canonical
	}
	o.links = withLink(o.links, page)
}

// withLink adds a canonical page to links in ascending order.
func withLink(links []store.URLID, page store.URLID) []store.URLID {
	if page <= 0 {
		return links
	}
	if at, found := slices.BinarySearch(links, page); !found {
		return slices.Insert(slices.Clip(links), at, page)
	}
	return links
}

// silentLink reports whether the answer is a 304 without a Link header: the header of the last 200 holds.
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

// single returns the only URL of a list. If the list has different URLs, none of them counts.
func single(hrefs []string) (href, cause string) {
	for _, h := range hrefs {
		if href != "" && h != href {
			return "", shortHref(href) + " and " + shortHref(h) + ": it names several"
		}
		href = h
	}
	return href, ""
}

// linkElements returns the canonical URLs of the link elements in the head of a page. Elements in the body do not count: visitors may
// have written them.
func linkElements(doc *document.Document) (hrefs []string) {
	for i := range doc.Heads {
		h := &doc.Heads[i]
		if !h.Body && h.Href != "" && h.HrefLang == "" && h.Media == "" && h.Type == "" && hasWord(h.Rel, "canonical") {
			hrefs = append(hrefs, h.Href)
		}
	}
	return hrefs
}

// hasWord reports whether a list of words separated by blanks contains a word in any case.
func hasWord(list, word string) bool {
	return slices.ContainsFunc(strings.Fields(list), func(w string) bool { return strings.EqualFold(w, word) })
}

// maxLinkHeader is the number of bytes that are read of a Link header.
const maxLinkHeader = 16 << 10

// linkHeader returns the URLs that Link headers name as canonical: <URL>; rel="canonical" (RFC 8288). Links with an anchor parameter
// are about other pages and do not count.
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

// linkParameters reads the parameters of a link, up to the comma before the next link. Of parameters with the same name the first counts.
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
