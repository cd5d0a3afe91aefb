package wording

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pgseek/pgseek/spider/weburl"
)

// BareHostError is a host, or the path of a file, where a URL was to stand.
type BareHostError struct{ given, meant string }

func (e BareHostError) Error() string { return fmt.Sprintf("%q is no URL: write %s", e.given, e.meant) }

// bareHost matches a host, with or without a port and a path, that somebody typed without a scheme.
var bareHost = regexp.MustCompile(`^[^\s/:@?#\\]+(:[0-9]+)?([/?#]|$)`)

// WrongURL returns an error with a URL of the command line that cannot be used, and what to write when its scheme is missing.
func WrongURL(given string, err error) error {
	if strings.HasPrefix(given, "/") && !strings.HasPrefix(given, "//") {
		if meant, wrong := weburl.Typed("file://"+weburl.EscapePath(given), 0); wrong == nil {
			return BareHostError{given: given, meant: meant.Text}
		}
	}
	if (errors.Is(err, weburl.ErrSyntax) || errors.Is(err, weburl.ErrScheme)) && bareHost.MatchString(given) {
		if meant, wrong := weburl.Normalize("http://"+given, 0); wrong == nil {
			return BareHostError{given: given, meant: meant.Text}
		}
	}
	return fmt.Errorf("%q: %w", WithoutPassword(given), err)
}
