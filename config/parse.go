package config

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// The grammar that all files share:
//
//	file      = [BOM] { line LF }            a CR before the LF belongs to the line's end
//	line      = comment | blank | directive  a comment's "#" is the very first character
//	directive = keyword { value }            separated by blanks (spaces, tabs)
//	value     = text without blanks | '"' text '"'
//
// A directive whose line ends in "\" continues on the next line, as if both were one; a comment does not.
// Inside quotes \" is a quote, and every other character, other backslashes included, is literal, so that a
// regular expression is written the same way with and without quotes. A quote within a bare value is an
// ordinary character.
const (
	maxIncludeDepth = 5
	maxFileBytes    = 16 << 20 // far above any real file; keeps a mistyped path from filling the memory
	maxFiles        = 1000     // five levels that each include the next a thousand times would never end
)

// A directive is one line of a file, or one value from the environment or the command line.
type directive struct {
	keyword string   // as written
	args    []string // without quotes; empty when nothing follows the keyword
	file    string   // the file, the environment variable, or commandLine
	line    int      // from 1; 0 outside a file
	dir     string   // base of relative paths: the file's directory; "" = the current one
	text    string   // the line, continuation lines joined
}

// problem returns an Error at the place of the directive.
func (d directive) problem(keyword, reason string) Error {
	return Error{File: d.file, Line: d.line, Keyword: keyword, Reason: reason}
}

// parser collects the directives of one file and of those that it includes, in reading order.
type parser struct {
	directives []directive
	errs       Errors
	chain      []os.FileInfo // the file being read and those that include it
	files      int
}

// parseFile reads the file at path. It returns the readable lines even when there are problems, so that later
// checks find theirs as well.
func parseFile(path string) ([]directive, Errors) {
	b, info, err := readFile(path)
	if err != nil {
		return nil, Errors{{File: path, Reason: err.Error()}}
	}
	return parseBytes(path, b, info)
}

// parseBytes parses b as the content of the file at path. info is the file's identity and may be nil; a file
// that includes itself is then reported one level later.
func parseBytes(path string, b []byte, info os.FileInfo) ([]directive, Errors) {
	var p parser
	p.chain = append(p.chain, info)
	p.parse(path, b)
	return p.directives, p.errs
}

// readFile reads a whole configuration file. Its errors are reasons without the file's name.
func readFile(path string) ([]byte, os.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, reasonf("%s", cause(err))
	}
	// Reading a pipe or a device would block or never end.
	if !info.Mode().IsRegular() {
		return nil, nil, reasonf("not a regular file")
	}
	if info.Size() > maxFileBytes {
		return nil, nil, reasonf("larger than %d MB, too large for a configuration file", maxFileBytes>>20)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, reasonf("%s", cause(err))
	}
	return b, info, nil
}

func (p *parser) parse(path string, b []byte) {
	if bad := eachLine(b, func(number int, line string) { p.directive(path, number, line) }); bad != nil {
		p.errs.add(Error{File: path, Line: bad.Line, Reason: bad.Reason})
	}
}

// eachLine calls f with each logical line of a file that is no comment, and its number. The problem that it returns has
// no file's name.
func eachLine(b []byte, f func(number int, line string)) *Error {
	b = bytes.TrimPrefix(b, []byte("\uFEFF"))
	// A NUL means that this is no text (UTF-16, a database, a program): one message, not one a line.
	if i := bytes.IndexByte(b, 0); i >= 0 {
		return &Error{Line: 1 + bytes.Count(b[:i], []byte{'\n'}), Reason: "NUL byte: the file is not UTF-8 text"}
	}
	lines := strings.Split(string(b), "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimSuffix(lines[i], "\r")
		if strings.HasPrefix(line, "#") {
			continue
		}
		first := i + 1
		if strings.HasSuffix(line, `\`) {
			var whole strings.Builder
			for strings.HasSuffix(line, `\`) {
				whole.WriteString(strings.TrimSuffix(line, `\`))
				if i++; i == len(lines) || i == len(lines)-1 && lines[i] == "" {
					return &Error{Line: first, Reason: `the line ends in "\" but no line follows`}
				}
				line = strings.TrimSuffix(lines[i], "\r")
			}
			whole.WriteString(line)
			line = whole.String()
		}
		f(first, line)
	}
	return nil
}

// directive parses one logical line and follows an Include.
func (p *parser) directive(path string, number int, line string) {
	line = strings.Trim(line, " \t")
	if line == "" {
		return
	}
	d := directive{file: path, line: number, dir: filepath.Dir(path), text: line}
	if err := checkText(line); err != nil {
		p.errs.add(d.problem("", err.Error()))
		return
	}
	end := strings.IndexAny(line, " \t")
	if end < 0 {
		end = len(line)
	}
	d.keyword = line[:end]
	if strings.EqualFold(d.keyword, "Converter") { // its command has a grammar of its own
		d.args = strings.Fields(line[end:])
		p.directives = append(p.directives, d)
		return
	}
	args, err := splitValues(line[end:])
	if err != nil {
		p.errs.add(d.problem(spelling(d.keyword), err.Error()))
		return
	}
	d.args = args
	if strings.EqualFold(d.keyword, "Include") {
		if err := p.include(d); err != nil {
			p.errs.add(d.problem("Include", err.Error()))
		}
		return
	}
	p.directives = append(p.directives, d)
}

// include reads the named file as if its lines were written here. Its error belongs to the directive;
// problems inside the file are collected with the file's own lines.
func (p *parser) include(d directive) error {
	name, err := one(d)
	if err != nil {
		return err
	}
	if name == "" {
		return reasonf("the file's name is empty")
	}
	path := inDir(d.dir, name)
	b, info, err := readFile(path)
	if err != nil {
		return reasonf("%s: %s", printable(path), err)
	}
	for _, outer := range p.chain {
		if outer != nil && os.SameFile(outer, info) {
			return reasonf("%s includes itself", printable(path))
		}
	}
	if len(p.chain) > maxIncludeDepth {
		return reasonf("%s: included files are nested more than %d deep", printable(path), maxIncludeDepth)
	}
	if p.files++; p.files > maxFiles {
		return reasonf("%s: more than %d files are included", printable(path), maxFiles)
	}
	p.chain = append(p.chain, info)
	p.parse(path, b)
	p.chain = p.chain[:len(p.chain)-1]
	return nil
}

// inDir resolves a name that was read from a file of directory dir.
func inDir(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// checkText refuses characters that no value may contain: control characters would reach logs, terminals and
// HTTP headers.
func checkText(s string) error {
	if !utf8.ValidString(s) {
		return reasonf("the line is not valid UTF-8")
	}
	for _, r := range s {
		if r < ' ' && r != '\t' || r == 0x7F {
			return reasonf("control character %U", r)
		}
	}
	return nil
}

// splitValues separates the values after a keyword. Its errors repeat nothing of the text, which may be a
// password.
func splitValues(s string) ([]string, error) {
	var args []string
	for {
		s = strings.TrimLeft(s, " \t")
		if s == "" {
			return args, nil
		}
		if s[0] != '"' {
			end := strings.IndexAny(s, " \t")
			if end < 0 {
				end = len(s)
			}
			args = append(args, s[:end])
			s = s[end:]
			continue
		}
		value, rest, err := unquote(s[1:])
		if err != nil {
			return nil, err
		}
		args = append(args, value)
		s = rest
	}
}

// unquote reads up to the closing quote; s begins after the opening one.
func unquote(s string) (value, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			rest = s[i+1:]
			if rest != "" && rest[0] != ' ' && rest[0] != '\t' {
				return "", "", reasonf("no space between a closing quote and the next text")
			}
			return b.String(), rest, nil
		case s[i] == '\\' && i+1 < len(s):
			// \" is a quote; of any other pair both characters stay, and the second cannot end the value: "\\" is
			// the pattern \\.
			i++
			if s[i] != '"' {
				b.WriteByte('\\')
			}
			b.WriteByte(s[i])
		default:
			b.WriteByte(s[i])
		}
	}
	return "", "", reasonf("the closing quote is missing")
}
