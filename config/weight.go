package config

import (
	"regexp"
	"strconv"
)

// A Weight multiplies the scores of the documents whose URL a pattern matches.
type Weight struct {
	Pattern *regexp.Regexp // RE2, ignoring case, unanchored
	Factor  float64
}

// The limits of Weight's factor.
const (
	minWeight = 0.1
	maxWeight = 10
)

// setWeights reads pairs of a pattern and a factor: one pair a line in searchd.conf, any number of pairs in the environment.
func setWeights(s *Search, d directive) error {
	if len(d.args) == 0 || len(d.args)%2 != 0 {
		return reasonf("%d values, expected a pattern and a factor, as in Weight ^https?://[^/]*/docs/ 2", len(d.args))
	}
	for i := 0; i < len(d.args); i += 2 {
		re, err := pattern(d.args[i])
		if err != nil {
			return err
		}
		factor, err := strconv.ParseFloat(d.args[i+1], 64)
		if err != nil || !(factor >= minWeight && factor <= maxWeight) {
			return reasonf("%s is not a number from %g to %d", quote(d.args[i+1]), minWeight, maxWeight)
		}
		s.Weights = append(s.Weights, Weight{re, factor})
	}
	return nil
}

// Weigh returns the function that gives the factor of a URL: that of the first line that matches, else 1. It is nil without
// lines.
func (s *Search) Weigh() func(url string) float64 {
	if len(s.Weights) == 0 {
		return nil
	}
	return func(url string) float64 {
		for _, w := range s.Weights {
			if w.Pattern.MatchString(url) {
				return w.Factor
			}
		}
		return 1
	}
}
