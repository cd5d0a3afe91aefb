package spider

import "github.com/pgseek/pgseek/spider/weburl"

// replaced returns a link of a page after the Replace lines of the page's Server. The result is normalized again; an error says that
// it is no URL for us.
func (v *visit) replaced(u weburl.URL) (weburl.URL, error) {
	if v.server == nil || v.server.Replace == nil {
		return u, nil
	}
	text := v.server.Replace(u.Text)
	if text == u.Text {
		return u, nil
	}
	return weburl.Normalize(text, v.c.o.MaxURLLength)
}

// replacedTarget is replaced for the target of a redirect. One that would lead back to its own page stays as it is: a site that
// sends everybody to an address with a session is read there.
func (v *visit) replacedTarget(u weburl.URL) weburl.URL {
	if to, err := v.replaced(u); err == nil && to.Text != v.page.Text {
		return to
	}
	return u
}
