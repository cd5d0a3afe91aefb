package web

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"regexp"

	"github.com/pgseek/pgseek/search"
)

// blanks are those of the script that nothing needs: pages/suggest.js has no text in which they stand.
var blanks = regexp.MustCompile(`\s*([=<>?:+&|,{}();])\s*`)

// suggestScript is the script that shows suggestions (Suggest yes), as it is in the pages: below 2 KB.
var suggestScript = func() string {
	body, err := pageFiles.ReadFile("pages/suggest.js")
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(blanks.ReplaceAll(body, []byte("$1")))
}()

// scriptPolicy is the part of the Content-Security-Policy that allows this script, and its requests, and nothing else.
var scriptPolicy = func() string {
	sum := sha256.Sum256([]byte(suggestScript))
	return "; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; connect-src 'self'"
}()

// keyTitle returns the title of a key match; its address if that has nothing to see.
func keyTitle(k search.KeyMatch) string {
	if title := cut(plain(k.Title), 200); !unseen(title) {
		return title
	}
	return cut(plain(k.URL), 200)
}

// script returns the element with the script; empty if there is none.
func (f frame) Script() template.HTML {
	if !f.Suggest {
		return ""
	}
	return template.HTML("<script>" + suggestScript + "</script>") //nolint:gosec // it is part of the program
}
