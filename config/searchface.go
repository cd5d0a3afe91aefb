package config

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Face is how the pages of searchd look.
type Face struct {
	Name           string // in place of pgseek
	Logo           string // path of a file, or http or https URL; "" = Name as text
	Colors         []Color
	Header, Footer string // paths of files; "" = none
	Templates      string // path of a directory; "" = none
}

// A Color is a color of the pages in the light and the dark scheme, as #rrggbb. Dark is "" for the default.
type Color struct{ Name, Light, Dark string }

// ColorNames are the colors of style.css.
var ColorNames = strings.Fields("paper panel line edge ink soft link visited accent mark mark-ink button button-ink")

// maxName is the maximum length of Name, in characters. Browsers show about so much in a tab.
const maxName = 60

// faceKeys are the directives of a Face.
var faceKeys = []key[Search]{
	scalar("Name", "pgseek", pageName, func(s *Search) *string { return &s.Face.Name }),
	{name: "Logo", listed: true, set: setLogo},
	{name: "Color", list: true, listed: true, set: setColor},
	pathKey("Header", false, func(s *Search) *string { return &s.Face.Header }),
	pathKey("Footer", false, func(s *Search) *string { return &s.Face.Footer }),
	pathKey("Templates", true, func(s *Search) *string { return &s.Face.Templates }),
}

func pageName(s string) (string, error) {
	switch {
	case strings.TrimSpace(s) == "" || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }):
		return "", reasonf("%s is not a name: it is empty or has characters that cannot be seen", quote(s))
	case utf8.RuneCountInString(s) > maxName:
		return "", reasonf("%s has more than %d characters", quote(s), maxName)
	}
	return s, nil
}

// pathKey returns a key whose value is the path of a file or directory, which must be there.
func pathKey(name string, directory bool, field func(*Search) *string) key[Search] {
	return key[Search]{name: name, listed: true, set: func(s *Search, d directive) error {
		value, err := one(d)
		if err != nil {
			return err
		}
		*field(s), err = present(d, value, directory)
		return err
	}}
}

// present returns the path of a file or directory that must be there.
func present(d directive, value string, directory bool) (string, error) {
	if value == "" {
		return "", reasonf("the path is empty")
	}
	path := inDir(d.dir, value)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", reasonf("%s: %s", printable(path), cause(err))
	case directory && !info.IsDir(), !directory && !info.Mode().IsRegular():
		return "", reasonf("%s is %s", printable(path), map[bool]string{true: "no directory", false: "not a regular file"}[directory])
	}
	return path, nil
}

// logoTypes are the names of images that browsers show.
var logoTypes = strings.Fields(".svg .png .jpg .jpeg .gif .webp .ico")

func setLogo(s *Search, d directive) error {
	value, err := one(d)
	if err != nil {
		return err
	}
	if lower := strings.ToLower(value); strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") {
		site, _, login := strings.Cut(strings.SplitN(value, "/", 4)[2], "@")
		if login || site == "" || strings.ContainsAny(value, " \"'<>;,\\") || strings.Count(value, "/") < 3 {
			return reasonf("%s is not the address of an image such as https://www.example.org/logo.png", quote(value))
		}
		s.Face.Logo = value
		return nil
	}
	if !slices.Contains(logoTypes, strings.ToLower(filepath.Ext(value))) {
		return reasonf("%s is not the name of an image: it ends in none of %s", quote(value), strings.Join(logoTypes, " "))
	}
	s.Face.Logo, err = present(d, value, false)
	return err
}

var colorValue = regexp.MustCompile(`^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$`)

// setColor reads a name and one or two colors.
func setColor(s *Search, d directive) error {
	if len(d.args) != 2 && len(d.args) != 3 {
		return reasonf("%d values, expected a name, a color and perhaps the color of the dark scheme, such as: link #0d4f52 #8fd0cc", len(d.args))
	}
	c := Color{Name: strings.ToLower(d.args[0])}
	if !slices.Contains(ColorNames, c.Name) {
		return reasonf("%s is not the name of a color; those are %s", quote(d.args[0]), strings.Join(ColorNames, " "))
	}
	for i, text := range d.args[1:] {
		if !colorValue.MatchString(text) {
			return reasonf("%s is not a color such as #0d4f52", quote(text))
		}
		text = strings.ToLower(text)
		if len(text) == 4 {
			text = "#" + strings.Repeat(text[1:2], 2) + strings.Repeat(text[2:3], 2) + strings.Repeat(text[3:4], 2)
		}
		*[]*string{&c.Light, &c.Dark}[i] = text
	}
	s.Face.Colors = slices.DeleteFunc(s.Face.Colors, func(old Color) bool { return old.Name == c.Name })
	s.Face.Colors = append(s.Face.Colors, c)
	return nil
}
