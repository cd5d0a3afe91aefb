package shape

import (
	"slices"
	"strings"
)

// slice reports whether there is an array slice, a[1:2].
func slice(t []lexeme) bool {
	open := 0
	for i, x := range t {
		switch x.text {
		case "[":
			open++
		case "]":
			open--
		case ":":
			if open > 0 && x.kind == sign && i > 0 {
				return true
			}
		}
	}
	return false
}

// calls returns the first of some functions that is called.
func calls(t []lexeme, names ...string) string {
	for i, x := range t {
		if x.kind == word && slices.Contains(names, x.text) && (i+1 < len(t) && t[i+1].text == "(" || strings.HasPrefix(x.text, "current_") || x.text == "localtimestamp") {
			return x.text
		}
	}
	return ""
}

// assignments cuts SET at its commas.
func assignments(t []lexeme) (list [][]lexeme) {
	depth, start := 0, 0
	for i, x := range t {
		switch x.text {
		case "(", "[":
			depth++
		case ")", "]":
			depth--
		case ",":
			if depth == 0 {
				list = append(list, t[start:i])
				start = i + 1
			}
		}
	}
	return append(list, t[start:])
}

// timeSum reports whether an assignment adds an interval to a column.
func timeSum(t []lexeme) bool {
	interval, sum, column := false, false, false
	for i, x := range t {
		if i < 2 {
			continue // the column that is set, and =
		}
		switch {
		case x.text == "interval":
			interval = true
		case x.text == "+" || x.text == "-":
			sum = true
		case x.kind == word && !keywords[x.text] && t[i-1].text != "::" && (i+1 == len(t) || t[i+1].text != "("):
			column = true
		}
	}
	return interval && sum && column
}
