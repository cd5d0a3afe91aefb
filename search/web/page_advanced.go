package web

import (
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/pgseek/pgseek/search"
)

// A FormChoice is an option of the advanced form.
type FormChoice struct {
	Value   string // of the parameter
	Label   string // for a person; empty = Value
	Checked bool
}

// AdvancedView has the values of the advanced form: each field has the value of the search from which the
// form was opened. The form sends GET to Root + "search" with the parameters in the comments, including empty
// ones.
type AdvancedView struct {
	Frame
	Include       string // iq
	IncludePhrase bool   // im=p
	Exclude       string // xq
	ExcludePhrase bool   // xm=p

	Body, Desc, Keywords, Title bool // bd, ds, kw, tl = on

	IncludeSites, ExcludeSites string // is, xs

	// Subsets and Spaces are all options: ul=Value and Value=on (Value is sp1, sp2, ...). If both are empty,
	// their part of the form is left out.
	Subsets, Spaces []FormChoice

	// Period is dp: a time value such as 7d, or empty. A value that is not an option of the form is added to
	// its options.
	Period string
	// From and To are db and de: days as 2006-01-02, or empty. Other values are left out.
	//
	// The form has no dt. If dp, db and de are empty there is no limit, and a range overrides a period, so
	// nobody has to choose between them. A search with dt=er is a range with one end: set From or To for it.
	// Browsers send days as 2006-01-02; browsers without date fields let people type other formats, such as
	// 31/12/2006.
	From, To string

	Link string // ln

	Order     search.Order // s=rate, s=date
	Grouped   bool         // gr=on
	Ungrouped bool         // gr=off
	PerPage   int          // ps; 0 = DefaultPerPage. Other values are added to the options
	Forms     string       // fm: on, off or a list of languages; empty = off. A list is added to the options
	Flat      bool         // ad=off; only with ASPseek
	ASPseek   bool         // Ranking aspseek: the form offers ad

	Kept []Field // other parameters, hidden
}

// periods are the options of dp. Their labels are keys of messages.
var periods = []FormChoice{
	{Value: "", Label: "advanced.any_time"},
	{Value: "1d", Label: "advanced.a_day"},
	{Value: "7d", Label: "advanced.a_week"},
	{Value: "1m", Label: "advanced.a_month"},
	{Value: "3m", Label: "advanced.three_months"},
	{Value: "1y", Label: "advanced.a_year"},
	{Value: "3y", Label: "advanced.three_years"},
}

// Advanced writes the advanced form.
func (p *Pages) Advanced(w io.Writer, v AdvancedView) error {
	in := p.in(v.Frame)
	d := struct {
		frame
		Form               AdvancedView
		Forms              []FormChoice
		Periods, PerPages  []FormChoice
		FromValue, ToValue string
		Places             []FormChoice
	}{frame: in.frame(v.Frame, "advanced", in.say("base.advanced")), Form: v}
	d.Ask.None = true
	d.Periods = offer(in.labelled(periods), v.Period)
	perPage := v.PerPage
	if perPage == 0 {
		perPage = search.DefaultPerPage
	}
	d.PerPages = offer([]FormChoice{{Value: "10"}, {Value: "20"}, {Value: "50"}, {Value: "100"}}, fmt.Sprint(perPage))
	forms := v.Forms
	if forms == "" {
		forms = "off"
	}
	d.Forms = offer(in.labelled([]FormChoice{{Value: "off", Label: "advanced.as_typed"}, {Value: "on", Label: "advanced.forms"}}), forms)
	d.FromValue, d.ToValue = dateValue(v.From), dateValue(v.To)
	d.Places = in.labelled([]FormChoice{
		{"tl", "advanced.title", v.Title},
		{"ds", "advanced.description", v.Desc},
		{"kw", "advanced.keywords", v.Keywords},
		{"bd", "advanced.text", v.Body},
	})
	return in.render(w, "advanced", d)
}

// labelled returns choices with the messages of their labels.
func (x *catalog) labelled(choices []FormChoice) []FormChoice {
	choices = slices.Clone(choices)
	for i := range choices {
		choices[i].Label = x.say(choices[i].Label)
	}
	return choices
}

// offer marks one of the options, and adds it if it is missing.
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

// dateValue returns a day in the format of a date field.
func dateValue(day string) string {
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return ""
	}
	return day
}
