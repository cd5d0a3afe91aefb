package config

import "strings"

// A ListedText is a text of a list, and where it stands.
type ListedText struct {
	File string
	Line int
	Text string
}

// setSuggestNever reads texts, each in quotes if it has several words.
func setSuggestNever(s *Search, d directive) error {
	if len(d.args) == 0 {
		return reasonf("no value, expected words or texts in quotes that are never suggested")
	}
	for _, text := range d.args {
		if err := s.neverSuggest(text, d.file, d.line); err != nil {
			return err
		}
	}
	return nil
}

// setSuggestNeverFile reads files with a text on each line.
func setSuggestNeverFile(s *Search, d directive) error {
	if len(d.args) == 0 {
		return reasonf("no value, expected a file")
	}
	for _, name := range d.args {
		if name == "" {
			return reasonf("the file's name is empty")
		}
		path := inDir(d.dir, name)
		if err := readList(path, func(number int, line string) error { return s.neverSuggest(line, path, number) }); err != nil {
			return err
		}
	}
	return nil
}

func (s *Search) neverSuggest(text, file string, line int) error {
	switch text = strings.TrimSpace(text); {
	case text == "":
		return reasonf("an empty text")
	case len(text) > maxListText:
		return reasonf("%s is longer than %d bytes", quote(text), maxListText)
	case len(s.SuggestNever) == maxListLines:
		return reasonf("more than %d texts", maxListLines)
	}
	s.SuggestNever = append(s.SuggestNever, ListedText{file, line, text})
	return nil
}
