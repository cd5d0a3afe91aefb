package web

import (
	"bytes"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"strings"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
)

// maxSuggestText is the length of a text that is completed, in bytes. Longer ones have no suggestions.
const maxSuggestText = 256

// suggest answers /suggest in the format of OpenSearch's suggestions: the text, the completions, and a description and an
// address of each. It reads only memory, takes no place for a search, and writes no row of stat.
func (s *Server) suggest(w http.ResponseWriter, r *http.Request) {
	if !s.o.Suggest {
		s.fail(w, r, failure{status: http.StatusNotFound, code: "not_found"})
		return
	}
	text := query.Clean(parameters(r).Get("q"))
	texts, descriptions, urls := []string{}, []string{}, []string{}
	if b := s.backend.Load(); b != nil && b.Suggest != nil && len(text) <= maxSuggestText {
		for _, c := range b.Suggest(text) {
			address, description := s.base(r)+"search?"+url.Values{"q": {c.Text}}.Encode(), ""
			if c.Kind == search.CompletedTitle {
				if !isWebAddress(c.URL) {
					continue
				}
				address, description = c.URL, shownAddress(c.URL)
			}
			texts, descriptions, urls = append(texts, c.Text), append(descriptions, description), append(urls, address)
		}
	}
	body, err := json.Marshal([]any{text, texts, descriptions, urls}) // with < and & escaped
	if err != nil {                                                   // impossible for texts
		s.pageFault(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "private, max-age=60")
	s.allowOrigin(w, r)
	s.send(w, http.StatusOK, "application/x-suggestions+json; charset=utf-8", append(body, '\n'))
}

// isWebAddress reports whether an address of the index may be opened.
func isWebAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// shownAddress returns an address without its scheme, query and last slash.
func shownAddress(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	rest, _, _ = strings.Cut(rest, "?")
	return shortened(strings.TrimSuffix(rest, "/"), 120)
}

// withSuggestions returns a description of the search engine that names /suggest.
func withSuggestions(description []byte, base string) []byte {
	const end = "</OpenSearchDescription>"
	line := `<Url type="application/x-suggestions+json" method="get" template="` + html.EscapeString(base) + `suggest?q={searchTerms}"/>` + "\n"
	return bytes.Replace(description, []byte(end), []byte(line+end), 1)
}
