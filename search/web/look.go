package web

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// defaultName is the name that the pages have without Name.
const defaultName = "pgseek"

// maxLookFile is the maximum size of a file of a Look.
const maxLookFile = 1 << 20

// A Look is how the pages look. The zero value is usable.
type Look struct {
	Language string // of readers who ask for none that there is; empty = en
	Name     string // in titles and opensearch.xml; empty = pgseek

	// LogoURL is the http or https address of an image, Logo an image that searchd serves itself. Without both
	// the name is shown as text.
	LogoURL string
	Logo    File

	Colors []Color

	// Files are those of the operator, in place of the program's: base.html, home.html and so on, style.css, and
	// the parts header and footer of every page. docs/templates.md is the contract.
	Files map[string]File

	Suggest   bool // the pages have the script that shows suggestions
	FileLinks bool // results that are files have links

	Log *slog.Logger // of templates that fail; nil = slog.Default()
}

// A Color replaces a color of style.css, as #rrggbb. Dark is that of the dark scheme, empty for the default.
type Color struct{ Name, Light, Dark string }

// A File is the content of a file of the operator.
type File struct {
	Path string
	Body []byte
}

// A TemplateError is an error in a file of the operator.
type TemplateError struct {
	File string
	Line int // from 1; 0 = unknown
	Text string
}

func (e *TemplateError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Text
	}
	return e.File + ":" + strconv.Itoa(e.Line) + ": " + e.Text
}

// ReadFile reads a file of a Look.
func ReadFile(path string) (File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		return File{}, &TemplateError{File: path, Text: "not a regular file"}
	case info.Size() > maxLookFile:
		return File{}, &TemplateError{File: path, Text: fmt.Sprintf("larger than %d MB", maxLookFile>>20)}
	}
	body, err := os.ReadFile(path)
	if err != nil {
		return File{}, &TemplateError{File: path, Text: "cannot be read"}
	}
	return File{Path: path, Body: body}, nil
}

// ReadTemplates adds the files of a directory to Files. Each must have the name of a file of the pages; names
// that begin with a dot or end in ~ are left out.
func (l *Look) ReadTemplates(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return &TemplateError{File: dir, Text: "cannot be read"}
	}
	known := []string{"base.html", "style.css"}
	for _, files := range pageFileNames {
		for _, name := range files {
			known = append(known, name+".html")
		}
	}
	slices.Sort(known)
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || name == "README.md" {
			continue
		}
		path := filepath.Join(dir, name)
		if !slices.Contains(known, name) {
			return &TemplateError{File: path, Text: "no page has a file of this name; those are " + strings.Join(known, " ")}
		}
		file, err := ReadFile(path)
		if err != nil {
			return err
		}
		l.add(name, file)
	}
	return nil
}

// ReadPart reads header or footer, a part of every page.
func (l *Look) ReadPart(name, path string) error {
	file, err := ReadFile(path)
	if err == nil {
		l.add(name, file)
	}
	return err
}

func (l *Look) add(name string, f File) {
	if l.Files == nil {
		l.Files = map[string]File{}
	}
	l.Files[name] = f
}

func (l *Look) log() *slog.Logger {
	if l.Log == nil {
		return slog.Default()
	}
	return l.Log
}

// logoTypes are the types of images by the ends of their names.
var logoTypes = map[string]string{
	".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp",
	".ico": "image/vnd.microsoft.icon",
}

func (l *Look) logoType() string { return logoTypes[strings.ToLower(filepath.Ext(l.Logo.Path))] }

// colors returns the rules that follow style.css.
func (l *Look) colors() string {
	var light, dark strings.Builder
	for _, c := range l.Colors {
		if colorName.MatchString(c.Name) && colorValue.MatchString(c.Light) {
			light.WriteString(" --" + c.Name + ": " + c.Light + ";")
		}
		if colorName.MatchString(c.Name) && colorValue.MatchString(c.Dark) {
			dark.WriteString(" --" + c.Name + ": " + c.Dark + ";")
		}
	}
	rules := ""
	if light.Len() > 0 {
		rules += "@media not (prefers-color-scheme: dark) {\n  :root {" + light.String() + " }\n}\n"
	}
	if dark.Len() > 0 {
		rules += "@media (prefers-color-scheme: dark) {\n  :root {" + dark.String() + " }\n}\n"
	}
	return rules
}

var (
	colorName  = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	colorValue = regexp.MustCompile(`^#[0-9a-f]{6}$`)
)

// Policy returns the Content-Security-Policy of the pages.
func (p *Pages) Policy() string {
	policy := PagePolicy
	if p.look.Suggest {
		policy += scriptPolicy
	}
	if origin := p.look.logoOrigin(); origin != "" {
		policy = strings.Replace(policy, "img-src 'self'", "img-src 'self' "+origin, 1)
	}
	return policy
}

// templatePlace is how html/template and its parser write the place of an error.
var templatePlace = regexp.MustCompile(`^(?:html/)?template: ?(.+?):([0-9]+)(?::[0-9]+)?: ((?s).*)$`)

// templateFault returns an error of a template with its file and line.
func templateFault(err error) error {
	if m := templatePlace.FindStringSubmatch(err.Error()); m != nil {
		line, _ := strconv.Atoi(m[2])
		return &TemplateError{File: m[1], Line: line, Text: m[3]}
	}
	return err
}
