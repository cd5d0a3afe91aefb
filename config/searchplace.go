package config

import (
	"regexp"
	"slices"
	"strings"
)

var prefixPath = regexp.MustCompile(`^/([A-Za-z0-9._~-]+/)*$`)

// pathPrefix reads the path of the home page: / or a path with a slash at both ends.
func pathPrefix(s string) (string, error) {
	switch {
	case strings.Contains("/"+s+"/", "/./") || strings.Contains("/"+s+"/", "/../"):
		return "", reasonf("%s is not a path such as /search/: it has a . or .. in it", quote(s))
	case prefixPath.MatchString(s):
		return s, nil
	case prefixPath.MatchString("/" + strings.Trim(s, "/") + "/"):
		return "", reasonf("%s is not a path with a slash at both ends; write: Prefix /%s/", quote(s), strings.Trim(s, "/"))
	}
	return "", reasonf("%s is not a path such as /search/ (letters, digits and . _ ~ - between the slashes)", quote(s))
}

// setOrigins reads the origins of AllowOrigin, in the spelling in which browsers send them.
func setOrigins(s *Search, d directive) error {
	if len(d.args) == 0 {
		return reasonf("a value is missing")
	}
	for _, text := range d.args {
		if text == "*" {
			return reasonf("* is every site: name those whose scripts may read the answers, such as https://www.example.org")
		}
		site, err := siteName(text)
		if err != nil {
			return reasonf("%s is not the origin of a site such as https://www.example.org", quote(text))
		}
		if origin := strings.TrimSuffix(site, "/"); !slices.Contains(s.AllowOrigins, origin) {
			s.AllowOrigins = append(s.AllowOrigins, origin)
		}
	}
	return nil
}
