package merge

import (
	"context"
	"log/slog"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/pgseek/pgseek/store/index"
)

// A search is suggested to others only if it cannot be private: several people had the same one on several days, and it has no
// number that may be somebody's, no address, and no long text.
const (
	suggestAddresses = 3 // different ones at least; of IPv6, networks
	suggestDays      = 2
	suggestDigits    = 4  // in a row: none so long
	suggestLength    = 64 // characters
	suggestWords     = 8
	suggestMost      = 10000 // searches, the most frequent ones
	networkBits      = 64    // of an IPv6 address: one computer has many addresses in it
)

// fillSuggestions fills table suggestions. A merge does not fail because of it.
func fillSuggestions(ctx context.Context, s *index.Store) {
	if _, err := s.FillSuggestions(ctx, chooseSuggestions); err != nil && ctx.Err() == nil {
		slog.WarnContext(ctx, "cannot fill table suggestions; searchd suggests what it has", "cause", err)
	}
}

// chooseSuggestions returns the searches that may be suggested, the most frequent first.
func chooseSuggestions(asked []index.AskedQuery) (chosen []index.SuggestedQuery) {
	known := map[string]bool{}
	for _, q := range asked {
		text := strings.ToLower(q.Text)
		if len(chosen) < suggestMost && q.Days >= suggestDays && networks(q.Addresses) >= suggestAddresses && public(text) && !known[text] {
			known[text] = true
			chosen = append(chosen, index.SuggestedQuery{Text: text, Searches: q.Searches})
		}
	}
	return chosen
}

// networks counts different addresses.
func networks(addresses []string) int {
	all := map[string]bool{}
	for _, text := range addresses {
		if a, err := netip.ParseAddr(text); err == nil && a.Is6() && !a.Is4In6() {
			if p, err := a.WithZone("").Prefix(networkBits); err == nil {
				text = p.String()
			}
		}
		if text != "" {
			all[text] = true
		}
	}
	return len(all)
}

// public reports whether a text cannot be private by itself. It has letters, numbers, blanks and some signs, which no address
// of a page or a person has.
func public(text string) bool {
	if !utf8.ValidString(text) || norm.NFKC.String(text) != text && !public(norm.NFKC.String(text)) {
		return false
	}
	if n := utf8.RuneCountInString(text); n < 2 || n > suggestLength || len(strings.Fields(text)) > suggestWords {
		return false
	}
	digits, between, letters := 0, 0, 0
	for _, r := range text {
		switch {
		case unicode.IsNumber(r):
			// 12-34 and 12 34 are one number; two signs end it.
			digits, between = digits+1, 0
			if digits >= suggestDigits {
				return false
			}
		case unicode.IsLetter(r):
			letters++
			digits = 0
		case unicode.IsMark(r):
		case strings.ContainsRune(" -_.'’+#&/", r):
			if between++; between > 1 {
				digits = 0
			}
		default:
			return false
		}
	}
	return letters > 1 || letters == 1 && utf8.RuneCountInString(text) > 1
}
