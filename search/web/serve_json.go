package web

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/store"
)

// answerJSON is the answer of /search as JSON (docs/http.md). Names never change their meaning; new ones may
// be added.
type answerJSON struct {
	Query       string           `json:"query"`                // as typed
	Understood  string           `json:"understood,omitempty"` // canonical spelling of the parsed query
	TotalSites  int              `json:"total_sites"`
	TotalURLs   int              `json:"total_urls"` // those with all words if there are any, else any of them
	TotalAll    int              `json:"total_all"`
	TotalAny    int              `json:"total_any"`
	AnyMore     bool             `json:"total_any_more"` // there are more than TotalAny
	Page        int              `json:"page"`           // from 1
	PerPage     int              `json:"per_page"`
	Pages       int              `json:"pages"`
	Grouped     bool             `json:"grouped"`
	Order       string           `json:"order"`
	TookMS      float64          `json:"took_ms"`
	Next        string           `json:"next,omitempty"`
	Previous    string           `json:"previous,omitempty"`
	Words       []wordJSON       `json:"words"`
	Notes       []noteJSON       `json:"notes"`
	Suggestions []suggestionJSON `json:"suggestions"`
	KeyMatches  []keyMatchJSON   `json:"key_matches"`
	Facets      []facetJSON      `json:"facets,omitempty"`
	Results     []hitJSON        `json:"results"`
	Error       *errorJSON       `json:"error,omitempty"`
}

type wordJSON struct {
	Text  string `json:"text"`
	URLs  int64  `json:"urls"`
	Total int64  `json:"total"`
	Words int    `json:"words"`
	// Also searched, and not counted.
	Synonyms []string `json:"synonyms,omitempty"`
}

type noteJSON struct {
	Field string `json:"field"`
	At    int    `json:"at"`
	Text  string `json:"text"`
}

type suggestionJSON struct {
	Word    string `json:"word"`
	Instead string `json:"instead"`
	Used    bool   `json:"used"`
}

// keyMatchJSON is a link of the operator (KeyMatch).
type keyMatchJSON struct {
	URL   string `json:"url"`
	Title string `json:"title"`
}

type facetJSON struct {
	Name   string           `json:"name"`
	Values []facetValueJSON `json:"values"`
	More   int              `json:"more"`
}

type facetValueJSON struct {
	Value  string `json:"value"`
	SiteID int32  `json:"site_id,omitempty"`
	URLs   int    `json:"urls"`
	Chosen bool   `json:"chosen"`
	Link   string `json:"link"`
}

type hitJSON struct {
	URLID        int32         `json:"url_id"`
	SiteID       int32         `json:"site_id"`
	URL          string        `json:"url"`
	Title        string        `json:"title"`
	Description  string        `json:"description"`
	Keywords     string        `json:"keywords"`
	Txt          string        `json:"txt"`
	Docsize      int           `json:"docsize"`
	ContentType  string        `json:"content_type"`
	Charset      string        `json:"charset"`
	Lang         string        `json:"lang"`
	LastModified string        `json:"last_modified"`      // the header as received
	Modified     string        `json:"modified,omitempty"` // RFC 3339
	CRC          string        `json:"crc"`
	Status       int           `json:"status"`
	Lost         int           `json:"lost,omitempty"` // current status of a lost document
	All          bool          `json:"all"`            // it has all words
	Rank         uint32        `json:"rank"`
	First        bool          `json:"first"`
	InSite       int           `json:"in_site"`
	More         string        `json:"more,omitempty"` // from this site
	Cached       string        `json:"cached,omitempty"`
	Excerpts     [][]span      `json:"excerpts"`
	Clones       []cloneJSON   `json:"clones"`
	MoreClones   int           `json:"more_clones"`
	Parts        *search.Parts `json:"parts,omitempty"`
}

type span struct {
	Text string `json:"text"`
	Term *int   `json:"term,omitempty"` // index in words
	// The text continues before or behind the excerpt.
	CutBefore bool `json:"cut_before,omitempty"`
	CutAfter  bool `json:"cut_after,omitempty"`
}

type cloneJSON struct {
	URLID int32  `json:"url_id"`
	URL   string `json:"url"`
}

// errorAnswer is the whole answer of a request that failed.
type errorAnswer struct {
	Error errorJSON `json:"error"`
}

type errorJSON struct {
	Code  string `json:"code"`
	Text  string `json:"text"`
	Field string `json:"field,omitempty"`
	At    *int   `json:"at,omitempty"` // bytes from the begin of the field's text, from 0
}

// newAnswerJSON returns the JSON value of an answer. Lists are never null.
func newAnswerJSON(a *Answer, d Defaults) *answerJSON {
	j := &answerJSON{
		Query: a.Form.Text(), Page: a.Form.Page + 1, PerPage: a.Form.Results(d), Order: orderNames[a.Form.Order],
		Words: []wordJSON{}, Notes: []noteJSON{}, Suggestions: []suggestionJSON{}, Results: []hitJSON{},
		KeyMatches: []keyMatchJSON{},
	}
	if e := a.Err; e != nil {
		j.Error = &errorJSON{Code: queryCodes[e.Kind], Text: e.Error(), Field: e.Field}
		if e.Kind != ErrParameter { //nolint:errorlint // Kind is one of the sentinels itself
			j.Error.At = &e.At
		}
		return j
	}
	j.Understood = a.Request.Query.String()
	r := a.Result
	j.TotalSites, j.TotalURLs, j.Pages, j.Grouped = r.Sites, r.URLs, r.Pages, r.Grouped
	j.TotalAll, j.TotalAny, j.AnyMore = r.AllURLs, r.AnyURLs, r.More
	j.TookMS = float64(r.Took.Round(10*time.Microsecond).Microseconds()) / 1000
	links := a.Form.Fixed(a.Begin)
	if a.Form.Page+1 < r.Pages {
		j.Next = d.at(links.At(a.Form.Page + 1))
	}
	if a.Form.Page > 0 {
		j.Previous = d.at(links.At(a.Form.Page - 1))
	}
	for _, w := range r.Words {
		j.Words = append(j.Words, wordJSON(w))
	}
	for _, n := range r.Notes {
		j.Notes = append(j.Notes, noteJSON{n.Field, n.At, n.Text})
	}
	for _, x := range r.Spell {
		j.Suggestions = append(j.Suggestions, suggestionJSON{x.Word, x.Instead, x.Used})
	}
	for _, k := range r.KeyMatches {
		j.KeyMatches = append(j.KeyMatches, keyMatchJSON(k))
	}
	j.Facets = newFacetsJSON(r.Facets, a.Form, &d)
	for i := range r.Hits {
		j.Results = append(j.Results, newHitJSON(&r.Hits[i], links, &d))
	}
	return j
}

// newFacetsJSON returns the facets without spans of time that have no documents.
func newFacetsJSON(facets []search.Facet, form Form, d *Defaults) (list []facetJSON) {
	for _, f := range facets {
		j := facetJSON{Name: f.Name, More: f.More}
		for i := range f.Values {
			v := &f.Values[i]
			if chosen := form.chosen(f.Name, v); chosen || v.URLs > 0 {
				j.Values = append(j.Values, facetValueJSON{v.Value, v.Site, v.URLs, chosen, d.at(form.Toggled(f.Name, v))})
			}
		}
		if len(j.Values) > 0 {
			list = append(list, j)
		}
	}
	return list
}

var orderNames = map[search.Order]string{search.ByRank: "rate", search.ByDate: "date"}

func newHitJSON(h *search.Hit, links Form, d *Defaults) hitJSON {
	status := store.Status(h.Status)
	j := hitJSON{
		URLID: h.URLID, SiteID: h.SiteID, URL: h.URL, Title: h.Title, Description: h.Description, Keywords: h.Keywords, Txt: h.Text,
		Docsize: h.Size, ContentType: h.ContentType, Charset: h.Charset, Lang: h.Lang, LastModified: h.LastModified, CRC: h.CRC,
		Status: status.Base(), Lost: status.Lost(), All: h.All, Rank: h.Rank, First: h.First, InSite: h.InSite,
		Excerpts: [][]span{}, Clones: []cloneJSON{}, MoreClones: h.MoreOf, Parts: h.Parts,
	}
	if !h.Modified.IsZero() {
		j.Modified = h.Modified.UTC().Format(time.RFC3339)
	}
	if !h.NoCopy {
		j.Cached = CacheURL(d.root(), h.URLID, links)
	}
	if h.InSite > 0 {
		j.More = d.at(links.InSite(h.SiteID))
	}
	for _, e := range h.Excerpts {
		spans := make([]span, len(e))
		for i, x := range e {
			spans[i] = span{Text: x.Text, CutBefore: x.CutBefore, CutAfter: x.CutAfter}
			if x.Term >= 0 {
				spans[i].Term = &e[i].Term
			}
		}
		j.Excerpts = append(j.Excerpts, spans)
	}
	for _, c := range h.Clones {
		j.Clones = append(j.Clones, cloneJSON(c))
	}
	return j
}

// CacheURL returns the address of the cached copy of a document with the terms of a search marked. root is the
// path of the home page.
func CacheURL(root string, id int32, f Form) string {
	// Only the query matters for the marks, not filters or the page.
	marks := Form{Params: f.Params, Language: f.Language}
	marks.IncludeSites, marks.ExcludeSites, marks.Exclude, marks.ExcludePhrase = "", "", "", false
	query := marks.Encode()
	if query != "" {
		query = "&" + query
	}
	return root + "cache?id=" + strconv.Itoa(int(id)) + query
}

// WriteJSON writes an answer in the format of /search with format=json. Its links are paths of searchd.
func WriteJSON(w io.Writer, a *Answer, d Defaults) error { return encodeJSON(w, newAnswerJSON(a, d)) }

// encodeJSON writes a value as JSON. & < > are not escaped, so that links can be copied; nosniff keeps
// browsers from reading the answer as HTML.
func encodeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// sendJSON sends a value as JSON.
func (s *Server) sendJSON(w http.ResponseWriter, status int, v any) {
	var b bytes.Buffer
	if err := encodeJSON(&b, v); err != nil { // impossible for these types
		s.o.Log.Error("no JSON", "cause", err)
		status = http.StatusInternalServerError
		b.Reset()
		b.WriteString("{\"error\": {\"code\": \"internal\", \"text\": \"Something went wrong here.\"}}\n")
	}
	s.send(w, status, "application/json", b.Bytes())
}
