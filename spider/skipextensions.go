package spider

import (
	"strings"

	"github.com/pgseek/pgseek/spider/weburl"
)

// Skipped is why a link to a new URL is not followed whose extension says that nothing reads it.
const Skipped = "left out by SkipExtensions"

// Skips reports whether links to a URL are not followed unless it is registered already, because its extension says that nothing reads it. An
// Allow or CheckOnly line that fits goes before. A name with a colon is none of a file: wikis call pages about pictures File:tower.jpg.
func (s *Scope) Skips(u weburl.URL) bool {
	if len(s.SkipExtensions) == 0 {
		return false
	}
	name := u.Path
	if end := strings.IndexAny(name, "?;#"); end >= 0 {
		name = name[:end]
	}
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	if strings.Contains(name, ":") || strings.Contains(name, "%3a") {
		return false
	}
	first := strings.LastIndexByte(name, '.')
	if first < 0 {
		return false
	}
	second := strings.LastIndexByte(name[:first], '.')
	if !s.SkipExtensions[name[first+1:]] && (second < 0 || !s.SkipExtensions[name[second+1:]]) {
		return false
	}
	_, where := s.Filter(u)
	return where == ""
}
