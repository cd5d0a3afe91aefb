package endless

import "strings"

// longestGroup is how many segments of a path may repeat together: /a/b/c/a/b/c/.
const longestGroup = 3

// Repeats reports whether a URL is one of an endless site by its text alone: one, two or three segments of its path repeat n times in
// a row, or a key of its query occurs n times. 0 = never.
func Repeats(url string, n int) bool {
	if n == 0 {
		return false
	}
	rest, query, _ := strings.Cut(url, "?")
	if _, after, ok := strings.Cut(rest, "://"); ok {
		rest = after
	}
	_, path, _ := strings.Cut(rest, "/")
	return segmentsRepeat(strings.Split(path, "/"), n) || keysRepeat(query, n)
}

func segmentsRepeat(list []string, n int) bool {
	for group := 1; group <= longestGroup; group++ {
		same := 0 // segments in a row that equal the one a group before
		for i := group; i < len(list); i++ {
			if list[i] != list[i-group] {
				same = 0
			} else if same++; same >= group*(n-1) {
				return true
			}
		}
	}
	return false
}

func keysRepeat(query string, n int) bool {
	times := make(map[string]int)
	for part := range strings.FieldsFuncSeq(query, func(r rune) bool { return r == '&' || r == ';' }) {
		key, _, _ := strings.Cut(part, "=")
		if times[key]++; times[key] >= n {
			return true
		}
	}
	return false
}
