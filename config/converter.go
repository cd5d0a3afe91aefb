package config

import (
	"regexp"
	"slices"
	"strings"
)

// Converter is a Converter line: a command that turns documents of one type into another.
type Converter struct {
	From    string   // media type in lower case; it may end in *
	To      string   // text/html, text/plain, or the From of another line
	Charset string   // of the output; empty = it is guessed, as of a page
	Args    []string // the program and its arguments, with $in, $out and $url
	File    string
	Line    int
	Text    string // the line as written, for --explain
}

// Fits reports whether the line is for a media type, which is in lower case and has no parameters.
func (c *Converter) Fits(mediaType string) bool { return fits(c.From, mediaType) }

func fits(from, mediaType string) bool {
	if begin, ok := strings.CutSuffix(from, "*"); ok {
		return strings.HasPrefix(mediaType, begin)
	}
	return from == mediaType
}

// maxChain is the number of commands that a document may pass through.
const maxChain = 3

var (
	mediaTypeText = regexp.MustCompile(`^[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+$`)
	fromTypeText  = regexp.MustCompile(`^[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]*\*?$`)
	charsetText   = regexp.MustCompile(`^[a-z0-9][a-z0-9._:-]*$`)
)

// readable are the types that are read without a converter, and so the ends of chains.
var readable = []string{"text/html", "text/plain"}

func (r *setsReader) converter(d directive) error {
	if len(d.args) < 3 {
		return reasonf("want: Converter from/type to/type command ...")
	}
	c := Converter{From: strings.ToLower(d.args[0]), File: d.file, Line: d.line, Text: d.text}
	to, parameter, _ := strings.Cut(strings.ToLower(d.args[1]), ";")
	c.To = to
	switch {
	case !fromTypeText.MatchString(c.From) || strings.HasSuffix(c.From, "/"):
		return reasonf("%s is no media type", quote(d.args[0]))
	case !mediaTypeText.MatchString(c.To):
		return reasonf("%s is no media type", quote(d.args[1]))
	case slices.Contains(readable, c.From) || c.From == "application/xhtml+xml":
		return reasonf("%s is read without a converter", c.From)
	case fits(c.From, c.To) && !slices.Contains(readable, c.To):
		return reasonf("from and to are the same type")
	}
	if parameter != "" {
		name, value, _ := strings.Cut(parameter, "=")
		if c.Charset = strings.TrimSpace(value); strings.TrimSpace(name) != "charset" || !charsetText.MatchString(c.Charset) {
			return reasonf("%s: the only parameter is charset, as in text/plain;charset=utf-8", quote(d.args[1]))
		}
	}
	args, err := command(d)
	if err != nil {
		return err
	}
	c.Args = args
	for i, arg := range args {
		switch at := strings.Index(arg, "$url"); {
		case at < 0:
		case i == 0, arg != "$url" && !strings.HasSuffix(arg[:at], "=") || at+len("$url") != len(arg):
			return reasonf("$url has to be an argument of its own, or the end of one like --base=$url: what reads it must not take a part of it for a command")
		}
	}
	switch {
	case strings.Contains(args[0], "$"):
		return reasonf("the program has to be a name or a path")
	case strings.Contains(args[0], "/"):
		c.Args[0] = inDir(d.dir, args[0])
	}
	r.sets.Converters = append(r.sets.Converters, c)
	return nil
}

// command splits what follows the two types into arguments. A command that is one quoted value is split as if it were not
// quoted.
func command(d directive) ([]string, error) {
	text := d.text
	for range 3 { // the keyword and the types, which have neither quotes nor blanks
		text = strings.Trim(text, " \t")
		text = strings.Trim(text[strings.IndexAny(text, " \t"):], " \t")
	}
	if strings.HasPrefix(text, `"`) {
		if whole, rest, err := unquote(text[1:]); err == nil && rest == "" {
			text = whole
		}
	}
	args, err := arguments(text)
	if err == nil && (len(args) == 0 || args[0] == "") {
		err = reasonf("the command is empty")
	}
	return args, err
}

// arguments splits a command as a shell does, but nothing in it is expanded: blanks separate, '...' is literal, within "..." a
// backslash stands before " and \, and outside of quotes before any character.
func arguments(s string) (args []string, err error) {
	var b strings.Builder
	within, quoted, literal := false, byte(0), false
	word := func() error {
		if !literal && shellSyntax.MatchString(b.String()) {
			return reasonf("no shell reads the command, so %s is an argument of it; write: sh -c '...$1...' sh $in", quote(b.String()))
		}
		args, within, literal = append(args, b.String()), false, false
		b.Reset()
		return nil
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quoted == 0 && (c == ' ' || c == '\t'):
			if within {
				if err := word(); err != nil {
					return nil, err
				}
			}
			continue
		case quoted == 0 && (c == '\'' || c == '"'):
			quoted, literal = c, true
		case quoted == c:
			quoted = 0
		case c == '\\' && quoted != '\'':
			literal = true
			if i++; i == len(s) {
				return nil, reasonf("nothing follows the backslash at the end")
			}
			if quoted == '"' && s[i] != '"' && s[i] != '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(s[i])
		default:
			b.WriteByte(c)
		}
		within = true
	}
	if quoted != 0 {
		return nil, reasonf("the closing quote is missing")
	}
	if within {
		if err := word(); err != nil {
			return nil, err
		}
	}
	return args, nil
}

// shellSyntax matches words without quotes that mean something to a shell only: pipes, lists and redirections.
var shellSyntax = regexp.MustCompile(`^([|]+&?|&&?|;|[0-9]*[<>].*|&>.*)$|^\$(in|out)[|;&<>]`)

// pdf is a type that needs no line: when none fits it, pdftotext converts it.
const pdf = "application/pdf"

// unfinishedChains reports lines whose output nothing reads.
func (r *setsReader) unfinishedChains(errs *Errors) {
	lines := r.sets.Converters
	for _, c := range lines {
		if to := c.To; !ends(lines, to, maxChain-1) {
			errs.add(Error{File: c.File, Line: c.Line, Keyword: "Converter", Reason: "no chain of at most 3 lines turns " + to +
				" into text/html or text/plain"})
		}
	}
}

// ends reports whether at most n further lines make a type readable.
func ends(lines []Converter, mediaType string, n int) bool {
	if slices.Contains(readable, mediaType) {
		return true
	}
	i := slices.IndexFunc(lines, func(c Converter) bool { return c.Fits(mediaType) })
	if n == 0 || i < 0 {
		return n > 0 && mediaType == pdf
	}
	return ends(lines, lines[i].To, n-1)
}
