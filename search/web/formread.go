package web

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
)

// maxSites is the first number that cannot be the id of a site (docs/limits.md, Sizes). maxListed is the
// maximum number of values of ul and of sp.
const (
	maxSites  = 1 << 24
	maxListed = 32
	maxLimit  = 2048 // bytes of a value of ul, the maximum length of a URL
)

// wrong returns the error for a parameter that is no query text.
func wrong(field, format string, args ...any) error {
	return &query.Error{Kind: ErrParameter, Field: field, Text: fmt.Sprintf(format, args...), Sentence: query.Sentence{Format: format, Args: args}}
}

// languageTag is what may be the tag of a language.
var languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8}){0,3}$`)

// ReadForm reads the parameters of a request. If a parameter is repeated the first value counts, except for
// the lists ul, sp, st, lang, type and tag. A parameter without a value is ignored, because a browser sends all fields of a form;
// so are unknown names. The error is an *Error whose Field is the parameter's name (B39).
func ReadForm(values url.Values) (Form, error) {
	r := formReader{values: values}
	if err := r.charset(); err != nil {
		return Form{}, err
	}
	f := Form{
		Params: query.Params{
			Query: r.text("q"), Previous: r.text("r"), Within: r.on("in"),
			Include: r.text("iq"), IncludePhrase: r.text("im") == "p",
			Exclude: r.text("xq"), ExcludePhrase: r.text("xm") == "p",
			IncludeSites: strings.TrimSpace(r.text("is") + " " + r.text("site")), ExcludeSites: r.text("xs"),
			Link: r.text("ln"),
			Body: r.on("bd"), Desc: r.on("ds"), Keywords: r.on("kw"), Title: r.on("tl"),
		},
		Limits: r.limits(), Spaces: r.spaces(),
		Narrowing: r.narrowing(),
		Page:      r.page(),
		PerPage:   r.number("ps", 1, search.MaxPerPage),
		Order:     search.Order(r.oneOf("s", "rate", "date")),
		Group:     r.choose("gr"),
		Facets:    r.on("facets"),
		Distance:  r.distance(),
		Jump:      r.text("t") != "", Explain: r.on("explain"), JSON: r.oneOf("format", "html", "json") == 1,
	}
	if r.word("match") != "" {
		f.Match = []Choose{Off, On}[r.oneOf("match", "any", "all")]
	}
	if hl := strings.TrimSpace(r.text("hl")); languageTag.MatchString(hl) { // others are those of no page
		f.Language = hl
	}
	f.Forms, f.Languages = r.forms()
	f.Dates = r.dates()
	return f, r.err
}

// A formReader reads values one by one and remembers the first error.
type formReader struct {
	values url.Values
	err    error
}

func (r *formReader) wrong(field, format string, args ...any) {
	if r.err == nil {
		r.err = wrong(field, format, args...)
	}
}

// charset converts the values to UTF-8 if cs has another charset, as pages of ASPseek's time have.
func (r *formReader) charset() error {
	name := r.text("cs")
	if name == "" {
		return nil
	}
	enc, err := htmlindex.Get(name)
	if err != nil {
		return wrong("cs", "%s is not a known charset. Without cs the query is UTF-8.", query.Quote(name))
	}
	if enc == unicode.UTF8 {
		return nil
	}
	decoded := url.Values{}
	for key, list := range r.values {
		for _, v := range list {
			if text, err := enc.NewDecoder().String(v); err == nil {
				v = text
			}
			decoded[key] = append(decoded[key], v)
		}
	}
	r.values = decoded
	return nil
}

// text returns a value without control characters and invalid bytes.
func (r *formReader) text(name string) string { return query.Clean(r.values.Get(name)) }

// word returns a value that is no query text.
func (r *formReader) word(name string) string {
	return strings.ToLower(strings.TrimSpace(r.text(name)))
}

// number reads a whole number, 0 if there is none.
func (r *formReader) number(name string, low, high int) int {
	text := r.word(name)
	if text == "" {
		return 0
	}
	n, err := wholeNumber(text)
	if err != nil || n < low || n > high {
		r.wrong(name, "%s is not a whole number from %d to %d.", query.Quote(text), low, high)
		return 0
	}
	return n
}

// wholeNumber parses a number that has only digits.
func wholeNumber(text string) (int, error) {
	if strings.Trim(text, "0123456789") != "" {
		return 0, strconv.ErrSyntax
	}
	return strconv.Atoi(text)
}

// page reads np, from 0, or page, from 1.
func (r *formReader) page() int {
	// Whether a page is too deep depends on ps: Request checks it.
	np, page := r.number("np", 0, search.MaxResults-1), r.number("page", 1, search.MaxResults)
	switch {
	case page == 0:
		return np
	case r.word("np") != "" && np != page-1:
		r.wrong("page", "page counts from 1 and np counts from 0; use only one of them.")
	}
	return page - 1
}

// choose reads a switch.
func (r *formReader) choose(name string) Choose {
	switch text := r.word(name); text {
	case "":
		return Usual
	case "on", "yes", "true", "1":
		return On
	case "off", "no", "false", "0":
		return Off
	default:
		r.wrong(name, "%s is neither on nor off.", query.Quote(text))
		return Usual
	}
}

func (r *formReader) on(name string) bool { return r.choose(name) == On }

// forms reads fm: a switch, or languages separated by commas. "no" alone is the switch, not Norwegian.
func (r *formReader) forms() (Choose, []string) {
	text := r.word("fm")
	if text == "no" || len(text) != 2 && !strings.Contains(text, ",") || text == "on" {
		return r.choose("fm"), nil
	}
	known := search.FormLanguages()
	var list []string
	for code := range strings.SplitSeq(text, ",") {
		if code = strings.TrimSpace(code); !slices.Contains(known, code) {
			r.wrong("fm", "%s is not a language with word forms. Use one of %s.", query.Quote(code), strings.Join(known, " "))
			return Usual, nil
		}
		list = append(list, code)
	}
	slices.Sort(list)
	return On, slices.Compact(list)
}

// distance reads ad, which is "on" or anything else.
func (r *formReader) distance() Choose {
	switch r.word("ad") {
	case "":
		return Usual
	case "on", "yes", "true", "1":
		return On
	}
	return Off
}

// oneOf reads a word of a closed list and returns its index, 0 if there is no value.
func (r *formReader) oneOf(name string, words ...string) int {
	text := r.word(name)
	i := slices.Index(words, text)
	if text != "" && i < 0 {
		r.wrong(name, "%s is not one of %s.", query.Quote(text), strings.Join(words, ", "))
	}
	return max(i, 0)
}

// limits reads the values of ul.
func (r *formReader) limits() (list []string) {
	for _, v := range r.values["ul"] {
		v = strings.TrimSpace(query.Clean(v))
		switch {
		case v == "" || slices.Contains(list, v):
		case len(v) > maxLimit:
			r.wrong("ul", "An address of %d bytes is too long: %d are allowed.", len(v), maxLimit)
		case len(list) == maxListed:
			r.wrong("ul", "Too many addresses: %d are allowed.", maxListed)
		default:
			list = append(list, v)
		}
	}
	return list
}

// spaces reads sp, a list separated by commas, and the parameters spN=on of s.cgi.
func (r *formReader) spaces() (list []int32) {
	add := func(text string) {
		n, err := wholeNumber(text)
		switch {
		case err != nil || n < 1 || n > math.MaxInt32:
			r.wrong("sp", "%s is not the number of a web space.", query.Quote(text))
		default:
			list = append(list, int32(n))
		}
	}
	for _, v := range r.values["sp"] {
		for text := range strings.FieldsFuncSeq(query.Clean(v), func(c rune) bool { return c == ',' || c == ' ' }) {
			add(text)
		}
	}
	for name := range r.values {
		text, ok := strings.CutPrefix(name, "sp")
		if _, err := wholeNumber(text); ok && text != "" && (err == nil || strings.Trim(text, "0123456789") == "") && r.on(name) {
			add(text)
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) > maxListed {
		r.wrong("sp", "Too many web spaces: %d are allowed.", maxListed)
		return nil
	}
	return list
}

// splitLimits splits the values of ul into sites and masks of subsets: http://host/ is a site,
// http://host/docs/ and http://host/docs/% are masks, http://host/#3 is subset 3.
func splitLimits(limits []string) (sites, subsets []string, err error) {
	for _, v := range limits {
		scheme, rest, ok := strings.Cut(v, "://")
		if !ok {
			scheme, rest = "http", v
		}
		host, path, _ := strings.Cut(rest, "/")
		switch n, numbered := strings.CutPrefix(path, "#"); {
		case strings.EqualFold(v, "file") || host == "" && path == "" && strings.EqualFold(scheme, "file"):
			sites = append(sites, string(query.Files))
		case numbered:
			if _, err := wholeNumber(n); err != nil || n == "" {
				return nil, nil, wrong("ul", "%s does not end in the number of a subset.", query.Quote(v))
			}
			subsets = append(subsets, "#"+n)
		case path == "" && !strings.Contains(v, "%"):
			site, ok := siteAddress(scheme, host)
			if !ok {
				return nil, nil, wrong("ul", "%s is not the address of a site such as http://www.example.org/.", query.Quote(v))
			}
			sites = append(sites, site)
		case strings.HasSuffix(v, "%"):
			subsets = append(subsets, scheme+"://"+rest)
		default:
			subsets = append(subsets, scheme+"://"+rest+"%")
		}
	}
	if len(sites) > 0 && len(subsets) > 0 {
		return nil, nil, wrong("ul", "Whole sites and parts of sites cannot be mixed.")
	}
	return sites, subsets, nil
}

// siteAddress returns a site as table sites has it.
func siteAddress(scheme, host string) (string, bool) {
	scheme, host = strings.ToLower(scheme), strings.ToLower(host)
	port, name := "", host
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		name, port = host[:i], host[i:]
	}
	if !query.IsASCII(name) {
		ascii, err := query.HostProfile.ToASCII(name)
		if err != nil {
			return "", false
		}
		name = ascii
	}
	if name == "" || strings.ContainsAny(name, " @?#\\\"<>") || strings.Trim(port, ":0123456789") != "" {
		return "", false
	}
	if port == map[string]string{"http": ":80", "https": ":443"}[scheme] || port == ":" {
		port = ""
	}
	return scheme + "://" + name + port + "/", true
}
