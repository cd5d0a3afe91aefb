package config

import (
	"regexp"
	"slices"
	"strings"
)

// DateRule is a DateRule line: where the documents of some URLs have their date.
type DateRule struct {
	Pattern *regexp.Regexp // RE2, ignoring case, unanchored
	Place   string         // one of datePlaces
	Name    string         // of the META element; a selector of elements of the body
	Order   string         // dmy, mdy, ymd; "" = none
	File    string
	Line    int
	Text    string // the line as written
}

var (
	datePlaces = []string{"url", "title", "meta", "time", "body", "header"}
	dateOrders = []string{"dmy", "mdy", "ymd"}
)

const dateRuleForm = "write: DateRule pattern place [order], DateRule pattern meta name [order], DateRule pattern body #id [order]"

func (r *setsReader) dateRule(d directive) error {
	if len(d.args) < 2 {
		return reasonf("a pattern and a place are needed; %s", dateRuleForm)
	}
	re, err := pattern(d.args[0])
	if err != nil {
		return err
	}
	rule := DateRule{Pattern: re, Place: strings.ToLower(d.args[1]), File: d.file, Line: d.line, Text: d.text}
	rest := d.args[2:]
	switch {
	case !slices.Contains(datePlaces, rule.Place):
		return reasonf("%s is none of %s", quote(d.args[1]), strings.Join(datePlaces, ", "))
	case rule.Place == "meta" && len(rest) == 0:
		return reasonf("the name of the META element is missing; write: DateRule %s meta date", d.args[0])
	case rule.Place == "meta":
		rule.Name, rest = rest[0], rest[1:]
	case rule.Place == "body" && len(rest) > 0 && strings.ContainsAny(rest[0], ".#["):
		rule.Name, rest = rest[0], rest[1:]
	case rule.Place == "header" && len(rest) == 1 && strings.EqualFold(rest[0], "Last-Modified"):
		rest = nil
	case rule.Place == "header" && len(rest) > 0:
		return reasonf("header reads Last-Modified alone, and needs no order; write: DateRule %s header", d.args[0])
	}
	if len(rest) > 1 {
		return reasonf("too many values; %s", dateRuleForm)
	}
	if len(rest) == 1 {
		if rule.Order = strings.ToLower(rest[0]); !slices.Contains(dateOrders, rule.Order) {
			return reasonf("%s is none of %s", quote(rest[0]), strings.Join(dateOrders, ", "))
		}
	}
	r.sets.DateRules = append(r.sets.DateRules, rule)
	return nil
}
