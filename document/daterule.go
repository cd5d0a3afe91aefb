package document

import (
	"strings"
	"time"
)

// DatePlace is the place of a document where a DateRule looks for its date.
type DatePlace string

// The places, by their names in a DateRule.
const (
	DateURL    DatePlace = "url"
	DateTitle  DatePlace = "title"
	DateMeta   DatePlace = "meta"
	DateTime   DatePlace = "time" // <time datetime>
	DateBody   DatePlace = "body"
	DateHeader DatePlace = "header" // Last-Modified
)

// A DateRule says where documents have their date.
type DateRule struct {
	Fits  func(url string) bool // whether the rule is for a document, by its normalized URL
	Place DatePlace
	Name  string // of the META element; of the body a selector of elements, or empty
	Order DateOrder
	Where string // file:line
}

// DateRules are rules in their order: the first that fits a document and finds a valid date in it wins.
type DateRules []DateRule

// A DatedPage is a document in which rules look for a date.
type DatedPage struct {
	URL          string
	LastModified string // the header as received
	// The stored content, and how Parse read it.
	Body        []byte
	ContentType string
	Charset     string
	Title       string // as Parse returned it: that of a document without title elements
	Rules       *Rules
	Now         time.Time

	texts *dateTexts // those of elements, once they are read
	body  *string    // the indexed text, once it is read
}

// A DateTry is what a rule that fits a document found in it.
type DateTry struct {
	Rule *DateRule
	At   time.Time // zero when there is no valid date
	Text string    // the date as it was read; without one the beginning of what the place has
}

// dateSlack is how far in the future a date may be: it has begun where clocks go ahead of UTC.
const dateSlack = 14 * time.Hour

// Find returns the date of a document by the rules, in UTC and in whole seconds; the zero time when there is none.
func (r DateRules) Find(p *DatedPage) time.Time {
	if tries := r.Try(p); len(tries) > 0 {
		return tries[len(tries)-1].At
	}
	return time.Time{}
}

// Try returns what each rule found that fits a document, up to the first that found a date.
func (r DateRules) Try(p *DatedPage) (tries []DateTry) {
	for i := range r {
		rule := &r[i]
		if !rule.Fits(p.URL) {
			continue
		}
		t := DateTry{Rule: rule}
		for _, text := range p.places(rule) {
			if found, ok := findDate(text, rule.Order, p.Now.Add(dateSlack)); ok {
				t.At, t.Text = found.at, found.text
				break
			}
			if t.Text == "" {
				t.Text = strings.ToValidUTF8(beginning(strings.TrimSpace(text)), "")
			}
		}
		if tries = append(tries, t); !t.At.IsZero() {
			break
		}
	}
	return tries
}

// beginning returns the first bytes of a text.
func beginning(text string) string { return text[:min(len(text), 60)] }

// places returns the texts of the place of a rule, in their order.
func (p *DatedPage) places(r *DateRule) []string {
	switch r.Place {
	case DateURL:
		return []string{afterHost(p.URL)}
	case DateHeader:
		return []string{p.LastModified}
	}
	switch {
	case r.Place == DateBody && r.Name != "":
		return p.elements(r.Name)
	case r.Place == DateBody:
		return []string{p.text()}
	}
	if p.texts == nil {
		p.texts = readDateTexts(p)
	}
	switch r.Place {
	case DateTitle:
		if len(p.texts.titles) == 0 {
			return []string{p.Title}
		}
		return p.texts.titles
	case DateMeta:
		var list []string
		for _, m := range p.texts.metas {
			if strings.EqualFold(m.name, r.Name) {
				list = append(list, m.content)
			}
		}
		return list
	}
	return p.texts.times
}

// afterHost returns the part of a URL in which dates are looked for: its path and its query.
func afterHost(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		if slash := strings.IndexByte(rest, '/'); slash >= 0 {
			return rest[slash:]
		}
		return ""
	}
	return url
}
