package wording

import (
	"regexp"

	"github.com/pgseek/pgseek/internal/printable"
)

// MaxCleaned bounds a result of Clean in bytes: a URL is never longer.
const MaxCleaned = 2048

// Clean returns text with values from outside as a terminal shows it.
func Clean(s string) string { return printable.String(s, MaxCleaned) }

// userinfo matches what precedes the host of a URL, with user and password: the longest match, since a password may contain @.
var userinfo = regexp.MustCompile(`^([^:]*:[/\\]*).*@`)

// WithoutPassword removes user and password from a URL that the operator gave, so that it can be shown (B9).
func WithoutPassword(given string) string { return userinfo.ReplaceAllString(given, "$1") }
