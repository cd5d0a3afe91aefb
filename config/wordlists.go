package config

import (
	"strings"
)

// Limits of the word lists. Each alternative of a word is read in every search for it.
const (
	maxGroupTexts  = 16    // of a line of a SynonymFile
	maxListLines   = 20000 // of all files of a kind
	maxListText    = 200   // bytes of a text
	maxKeyURL      = 2000  // bytes
	maxKeyTitle    = 300   // bytes
	keyMatchKeyMsg = `a query, an address and a title, such as KeyMatch "opening hours" https://www.example.org/hours "Opening hours"`
)

// SynonymGroup is a line of a SynonymFile. Its texts are as written; package search cuts them into words.
type SynonymGroup struct {
	File string
	Line int
	Lang string // two lower-case letters; empty = any language
	// Texts are found for each other. If Instead is not empty, those of Instead are found for each of Texts, and not
	// the other way round.
	Texts, Instead []string
}

// KeyMatch is a link that is shown above the results of some queries.
type KeyMatch struct {
	File  string
	Line  int
	Query string // as written
	URL   string // http or https
	Title string
	Kind  string // KeyExact, KeyPhrase or KeyWord
}

// Values of KeyMatch.Kind.
const (
	KeyExact  = "exact"   // the query has exactly these words
	KeyPhrase = "phrase"  // it has them beside each other
	KeyWord   = "keyword" // it has all of them
)

// setSynonyms reads a file, or a language and a file: one file a line in searchd.conf, any number of them in the
// environment, each with its language or none.
func setSynonyms(s *Search, d directive) error {
	if len(d.args) == 0 {
		return reasonf("no value, expected a file, or a language and a file")
	}
	for args := d.args; len(args) > 0; {
		lang := ""
		if len(args) > 1 && langCode.MatchString(strings.ToLower(args[0])) {
			lang, args = strings.ToLower(args[0]), args[1:]
		}
		if args[0] == "" {
			return reasonf("the file's name is empty")
		}
		groups, err := readSynonyms(inDir(d.dir, args[0]), lang)
		if err != nil {
			return err
		}
		if d.line > 0 && len(args) > 1 {
			return reasonf("%d values, expected a file, or a two-letter language code and a file", len(d.args))
		}
		s.Synonyms, args = append(s.Synonyms, groups...), args[1:]
	}
	if len(s.Synonyms) > maxListLines {
		return reasonf("more than %d groups of synonyms", maxListLines)
	}
	return nil
}

// readSynonyms reads the groups of a file.
func readSynonyms(path, lang string) (groups []SynonymGroup, err error) {
	return groups, readList(path, func(number int, line string) error {
		g, err := parseSynonyms(line)
		g.File, g.Line, g.Lang = path, number, lang
		groups = append(groups, g)
		return err
	})
}

// readList calls f with each line of a file that is neither blank nor a comment. Errors name file and line.
func readList(path string, f func(number int, line string) error) (err error) {
	b, _, err := readFile(path)
	if err != nil {
		return reasonf("%s: %s", printable(path), err)
	}
	at := func(number int, reason string) error { return reasonf("%s:%d: %s", printable(path), number, reason) }
	bad := eachLine(b, func(number int, line string) {
		line = strings.Trim(line, " \t")
		if err != nil || line == "" {
			return
		}
		wrong := checkText(line)
		if wrong == nil {
			wrong = f(number, line)
		}
		if wrong != nil {
			err = at(number, wrong.Error())
		}
	})
	if err == nil && bad != nil {
		err = at(bad.Line, bad.Reason)
	}
	return err
}

// parseSynonyms reads a line of a SynonymFile:
//
//	group = texts [ "=>" texts ]
//	texts = text { "," text }
//	text  = characters without comma, => and quotes | '"' characters '"'
func parseSynonyms(line string) (g SynonymGroup, err error) {
	list := &g.Texts
	for rest := line; ; {
		var text string
		if text, rest, err = synonym(rest); err != nil {
			return g, err
		}
		*list = append(*list, text)
		if len(g.Texts)+len(g.Instead) > maxGroupTexts {
			return g, reasonf("more than %d words in a group", maxGroupTexts)
		}
		switch {
		case rest == "":
			if len(g.Texts) == 1 && len(g.Instead) == 0 {
				return g, reasonf("%s has no synonym: write `car, automobile`, or `db => database`", quote(line))
			}
			return g, nil
		case rest[0] == ',':
			rest = rest[1:]
		case list == &g.Instead:
			return g, reasonf("a second =>: one line has one group")
		default:
			list, rest = &g.Instead, rest[len("=>"):]
		}
	}
}

// synonym reads a text up to a comma, => or the end.
func synonym(s string) (text, rest string, err error) {
	s = strings.TrimLeft(s, " \t")
	if strings.HasPrefix(s, `"`) {
		end := strings.IndexByte(s[1:], '"')
		if end < 0 {
			return "", "", reasonf("the closing quote is missing")
		}
		text, rest = s[1:1+end], strings.TrimLeft(s[end+2:], " \t")
		if rest != "" && rest[0] != ',' && !strings.HasPrefix(rest, "=>") {
			return "", "", reasonf("no comma after %s", quote(text))
		}
	} else {
		end := len(s)
		for _, mark := range []string{",", "=>"} {
			if i := strings.Index(s, mark); i >= 0 {
				end = min(end, i)
			}
		}
		text, rest = s[:end], s[end:]
		if strings.ContainsRune(text, '"') {
			return "", "", reasonf("a quote inside of %s: write the whole text in quotes, or none", quote(strings.TrimSpace(text)))
		}
	}
	switch text = strings.Trim(text, " \t"); {
	case text == "":
		return "", "", reasonf("a word is missing: a comma or => stands between two words")
	case len(text) > maxListText:
		return "", "", reasonf("%s is longer than %d bytes", quote(text), maxListText)
	}
	return text, rest, nil
}

// setQueryStopwords reads pairs of a language and a file, as StopwordFile of spider.cnf.
func setQueryStopwords(s *Search, d directive) error {
	var lists Spider
	if err := setStopwords(&lists, d); err != nil {
		return err
	}
	s.QueryStopwords = append(s.QueryStopwords, lists.Stopwords...)
	return nil
}

// setKeyMatch reads a query, an address, a title and, if wanted, the kind. In the environment there is one only.
func setKeyMatch(s *Search, d directive) error {
	k, err := keyMatch(d.args)
	k.File, k.Line = d.file, d.line
	s.KeyMatches = append(s.KeyMatches, k)
	if err == nil && len(s.KeyMatches) > maxListLines {
		err = reasonf("more than %d key matches", maxListLines)
	}
	return err
}

// setKeyMatchFile reads files whose lines have the values of KeyMatch.
func setKeyMatchFile(s *Search, d directive) error {
	if len(d.args) == 0 {
		return reasonf("no value, expected a file")
	}
	for _, name := range d.args {
		if name == "" {
			return reasonf("the file's name is empty")
		}
		path := inDir(d.dir, name)
		err := readList(path, func(number int, line string) error {
			args, err := splitValues(line)
			if err != nil {
				return err
			}
			return setKeyMatch(s, directive{args: args, file: path, line: number})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// keyMatch reads the values of a KeyMatch.
func keyMatch(args []string) (k KeyMatch, err error) {
	if len(args) < 3 || len(args) > 4 {
		return k, reasonf("%d values, expected %s", len(args), keyMatchKeyMsg)
	}
	k = KeyMatch{Query: strings.TrimSpace(args[0]), Title: strings.TrimSpace(args[2]), Kind: KeyExact}
	if len(args) == 4 {
		if k.Kind, err = choice(KeyExact, KeyPhrase, KeyWord)(args[3]); err != nil {
			return k, err
		}
	}
	url, login, err := startURL(args[1])
	switch k.URL = url; {
	case err != nil:
		return k, err
	case login != "":
		return k, reasonf("the address must not contain a user name and password")
	case strings.ContainsAny(url, " \t"):
		return k, reasonf("%s has a blank in it: write %%20", quote(url))
	case k.Query == "" || k.Title == "":
		return k, reasonf("an empty value, expected %s", keyMatchKeyMsg)
	case len(k.Query) > maxListText, len(url) > maxKeyURL, len(k.Title) > maxKeyTitle:
		return k, reasonf("a value is too long: query %d, address %d, title %d bytes at most", maxListText, maxKeyURL, maxKeyTitle)
	}
	return k, nil
}
