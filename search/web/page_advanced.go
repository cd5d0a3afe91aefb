package web

import (
	"fmt"
	"io"
	"time"

	"github.com/pgseek/pgseek/search"
)

// A FormChoice is something that the advanced form lets one choose.
type FormChoice struct {
	Value   string // of the parameter
	Label   string // for a person; empty = Value
	Checked bool
}

// AdvancedView is what the advanced form shows: each field with the value that it has in the search from which the form was
// opened. The form sends GET to Root + "search" with the parameters named here (aspseek.md 9.2), empty ones too.
type AdvancedView struct {
	Frame
	Include       string // iq
	IncludePhrase bool   // im=p
	Exclude       string // xq
	ExcludePhrase bool   // xm=p

	Body, Desc, Keywords, Title bool // bd, ds, kw, tl = on

	IncludeSites, ExcludeSites string // is, xs

	// Subsets and Spaces are all that there are: ul=Value and Value=on (Value is sp1, sp2, ...). Without any, their part of
	// the form is left out.
	Subsets, Spaces []FormChoice

	// Period is dp: a time value such as 7d, or empty; one that the form does not offer is added to those that it does.
	Period string
	// From and To are db and de: days as 2006-01-02, or empty. Others are left out.
	//
	// The form has no dt: with dp empty, and db and de, too, there is no limit; a range goes before a period; and nobody has to
	// choose what follows from the rest. A search with dt=er is a range with one end, so give From or To for it. Browsers send
	// days as 2006-01-02; one without a field for dates lets people type what they like, as 31/12/2006.
	From, To string

	Link string // ln

	Order     search.Order // s=rate, s=date
	Ungrouped bool         // gr=off
	PerPage   int          // ps; 0 = DefaultPerPage. One that the form does not offer is added
	Forms     string       // fm: on, off or a list of languages; empty = off. A list is added to what the form offers
	Flat      bool         // ad=off

	Kept []Field // other parameters, hidden
}

// periods are what dp offers.
var periods = []FormChoice{
	{Value: "", Label: "any time"},
	{Value: "1d", Label: "a day"},
	{Value: "7d", Label: "a week"},
	{Value: "1m", Label: "a month"},
	{Value: "3m", Label: "three months"},
	{Value: "1y", Label: "a year"},
	{Value: "3y", Label: "three years"},
}

// Advanced writes the advanced form.
func (p *Pages) Advanced(w io.Writer, v AdvancedView) error {
	d := struct {
		frame
		Form               AdvancedView
		Forms              []FormChoice
		Periods, PerPages  []FormChoice
		FromValue, ToValue string
		Places             []FormChoice
	}{frame: v.frame("advanced", "Advanced search"), Form: v}
	d.Ask.None = true
	d.Periods = offer(periods, v.Period)
	perPage := v.PerPage
	if perPage == 0 {
		perPage = search.DefaultPerPage
	}
	d.PerPages = offer([]FormChoice{{Value: "10"}, {Value: "20"}, {Value: "50"}, {Value: "100"}}, fmt.Sprint(perPage))
	forms := v.Forms
	if forms == "" {
		forms = "off"
	}
	d.Forms = offer([]FormChoice{{Value: "off", Label: "exactly as typed"}, {Value: "on", Label: "also in other forms"}}, forms)
	d.FromValue, d.ToValue = dateValue(v.From), dateValue(v.To)
	d.Places = []FormChoice{
		{"tl", "title", v.Title},
		{"ds", "description", v.Desc},
		{"kw", "keywords", v.Keywords},
		{"bd", "text", v.Body},
	}
	return render(w, p.advanced, d)
}

// offer marks one of the choices, adding it when it is not there.
func offer(all []FormChoice, value string) []FormChoice {
	out := make([]FormChoice, 0, len(all)+1)
	found := false
	for _, c := range all {
		c.Checked = c.Value == value
		found = found || c.Checked
		out = append(out, c)
	}
	if !found {
		out = append(out, FormChoice{Value: value, Checked: true})
	}
	return out
}

// dateValue is a day as a field for dates takes it.
func dateValue(day string) string {
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return ""
	}
	return day
}
