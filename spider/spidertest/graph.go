package spidertest

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Web is a random web of linked sites that changes from one period to the next. The same seed and features
// make the same web, whatever ports its sites get.
type Web struct {
	Sites    []*Site
	Pages    []*WebPage
	Settings Settings // of the period
	Robots   []Robots // of the period, by site

	random   *rand.Rand
	features Features
	period   int
	bodies   int
	shared   []*Body // what several pages have: clones
	closed   []bool  // sites that are behind a login
	mistaken []bool  // sites whose pages name their front page as canonical
	root     string  // the canonical page of the next bodies, "" = none
}

// Features says what a web and its configuration do beyond pages that change, break, redirect and are copies
// of each other.
type Features struct {
	Sweeps      bool // configuration and robots.txt change before runs that look at due URLs only
	Outside     bool // sites lose their Server line for a while
	Modes       bool // Index and Follow change (T-16)
	DeleteBad   bool // T-13
	Forced      bool // runs with -m (T-17)
	Respider    bool // runs with --respider, orphans listed and purged
	StartFails  bool // start URLs fail, which puts their site on hold
	Share       bool // MaxLostShare at its default: sites are put on hold when too much of them fails
	Purges      bool // LostLimit is low enough to be reached (T-18)
	Unreachable bool // UnreachableRemove yes
	Refusals    bool // a page may answer 429
	Dates       bool // docdates are compared, too
	Hops        bool // MaxHops is low, and changes
	Canonical   bool // pages name canonical pages, and templates name the front page by mistake
}

// Body is a page's content. Two pages with one body have one crc.
type Body struct {
	Text              string
	Words             []string // all that are indexed, without duplicates
	Links             []string // absolute, normalized, unchanged: itself and filtered ones included
	NoIndex, NoFollow bool
	Canonical         string // canonical page that it names, "" = none
	CRC               string // MD5 of Text
}

// WebPage is a URL that exists, and what it answers in this period.
type WebPage struct {
	Site   int
	Path   string
	URL    string
	Start  bool // Server line
	Answer Answer

	own       *Body // its content, when it has one of its own
	validator validator
	version   int
}

// Answer is the answer of a URL. The zero value is the 404 of a URL that does not exist.
type Answer struct {
	Status     int // 0 = Fault
	Fault      Fault
	Body       *Body     // of 200
	Location   string    // of redirects, absolute
	ETag       string    // empty = not sent
	Modified   time.Time // zero = not sent
	RetryAfter time.Duration
}

// Fault is a way not to answer.
type Fault int

// The faults.
const (
	NoFault Fault = iota
	ResetByPeer
	Closed
)

// Robots is the answer of /robots.txt of a site.
type Robots struct {
	Status int // 0 = the connection is closed without an answer
	Deny   []string
	Allow  []string
}

// validator is how a page speaks of its versions.
type validator int

const (
	noValidator validator = iota
	etagOnly
	dateOnly
	etagAndDate
	stuckETag  // never changes: 304 whatever happened to the page
	futureDate // cannot be believed
	validators
)

// firstVersion is the Last-Modified of a page's first version; each later one is a day younger.
var firstVersion = time.Date(2009, 3, 1, 8, 30, 0, 0, time.UTC)

// The directories of a site. What lies in those of robots and of patterns is forbidden in some periods.
var (
	robotsDirs  = []string{"/ra/", "/rb/"}
	patternDirs = []string{"/pa/", "/pb/"}
)

// NewWeb makes a web. The sites are to be there already: their addresses stand in the links.
func NewWeb(seed uint64, features Features, sites []*Site) *Web {
	w := &Web{Sites: sites, random: rand.New(rand.NewPCG(seed, 77)), features: features}
	total := 30 + w.random.IntN(171)
	for i := range total {
		site := w.random.IntN(len(sites))
		p := &WebPage{Site: site, Path: fmt.Sprintf("/p%d.html", i), validator: validator(w.random.IntN(int(validators)))}
		switch kind := w.random.IntN(10); {
		case i < len(sites):
			p.Site, p.Path, p.Start = i, "/", true
		case kind == 0:
			p.Path = fmt.Sprintf("%sp%d.html", pick(w.random, robotsDirs), i)
		case kind == 1:
			p.Path = fmt.Sprintf("%sp%d.html", pick(w.random, patternDirs), i)
		}
		p.URL = sites[p.Site].URL + p.Path
		w.Pages = append(w.Pages, p)
	}
	for range 3 + w.random.IntN(6) {
		w.shared = append(w.shared, w.body(-1))
	}
	for _, p := range w.Pages {
		w.renew(p)
		if !p.Start && w.random.IntN(6) == 0 {
			p.own = pick(w.random, w.shared)
		}
		w.answerBody(p)
	}
	w.disturb()
	w.configure()
	return w
}

func pick[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// body makes content with links for a page of a site, or for pages of any site (-1).
func (w *Web) body(site int) *Body {
	w.bodies++
	b := &Body{}
	words := []string{fmt.Sprintf("body%dword", w.bodies)}
	for range 2 + w.random.IntN(12) {
		words = append(words, fmt.Sprintf("w%d", w.random.IntN(1+w.random.IntN(60))))
	}
	var text strings.Builder
	fmt.Fprintf(&text, "<title>title%d</title>", w.bodies)
	words = append(words, fmt.Sprintf("title%d", w.bodies))
	switch w.random.IntN(25) {
	case 0:
		b.NoIndex = true
		text.WriteString(`<meta name="robots" content="noindex">`)
	case 1:
		b.NoFollow = true
		text.WriteString(`<meta name="robots" content="nofollow">`)
	case 2:
		b.NoIndex, b.NoFollow = true, true
		text.WriteString(`<meta name="robots" content="none">`)
	}
	if w.features.Canonical {
		w.nameCanonical(b, &text, site)
	}
	fmt.Fprintf(&text, "<body>%s ", strings.Join(words[:len(words)-1], " "))
	for range w.random.IntN(7) {
		w.link(b, &text, w.target(site))
	}
	w.finish(b, &text, words)
	return b
}

// frontBody makes the content of a start page: links to a good part of its site.
func (w *Web) frontBody(site int) *Body {
	w.bodies++
	b := &Body{}
	words := []string{fmt.Sprintf("front%dword", w.bodies)}
	var text strings.Builder
	fmt.Fprintf(&text, "<body>%s ", words[0])
	share := 2 + w.random.IntN(4)
	for _, p := range w.Pages {
		if p.Site == site && w.random.IntN(share) != 0 || p.Start && p.Site == site+1 {
			w.link(b, &text, p.URL)
		}
	}
	for range 2 {
		w.link(b, &text, w.target(site))
	}
	w.finish(b, &text, words)
	return b
}

// nameCanonical gives some bodies a canonical page.
func (w *Web) nameCanonical(b *Body, text *strings.Builder, site int) {
	mistaken := site >= 0 && w.mistaken != nil && w.mistaken[site]
	switch {
	case w.root != "":
		b.Canonical = w.root
	case mistaken:
		b.Canonical = w.Sites[site].URL + "/"
	case w.random.IntN(5) == 0:
		b.Canonical = w.target(site)
	default:
		return
	}
	fmt.Fprintf(text, `<link rel="canonical" href="%s#x">`, b.Canonical)
}

// mistake makes the templates of some sites name the front page on each page, for some periods. It writes all pages of a site again when
// its template changes.
func (w *Web) mistake() {
	if w.mistaken == nil {
		w.mistaken = make([]bool, len(w.Sites))
	}
	for i := range w.Sites {
		was := w.mistaken[i]
		w.mistaken[i] = was && w.random.IntN(3) != 0 || !was && w.random.IntN(5) == 0
		for _, p := range w.Pages {
			if p.Site == i && was != w.mistaken[i] {
				w.rewrite(p)
			}
		}
	}
	for _, p := range w.Pages {
		if p.Answer.Location != "" && w.random.IntN(3) == 0 {
			w.nameRoot(p)
		}
	}
}

// nameRoot makes the target of a redirect and another page name the redirect as canonical, as a start page and its copies name the root
// of the site.
func (w *Web) nameRoot(redirect *WebPage) {
	w.root = redirect.URL
	for _, p := range w.Pages {
		if p.URL == redirect.Answer.Location {
			w.rewrite(p)
		}
	}
	w.rewrite(pick(w.random, w.Pages))
	w.root = ""
}

// rewrite gives a page another content, if it answers with its own.
func (w *Web) rewrite(p *WebPage) {
	if !p.Start && p.Answer.Status == 200 && p.own == p.Answer.Body && !slices.Contains(w.shared, p.own) {
		w.renew(p)
		w.answerBody(p)
	}
}

func (w *Web) link(b *Body, text *strings.Builder, target string) {
	fragment := []string{"", "", "", "#part"}[w.random.IntN(4)]
	fmt.Fprintf(text, `<a href="%s%s">x</a> `, target, fragment)
	b.Links = append(b.Links, target)
}

func (w *Web) finish(b *Body, text *strings.Builder, words []string) {
	if len(b.Links) > 0 {
		words = append(words, "x")
	}
	slices.Sort(words)
	b.Words = slices.Compact(words)
	b.Text = text.String()
	sum := md5.Sum([]byte(b.Text)) //nolint:gosec // the crc is the MD5 of the body
	b.CRC = hex.EncodeToString(sum[:])
}

// target is where a link of a page of this site leads; -1 = of pages of any site.
func (w *Web) target(site int) string {
	switch w.random.IntN(20) {
	case 0: // a URL that never existed
		if site < 0 {
			return w.Sites[0].URL + fmt.Sprintf("/none%d.html", w.random.IntN(5))
		}
		return w.Sites[site].URL + fmt.Sprintf("/none%d.html", w.random.IntN(5))
	case 1: // out of scope
		return fmt.Sprintf("http://127.0.0.1:9/out%d", w.random.IntN(3))
	}
	if len(w.Pages) == 0 {
		return w.Sites[0].URL + "/"
	}
	for {
		p := pick(w.random, w.Pages)
		if p.Site == site || w.random.IntN(4) == 0 {
			return p.URL
		}
	}
}

// renew gives a page new content of its own.
func (w *Web) renew(p *WebPage) {
	p.version++
	if p.Start {
		p.own = w.frontBody(p.Site)
		return
	}
	p.own = w.body(p.Site)
}

// answerBody makes a page answer 200 with its content.
func (w *Web) answerBody(p *WebPage) {
	a := Answer{Status: 200, Body: p.own}
	date := firstVersion.Add(time.Duration(p.version) * 24 * time.Hour)
	switch p.validator {
	case etagOnly:
		a.ETag = `"` + p.own.CRC[:12] + `"`
	case dateOnly:
		a.Modified = date
	case etagAndDate:
		a.ETag, a.Modified = `W/"`+p.own.CRC[:12]+`"`, date
	case stuckETag:
		a.ETag = `"always"`
	case futureDate:
		a.Modified = time.Now().Add(time.Hour).Truncate(time.Second)
	default:
	}
	p.Answer = a
}

// Advance brings the web and its configuration into the next period.
func (w *Web) Advance() {
	w.period++
	restless := 4 + w.random.IntN(30) // per cent of the pages that do something
	for _, p := range w.Pages {
		alive := p.Answer.Status == 200
		switch {
		case !alive && w.random.IntN(100) < 40:
			w.answerBody(p)
		case alive && w.random.IntN(100) < restless:
			w.move(p)
		case p.validator == futureDate && alive:
			w.answerBody(p) // always an hour ahead
		}
		if w.random.IntN(60) == 0 {
			p.validator = validator(w.random.IntN(int(validators)))
			if p.Answer.Status == 200 {
				w.answerBody(p)
			}
		}
	}
	if w.features.Share {
		w.login()
	}
	if w.features.Canonical {
		w.mistake()
	}
	w.disturb()
	w.configure()
}

// login puts sites behind a login that does not exist, for some periods, with or without their start pages.
func (w *Web) login() {
	if w.closed == nil {
		w.closed = make([]bool, len(w.Sites))
	}
	for i, site := range w.Sites {
		was, whole := w.closed[i], w.random.IntN(2) == 0
		w.closed[i] = was && w.random.IntN(3) != 0 || !was && w.random.IntN(4) == 0
		for _, p := range w.Pages {
			switch {
			case p.Site != i || p.Start && !whole:
			case w.closed[i]:
				p.Answer = Answer{Status: 302, Location: site.URL + "/none0.html"}
			case was:
				w.answerBody(p)
			}
		}
	}
}

// move changes what a page that is well answers.
func (w *Web) move(p *WebPage) {
	kind := w.random.IntN(100)
	switch {
	case p.Start && !w.features.StartFails && kind >= 45, kind < 45:
		w.renew(p)
		w.answerBody(p)
	case kind < 60:
		p.version++
		p.own = pick(w.random, w.shared)
		if p.Start {
			p.own = w.frontBody(p.Site)
		}
		w.answerBody(p)
	case kind < 70:
		w.redirect(p)
	case kind < 86:
		p.Answer = Answer{Status: pick(w.random, []int{404, 404, 404, 410, 500, 502, 403, 401, 400, 429})}
		switch {
		case p.Answer.Status == 502 && w.random.IntN(2) == 0:
			p.Answer.RetryAfter = 7 * time.Hour
		case p.Answer.Status == 429 && !w.mayRefuse():
			p.Answer.Status = 504
		}
	default:
		p.Answer = Answer{Fault: []Fault{ResetByPeer, Closed}[w.random.IntN(2)]}
	}
}

// mayRefuse reports whether a page may refuse requests: none other does, for each of them makes the others wait.
func (w *Web) mayRefuse() bool {
	return w.features.Refusals && !slices.ContainsFunc(w.Pages, func(p *WebPage) bool { return p.Answer.Status == 429 })
}

// redirect makes a page redirect, unless that would make a chain longer than the program follows.
func (w *Web) redirect(p *WebPage) {
	before := p.Answer
	p.Answer = Answer{Status: pick(w.random, []int{301, 302, 303, 307, 308}), Location: w.target(p.Site)}
	if w.random.IntN(5) == 0 { // a loop of two, perhaps
		for _, q := range w.Pages {
			if q.Answer.Location == p.URL {
				p.Answer.Location = q.URL
			}
		}
	}
	if p.Answer.Location == p.URL || w.longestChain() > 4 {
		p.Answer = before
	}
}

// longestChain is the greatest number of redirects in a row, a loop counted once around.
func (w *Web) longestChain() (longest int) {
	next := make(map[string]string)
	for _, p := range w.Pages {
		if p.Answer.Location != "" {
			next[p.URL] = p.Answer.Location
		}
	}
	for url := range next {
		seen := make(map[string]bool)
		for next[url] != "" && !seen[url] {
			seen[url] = true
			url = next[url]
		}
		longest = max(longest, len(seen))
	}
	return longest
}

// disturb chooses what the robots.txt of each site answers.
func (w *Web) disturb() {
	if w.Robots == nil {
		w.Robots = make([]Robots, len(w.Sites))
		for i := range w.Robots {
			w.Robots[i].Status = 404
		}
	}
	for i := range w.Robots {
		if w.random.IntN(3) != 0 {
			continue
		}
		switch w.random.IntN(12) {
		case 0:
			w.Robots[i] = Robots{Status: 503}
		case 1:
			w.Robots[i] = Robots{}
		case 2:
			w.Robots[i] = Robots{Status: 403}
		case 3, 4, 5, 6:
			w.Robots[i] = Robots{Status: 404}
		default:
			w.Robots[i] = Robots{Status: 200}
			for _, dir := range robotsDirs {
				if w.random.IntN(2) == 0 {
					w.Robots[i].Deny = append(w.Robots[i].Deny, dir)
				}
			}
			if w.random.IntN(3) == 0 {
				w.Robots[i].Allow = []string{robotsDirs[0] + "p1"} // longer than the rule: it wins
			}
		}
		if w.Robots[i].Status == 0 && w.period == 0 || w.Robots[i].Status == 503 && w.period == 0 {
			w.Robots[i] = Robots{Status: 404}
		}
	}
}
