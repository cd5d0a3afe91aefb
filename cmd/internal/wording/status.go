package wording

import (
	"fmt"
	"net/http"

	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store"
)

// Extended statuses that the spider gives.
const (
	NotIndexed = 406
	Duplicate  = 903
	Soft404    = 905
)

// aspseekTexts are ASPseek's names of HTTP statuses where net/http has others.
var aspseekTexts = map[int]string{
	0: "Not indexed yet", 204: "No content", 302: "Moved Temporarily", 305: "Use Proxy (proxy redirect)", 404: "Not found",
	505: "Protocol Version Not Supported",
}

// StatusText returns the name of an extended status.
func StatusText(status int) string {
	for _, text := range []string{aspseekTexts[status], fetch.StatusText(status), http.StatusText(status)} {
		if text != "" {
			return text
		}
	}
	return "Unknown status"
}

// Numbered returns an extended status with its name.
func Numbered(status int) string { return fmt.Sprintf("%d %s", status, StatusText(status)) }

// ShownStatus returns the one number that is shown for a status: for a lost document that of the loss.
func ShownStatus(s store.Status) int {
	if lost := s.Lost(); lost != 0 {
		return lost
	}
	return s.Base()
}
