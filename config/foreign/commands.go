package foreign

import (
	"strconv"
	"strings"
)

// converter writes a Converter line of ASPseek. A charset may stand behind a blank there.
func converter(_ *importer, e *entry, _ *rule) {
	from, rest := cut(e.rest)
	to, rest := cut(rest)
	for strings.HasSuffix(to, ";") || strings.HasPrefix(rest, ";") { // "; charset=x", ";charset=x", "; charset = x" with any blanks
		var more string
		more, rest = cut(rest)
		to += more
	}
	command(e, from, to, rest)
}

// mime writes a Converter line of mnoGoSearch: from, to with a charset, and a command with $1 and $2, each perhaps in quotes.
func mime(im *importer, e *entry, _ *rule) {
	args := im.fields(e)
	if len(args) < 3 {
		e.leave("a type cannot stand for another one without a command")
		return
	}
	line := strings.Join(args[2:], " ")
	to := strings.ReplaceAll(args[1], " ", "")
	if needsShell(line) {
		if strings.Contains(line, "'") {
			e.leave("no shell reads the command; write: Converter " + args[0] + " " + to + " sh -c '...$1...' sh $in")
			return
		}
		files := " $in"
		if strings.Contains(line, "$2") {
			files += " $out"
		}
		if url := strings.NewReplacer("${UDM_URL}", "$"+strconv.Itoa(1+strings.Count(files, " ")), "$UDM_URL", "$"+strconv.Itoa(1+strings.Count(files, " "))); url.Replace(line) != line {
			line, files = url.Replace(line), files+" $url"
		}
		line = "sh -c '" + line + "' sh" + files
	} else {
		line = strings.NewReplacer("$1", "$in", "$2", "$out", "${UDM_URL}", "$url", "$UDM_URL", "$url").Replace(line)
	}
	command(e, args[0], to, line)
}

// needsShell reports whether a command has what only a shell understands.
func needsShell(s string) bool { return strings.ContainsAny(s, "|<>;&`") }

// command writes the Converter line. Its command is written as it is.
func command(e *entry, from, to, line string) {
	if from == "" || to == "" || line == "" {
		e.leave("it has no command")
		return
	}
	if strings.HasSuffix(line, `\`) {
		e.leave(`it ends in \, which continues a line here`)
		return
	}
	e.out = append(e.out, outLine{text: "Converter " + from + " " + to + " " + line})
}

// cut takes the first word off a text.
func cut(s string) (first, rest string) {
	s = strings.TrimLeft(s, " \t")
	end := strings.IndexAny(s, " \t")
	if end < 0 {
		return s, ""
	}
	return s[:end], strings.TrimLeft(s[end:], " \t")
}
