package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// DateRule lines keep their order; another line is another hash.
func TestDateRuleLines(t *testing.T) {
	t.Parallel()
	const good = "DateRule /news/ URL\nDateRule . meta dc.date MDY\nDateRule \\.pdf$ meta dmy\nDateRule . time\nDateRule . header Last-Modified\nDateRule . body #changed mdy\nDateRule . body ymd\n"
	c := load(t, files{setsName: good})
	var got []string
	for _, r := range c.Sets.DateRules {
		got = append(got, r.Place+" "+r.Name+" "+r.Order)
	}
	if want := "url  |meta dc.date mdy|meta dmy |time  |header  |body #changed mdy|body  ymd"; strings.Join(got, "|") != want || c.Sets.DateRules[1].Line != 2 {
		t.Errorf("%q, want %q", strings.Join(got, "|"), want)
	}
	for _, r := range []struct {
		url  string
		fits bool
	}{{"http://a.example/NEWS/1", true}, {"http://a.example/", false}} {
		if c.Sets.DateRules[0].Pattern.MatchString(r.url) != r.fits {
			t.Errorf("%s", r.url)
		}
	}
	none := load(t, files{setsName: "Tag 1\n"}).Hash
	if one := load(t, files{setsName: "DateRule . time\n"}).Hash; one == none || one == c.Hash {
		t.Error("a DateRule line does not change the hash")
	}
}

// TestB72: mistakes of DateRule lines are named with their line and the remedy.
func TestB72(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"DateRule .", "1: DateRule: a pattern and a place are needed; " + dateRuleForm},
		{"Tag 1\nDateRule ( url", `2: DateRule: bad pattern "(": missing closing ): "(?i)("`},
		{"DateRule . footer", `1: DateRule: "footer" is none of url, title, meta, time, body, header`},
		{"DateRule . meta", "1: DateRule: the name of the META element is missing; write: DateRule . meta date"},
		{"DateRule . meta date mdy x", "1: DateRule: too many values; " + dateRuleForm},
		{"DateRule . url ydm", `1: DateRule: "ydm" is none of dmy, mdy, ymd`},
		{"DateRule . body footer", `1: DateRule: "footer" is none of dmy, mdy, ymd`},
		{"DateRule . header Date", "1: DateRule: header reads Last-Modified alone, and needs no order; write: DateRule . header"},
	} {
		if diff := cmp.Diff([]string{setsName + ":" + c.want}, problems(t, files{setsName: c.text}, nil)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, diff)
		}
	}
}
