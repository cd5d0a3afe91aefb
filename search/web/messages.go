package web

import (
	"embed"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// messageFiles has one file a language; messages/README.md says how to add one.
//
//go:embed messages
var messageFiles embed.FS

// defaultLanguage is the language whose file has every message. Others fall back to it.
const defaultLanguage = "en"

// An entry is the HTML of a text with placeholders, or one text for each plural form that the language has.
type entry struct {
	text  string
	forms map[plural.Form]string // nil = text
}

// A catalog has the texts of the pages in one language, and writes its numbers and dates.
type catalog struct {
	code      string // the name of the file, and the attribute lang of the pages
	tag       language.Tag
	numbers   separators
	messages  map[string]entry
	sentences map[string]string // by the English format (query.Note, query.Error, failure)
	fallback  *catalog          // nil for English
}

// catalogs are the languages of the pages, by code.
type catalogs struct {
	byCode  map[string]*catalog
	codes   []string // ascending; the default language first
	matcher language.Matcher
}

// loadCatalogs reads all message files. usual is the code of the default language (Language); empty = English.
func loadCatalogs(usual string) (*catalogs, error) {
	if usual == "" {
		usual = defaultLanguage
	}
	c := &catalogs{byCode: map[string]*catalog{}}
	for _, code := range Languages() {
		var err error
		if c.byCode[code], err = loadCatalog(code); err != nil {
			return nil, fmt.Errorf("messages/%s.toml: %w", code, err)
		}
	}
	if c.byCode[usual] == nil {
		return nil, fmt.Errorf("no messages in %q", usual)
	}
	c.codes = slices.DeleteFunc(slices.Sorted(maps.Keys(c.byCode)), func(code string) bool { return code == usual })
	c.codes = slices.Insert(c.codes, 0, usual)
	var tags []language.Tag
	for _, code := range c.codes {
		x := c.byCode[code]
		tags = append(tags, x.tag)
		if code != defaultLanguage {
			x.fallback = c.byCode[defaultLanguage]
		}
	}
	c.matcher = language.NewMatcher(tags)
	return c, nil
}

// Languages returns the codes of the languages that pages can have, ascending.
func Languages() (codes []string) {
	files, _ := messageFiles.ReadDir("messages") // in the program
	for _, f := range files {
		if code, ok := strings.CutSuffix(f.Name(), ".toml"); ok {
			codes = append(codes, code)
		}
	}
	return codes
}

// usual returns the default language.
func (c *catalogs) usual() *catalog { return c.byCode[c.codes[0]] }

// in returns the catalog of a code; the default one if there is none.
func (c *catalogs) in(code string) *catalog {
	if x := c.byCode[code]; x != nil {
		return x
	}
	return c.usual()
}

// named returns the code of the language that a tag such as de or pt-BR asks for; empty if no file has it.
func (c *catalogs) named(text string) string {
	tag, err := language.Parse(text)
	if err != nil {
		return ""
	}
	_, i, sure := c.matcher.Match(tag)
	if sure == language.No {
		return ""
	}
	return c.codes[i]
}

// accepted returns the code of the best language for a header Accept-Language.
func (c *catalogs) accepted(header string) string {
	tags, _, err := language.ParseAcceptLanguage(header)
	if err != nil || len(tags) == 0 {
		return c.codes[0]
	}
	_, i, sure := c.matcher.Match(tags...)
	if sure == language.No {
		return c.codes[0]
	}
	return c.codes[i]
}

// loadCatalog reads the file of one language.
func loadCatalog(code string) (*catalog, error) {
	tag, err := language.Parse(code)
	if err != nil {
		return nil, err
	}
	body, err := messageFiles.ReadFile(path.Join("messages", code+".toml"))
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	if err := toml.Unmarshal(body, &tree); err != nil {
		return nil, err
	}
	x := &catalog{code: code, tag: tag, numbers: separatorsOf(message.NewPrinter(tag)), messages: map[string]entry{}, sentences: map[string]string{}}
	return x, x.add("", tree)
}

// pluralForms are the names of plural forms in Unicode's tables.
var pluralForms = map[string]plural.Form{
	"zero": plural.Zero, "one": plural.One, "two": plural.Two, "few": plural.Few, "many": plural.Many, "other": plural.Other,
}

// add adds the tables of a file: [home] with held = "..." is the message home.held, a table of plural forms is
// one message, and [sentences] has whole English sentences as keys.
func (x *catalog) add(prefix string, tree map[string]any) error {
	for key, v := range tree {
		name := strings.TrimPrefix(prefix+"."+key, ".")
		switch v := v.(type) {
		case string:
			if prefix == "sentences" {
				x.sentences[key] = v
			} else {
				x.messages[name] = entry{text: markup(v)}
			}
		case map[string]any:
			if forms, ok, err := formsOf(v); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			} else if ok {
				x.messages[name] = entry{forms: forms}
				continue
			}
			if err := x.add(name, v); err != nil {
				return err
			}
		default:
			return fmt.Errorf("%s is no text", name)
		}
	}
	return nil
}

// formsOf returns the plural forms of a table; ok is false if it has none.
func formsOf(table map[string]any) (forms map[plural.Form]string, ok bool, err error) {
	if _, ok = table["other"].(string); !ok {
		return nil, false, nil
	}
	forms = map[plural.Form]string{}
	for name, v := range table {
		form, known := pluralForms[name]
		text, isText := v.(string)
		if !known || !isText {
			return nil, false, errors.New(name + " is no plural form")
		}
		forms[form] = markup(text)
	}
	return forms, true, nil
}

// find returns a message of this language, else of English; ok is false if there is none.
func (x *catalog) find(key string) (m entry, in *catalog, ok bool) {
	for in = x; in != nil; in = in.fallback {
		if m, ok = in.messages[key]; ok {
			return m, in, true
		}
	}
	return entry{}, x, false
}

// form returns the text of a message for a number. The last seven digits determine the plural form.
func (x *catalog) form(m entry, n int64) string {
	if m.forms == nil {
		return m.text
	}
	if n < 0 {
		n = -n
	}
	small := int(n)
	if n >= 10_000_000 {
		small = int(n%10_000_000) + 10_000_000
	}
	if text, ok := m.forms[plural.Cardinal.MatchPlural(x.tag, small, 0, 0, 0, 0)]; ok {
		return text
	}
	return m.forms[plural.Other]
}
