package foreign

import (
	"path/filepath"
	"strconv"
	"strings"
)

// carry writes the directive with its values, by the name that it has here.
func carry(name string) action {
	return func(im *importer, e *entry, _ *rule) { e.write(name, im.fields(e)...) }
}

// carrySpider is carry for spider.cnf.
func carrySpider(name string) action {
	return func(im *importer, e *entry, _ *rule) { e.writeSpider(name, im.fields(e)...) }
}

// joined returns a time value without the blanks and plus signs that the old programs allow.
func (im *importer) joined(e *entry) string {
	return strings.ReplaceAll(strings.Join(im.fields(e), ""), "+", "")
}

func timeValue(name string) action {
	return func(im *importer, e *entry, _ *rule) { e.write(name, im.joined(e)) }
}

// timeSpider writes a time limit. m is a month there and here, but nobody means that: manuals write 1m30s for 90 seconds.
func timeSpider(name string) action {
	return func(im *importer, e *entry, _ *rule) {
		text := im.joined(e)
		if strings.Contains(text, "m") {
			text = strings.ReplaceAll(text, "m", "M")
			e.why = "m is a month, M a minute"
		}
		e.writeSpider(name, text)
	}
}

// truth reads a switch: what begins with yes is yes, everything else no. ok is false without a value.
func (im *importer) truth(e *entry) (yes, ok bool) {
	args := im.fields(e)
	if len(args) == 0 {
		return false, false
	}
	return strings.HasPrefix(strings.ToLower(args[0]), "yes"), true
}

func word(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// yesNo writes a switch.
func yesNo(name string, spider bool) action {
	return func(im *importer, e *entry, _ *rule) {
		yes, ok := im.truth(e)
		if !ok {
			e.leave("it has no value, which means the default there")
			return
		}
		e.add(spider, name, word(yes))
		switch name {
		case "Index":
			im.index = word(yes)
		case "FollowOutside":
			im.follows = yes
		}
	}
}

// opposite writes a switch whose old name says the contrary; without a value it is on.
func opposite(name string) action {
	return func(im *importer, e *entry, _ *rule) {
		yes, ok := im.truth(e)
		off := yes || !ok
		e.write(name, word(!off))
		if name == "Index" {
			im.index = word(!off)
		}
	}
}

// robots writes Robots and IgnoreMeta: one switch there rules robots.txt and META robots.
func robots(im *importer, e *entry, _ *rule) {
	if yes, ok := im.truth(e); yes || !ok {
		e.write("Robots", "yes")
		if im.robotsOff {
			e.write("IgnoreMeta", "no")
		}
		im.robotsOff = false
		return
	}
	im.robotsOff = true
	e.write("IgnoreMeta", "yes")
	e.why = "robots.txt is obeyed. For a host of your own write Robots no above its Server line, and AllowHost in spider.cnf"
}

// replace writes a Replace line, whose pattern may need another spelling.
func replace(im *importer, e *entry, _ *rule) {
	args := im.fields(e)
	if len(args) > 0 {
		args[0] = ere(args[0])
	}
	e.write("Replace", args...)
}

// reverseAlias writes a Replace line: links that begin with the first value, or match it, get the second one.
func reverseAlias(im *importer, e *entry, _ *rule) {
	f := readFilter(im.fields(e))
	if len(f.args) != 2 || f.noMatch {
		e.leave("write: Replace pattern text")
		return
	}
	pattern, by := f.args[0], f.args[1]
	switch {
	case f.regex:
		pattern, by = f.pattern(pattern), groups(by)
	default:
		pattern, by = "^"+literal(pattern), strings.ReplaceAll(by, `\`, `\\`)
		if f.exact {
			pattern = "(?-i)" + pattern
		}
	}
	e.write("Replace", pattern, by)
}

// groups makes $1 of a replacement \1.
func groups(s string) string {
	s = strings.ReplaceAll(s, `\`, `\\`)
	for n := range 10 {
		s = strings.ReplaceAll(s, "$"+strconv.Itoa(n), `\`+strconv.Itoa(n))
	}
	return s
}

// tag writes a Tag line. Texts get numbers from 1, in the order in which they come.
func tag(im *importer, e *entry, _ *rule) {
	text := strings.Join(im.fields(e), " ")
	if n, err := strconv.Atoi(text); err == nil && n >= 0 || text == "" {
		e.write("Tag", strconv.Itoa(n))
		return
	}
	n, ok := im.tags[text]
	if !ok {
		n = 1000 + len(im.tags)
		im.tags[text] = n
	}
	e.write("Tag", strconv.Itoa(n))
	e.why = "tags are numbers; " + strconv.Itoa(n) + " stands for this text"
}

// header writes a header of requests, or the name of the program.
func header(im *importer, e *entry, _ *rule) {
	text := e.rest
	if im.in != aspseek {
		text = strings.Join(words(text), " ")
	}
	name, value, ok := strings.Cut(text, ":")
	if ok && strings.EqualFold(strings.TrimSpace(name), "User-Agent") {
		e.writeSpider("UserAgent", strings.TrimSpace(value))
		return
	}
	e.writeSpider("HTTPHeader", strings.Fields(text)...)
	e.secret = withoutSecrets(e.text) != e.text
}

// stopwords writes a StopwordFile line of ASPseek: language, file, charset. Names of files become full paths, because the new files
// may be in another directory.
func stopwords(im *importer, e *entry, _ *rule) {
	args := im.fields(e)
	if len(args) < 2 {
		e.leave("it has no language and file")
		return
	}
	if !filepath.IsAbs(args[1]) {
		args[1] = filepath.Join(im.dir, args[1])
	}
	e.writeSpider("StopwordFile", args[:2]...)
	if len(args) > 2 {
		e.why = "the file has to be in UTF-8"
	}
}

// maxHops writes MaxHops. A larger number than there can be means no limit.
func maxHops(im *importer, e *entry, _ *rule) {
	text := strings.Join(im.fields(e), " ")
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > mostHops {
		text = strconv.Itoa(mostHops)
	}
	e.write("MaxHops", text)
	im.maxHops = text
}

// mostHops is the largest MaxHops.
const mostHops = 32767

// robotsPeriod writes RobotsTTL, a day at most. A time in seconds stays one.
func robotsPeriod(im *importer, e *entry, _ *rule) {
	text := im.joined(e)
	if strings.ContainsAny(text, "dmy") {
		text = "1d"
	}
	e.writeSpider("RobotsTTL", text)
}
