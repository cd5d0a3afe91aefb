package spider

import "github.com/pgseek/pgseek/spider/weburl"

// replaced returns a URL that a page or a sitemap of the Server names after its Replace lines. The result is normalized again; an
// error says that it is no URL for us.
func (s *Server) replaced(u weburl.URL, limit int) (weburl.URL, error) {
	if s == nil || s.Replace == nil {
		return u, nil
	}
	text := s.Replace(u.Text)
	if text == u.Text {
		return u, nil
	}
	return weburl.Normalize(text, limit)
}

// replaced returns a link of a page after the Replace lines of the page's Server and the DuplicateHost lines.
func (v *visit) replaced(u weburl.URL) (weburl.URL, error) {
	u, err := v.server.replaced(u, v.c.o.MaxURLLength)
	return v.c.o.Scope.Unduplicated(u), err
}

// replacedTarget is replaced for the target of a redirect. One that would lead back to its own page stays as it is: a site that
// sends everybody to an address with a session is read there.
func (v *visit) replacedTarget(u weburl.URL) weburl.URL {
	if to, err := v.replaced(u); err == nil && to.Text != v.page.Text {
		return to
	}
	return u
}
