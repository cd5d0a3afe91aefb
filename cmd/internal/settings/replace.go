package settings

import "github.com/pgseek/pgseek/config"

// maxReplaced is the length from which on a link is not rewritten further: it is refused.
const maxReplaced = 1 << 14

// replacer returns the function that applies Replace lines, nil for none.
func replacer(lines []config.Replace) func(link string) string {
	if len(lines) == 0 {
		return nil
	}
	return func(link string) string {
		for i := range lines {
			if len(link) > maxReplaced { // no URL any more, and it may grow with each line
				return link
			}
			link = lines[i].Apply(link)
		}
		return link
	}
}
