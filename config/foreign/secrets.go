package foreign

import (
	"regexp"
	"strings"

	"github.com/pgseek/pgseek/internal/printable"
)

var (
	// secretLines begin with a directive whose value is a password, or may have one anywhere.
	secretLines = regexp.MustCompile(`(?i)^(#*\s*)(AuthBasic|ProxyAuthBasic|DBPass|DBAddr\s+[^:]*=.*)\b.*$`)
	// secretHeaders are headers that carry one.
	secretHeaders = regexp.MustCompile(`(?i)^(#*\s*HTTPHeader\s+["']?(?:Authorization|Proxy-Authorization|Cookie|X-[A-Za-z-]*(?:key|token|auth)[A-Za-z-]*)\s*:).*$`)
	// login is the part of a URL that contains a password.
	login = regexp.MustCompile(`(://[^/?#\s:@]*:)[^\s]*@`)
	// secretValue is a password in the query of an address.
	secretValue = regexp.MustCompile(`(?i)((?:passw(?:or)?d|pass|pw|secret|token)=)[^&\s"']+`)
)

// withoutSecrets returns a line for comments and terminals: passwords replaced, control characters escaped.
func withoutSecrets(text string) string {
	text = strings.ReplaceAll(text, "\t", " ")
	text = secretLines.ReplaceAllString(text, "${1}${2} ***")
	text = secretHeaders.ReplaceAllString(text, "${1} ***")
	text = login.ReplaceAllString(text, "${1}***@")
	text = secretValue.ReplaceAllString(text, "${1}***")
	return printable.String(text, 2000)
}
