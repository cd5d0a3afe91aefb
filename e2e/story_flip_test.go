package e2e

import (
	"fmt"
	"testing"
)

// TestStoryPageFlipsBetweenTwoBodies: a page alternates between two texts, one in each period. A search finds
// the present text. The index does not grow, since both texts' words are known after the second period. The
// date of the last change is always the day of the visit.
func TestStoryPageFlipsBetweenTwoBodies(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "", "")
	s.page("/", "front", "welcome", "/flip")
	sides := []struct{ text, link, found, cited string }{
		{"heads", "/h", "coin heads: /flip", "/flip: by /\n/h: by /flip"},
		{"tails", "/t", "coin tails: /flip", "/flip: by /\n/t: by /flip"},
	}
	s.page("/h", "page", "hat")
	s.page("/t", "page", "top")

	const both = `
		found
			front welcome: /`
	ago := func(period int) string {
		if period == 0 {
			return "now"
		}
		return fmt.Sprintf("%dd ago", 8*period)
	}
	rows := func() string {
		return s.one(`SELECT (SELECT count(*) FROM wordurl), (SELECT count(*) FROM docwords), (SELECT count(*) FROM wordfile),
			(SELECT count(*) FROM urlwords), (SELECT count(*) FROM docdates), (SELECT max(octet_length(urls)) FROM wordurl)`)
	}
	var grown string
	for period := range 7 {
		side := sides[period%2]
		s.page("/flip", "coin", side.text, side.link)
		if period == 0 {
			s.later(0)
		} else {
			s.later(8 * day)
		}
		asked, rules := "/ /flip /h: 200", "/ /flip /h: T-01 200, 0 -> 200"
		hat := fmt.Sprintf("/h: 200; 2 words; answered now; due in 7d: period 7d; dates %s, %s", ago(period), ago(period))
		top := fmt.Sprintf("/t: 200; 2 words; answered now; due in 7d: period 7d; dates %s, %s", ago(period-1), ago(period-1))
		words := "hat page: /h"
		switch period {
		case 0:
			top = ""
		case 1:
			asked = "~/: 304\n~/flip: 200\n~/h: 304\n/t: 200"
			rules = "/: T-02 304, 200 -> 200\n/flip: T-04 200, 200 -> 200\n/h: T-02 304, 200 -> 200\n/t: T-01 200, 0 -> 200"
		default:
			asked = "~/: 304\n~/flip: 200\n~/h ~/t: 304"
			rules = "/: T-02 304, 200 -> 200\n/flip: T-04 200, 200 -> 200\n/h /t: T-02 304, 200 -> 200"
		}
		if period > 0 {
			words = "hat: /h\npage: /h /t\ntop: /t"
		}
		front := fmt.Sprintf("/: 200; 2 words; answered now; due in 7d: period 7d; dates %s, %s", ago(period), ago(period))
		flip := fmt.Sprintf("/flip: 200; 2 words; answered now; due in 7d: period 7d; dates %s, now", ago(period))
		pages := front + "\n" + flip + "\n" + hat + "\n" + top
		if period == 0 {
			pages = "/ /flip /h: 200; 2 words; answered now; due in 7d: period 7d; dates now, now"
		}
		s.sees(fmt.Sprintf("period %d", period), `
		asked
			/robots.txt: 404
			`+asked+`
		rules
			`+rules+`
		pages
			`+pages, both, side.found, words, `
		cited
			`+side.cited)
		switch got := rows(); {
		case period == 1:
			grown = got
		case period > 1 && got != grown:
			t.Errorf("period %d: rows of wordurl, docwords, wordfile, urlwords, docdates and the longest blob: %s, were %s", period, got, grown)
		}
	}
	s.explains(t, "/flip", "flip")
}
