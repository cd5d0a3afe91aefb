package config

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// StopwordFile is one list of words that are not stored, but take an ordinal and vote for the language.
type StopwordFile struct {
	Lang  string   // two lower-case letters
	Path  string   // as resolved against the configuration file
	Words []string // as written, ascending, no duplicates; read by Load. Package document folds them
}

var langCode = regexp.MustCompile(`^[a-z]{2}$`)

// setStopwords reads pairs of a language and a file: one pair a line in spider.cnf, any number of pairs in
// the environment.
func setStopwords(s *Spider, d directive) error {
	if len(d.args) == 0 || len(d.args)%2 != 0 {
		return reasonf("%d values, expected a language and a file", len(d.args))
	}
	for pair := range slices.Chunk(d.args, 2) {
		lang := strings.ToLower(pair[0])
		if !langCode.MatchString(lang) {
			return reasonf("%s is not a two-letter language code", quote(pair[0]))
		}
		if pair[1] == "" {
			return reasonf("the file's name is empty")
		}
		path := inDir(d.dir, pair[1])
		words, err := readStopwords(path)
		if err != nil {
			return reasonf("%s: %s", printable(path), err)
		}
		s.Stopwords = append(s.Stopwords, StopwordFile{Lang: lang, Path: path, Words: words})
	}
	return nil
}

// readStopwords reads words separated by white space; a line whose first character is # is a comment.
func readStopwords(path string) ([]string, error) {
	b, _, err := readFile(path)
	if err != nil {
		return nil, err
	}
	b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	var words []string
	number := 0
	for line := range strings.Lines(string(b)) {
		number++
		if strings.ContainsRune(line, 0) || !utf8.ValidString(line) {
			return nil, reasonf("line %d is not UTF-8 text", number)
		}
		if !strings.HasPrefix(line, "#") {
			words = append(words, strings.Fields(line)...)
		}
	}
	if len(words) == 0 {
		return nil, reasonf("the file contains no words")
	}
	slices.Sort(words)
	return slices.Compact(words), nil
}
