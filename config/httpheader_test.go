package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHTTPHeader(t *testing.T) {
	c := load(t, files{spiderName: "HTTPHeader Accept-Language: de, en;q=0.5\nHTTPHeader x-from :  ours  \n"})
	if diff := cmp.Diff([]Header{{"Accept-Language", "de, en;q=0.5"}, {"X-From", "ours"}}, c.Spider.Headers); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestB69 headers that the program decides itself are refused by name, with the directive to use, and values are never shown.
func TestB69(t *testing.T) {
	long := strings.Repeat("x", maxHeader)
	for line, want := range map[string]string{
		"":                                    "a value is missing, as in HTTPHeader Accept-Language: de, en;q=0.5",
		"secret":                              "expected a name, a colon and a value, as in HTTPHeader Accept-Language: de, en;q=0.5",
		"a secret: x":                         "expected a name, a colon and a value, as in HTTPHeader Accept-Language: de, en;q=0.5",
		": secret":                            "expected a name, a colon and a value, as in HTTPHeader Accept-Language: de, en;q=0.5",
		"authorization: Bearer secret":        "Authorization cannot be set: write AuthBasic user:password in sets.cnf, above the site's Server line",
		"COOKIE: secret":                      "Cookie cannot be set: cookies are not sent; a site that needs a login has AuthBasic in sets.cnf",
		"Host: secret":                        "Host cannot be set: it is the host of the Server line in sets.cnf",
		"Range: secret":                       "Range cannot be set: documents are fetched whole; MaxTextSize and MaxOtherSize say how much is read",
		"Accept-Encoding: secret":             "Accept-Encoding cannot be set: gzip and deflate are asked for and undone by the program",
		"User-Agent: secret":                  "User-Agent cannot be set: write UserAgent in this file",
		"Accept-Charset: secret":              "Accept-Charset cannot be set: write Charset in sets.cnf, for pages that declare none",
		"Content-Type: secret":                "Content-Type cannot be set: requests have no content",
		"content-length: secret":              "Content-Length cannot be set: requests have no content",
		"If-None-Match: secret":               "If-None-Match cannot be set: requests are conditional when there is something to compare with; write ForceRecrawl in sets.cnf for unconditional ones",
		"Transfer-Encoding: secret":           "Transfer-Encoding cannot be set: it belongs to the connection",
		"Proxy-Authorization: secret":         "Proxy-Authorization cannot be set: it belongs to the connection",
		"X-A: secr\u00e9t":                    "the value of X-A is empty or has characters that are not allowed in a header",
		"X-A: secret\u0080":                   "the value of X-A is empty or has characters that are not allowed in a header",
		"X-A:":                                "the value of X-A is empty or has characters that are not allowed in a header",
		"X-A: " + long:                        "X-A is longer than 1000 bytes",
		"X-A: secret\nHTTPHeader x-a: secret": "X-A is set twice; write all its values into one line, with commas between them",
	} {
		got := strings.Join(problems(t, files{spiderName: "HTTPHeader " + line}, nil), "\n")
		if !strings.HasSuffix(got, ": HTTPHeader: "+want) || strings.Contains(got, "secret") {
			t.Errorf("%q:\n%s\nwant %s", line, got, want)
		}
	}
	var many strings.Builder
	for i := range maxHeaders + 1 {
		many.WriteString("HTTPHeader X-" + strings.Repeat("a", i+1) + ": b\n")
	}
	if got := problems(t, files{spiderName: many.String()}, nil); len(got) != 1 || !strings.Contains(got[0], "more than 20 lines") {
		t.Errorf("%v", got)
	}
}
