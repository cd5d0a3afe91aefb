package robots

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgseek/pgseek/internal/printable"
)

// What is read of a robots.txt (B35); RFC 9309 §2.5 asks for 500 KiB at least.
const (
	maxRobots     = 512_000
	maxRobotsLine = 16 << 10
	maxSitemaps   = 1000
)

// Rules are the rules of one robots.txt for one agent, after RFC 9309. They do not change and are safe for
// concurrent use.
type Rules struct {
	rules    []robotsRule // the one that decides first: longest first, Allow before Disallow
	hash     [md5.Size]byte
	delay    time.Duration // Crawl-delay
	sitemaps []string
}

// Rule is the line that decided, to explain the decision; zero when none did.
type Rule struct {
	Line int    // from 1; 0 when no line did, but that the host refuses its robots.txt (RobotsPolicy gsa)
	Text string // "Disallow: /x", as written but for white space and comment
}

// String is "12: Disallow: /x", fit for a log line; empty when nothing decided.
func (r Rule) String() string {
	if r.Line == 0 {
		return printable.Log(r.Text)
	}
	return strconv.Itoa(r.Line) + ": " + printable.Log(r.Text)
}

type robotsRule struct {
	Rule
	allow   bool
	pattern string // as written
	match   robotsPattern
}

// Parse reads a robots.txt for the agent whose product token userAgent begins with ("pgseek" of
// "pgseek/0.1"). An empty body means no rules. It never fails: anything that is not a rule is ignored
// (B35). Crawl-delay, which is not part of the standard, is read.
func Parse(body []byte, userAgent string) *Rules {
	var (
		token         = ProductToken(userAgent)
		ours, others  []robotsRule  // rules of our groups, and of everybody's
		named         bool          // a group is ours by name
		mine, all     bool          // the current group is ours, is everybody's
		agentsLine    bool          // the last rule or agent line named an agent
		delay, delays time.Duration // Crawl-delay of our groups, and of everybody's
		sitemaps      []string      // of everybody: they belong to no group
	)
	for line, text := range robotsLines(body) {
		key, value, _ := strings.Cut(text, ":")
		key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
		switch key {
		case "user-agent":
			if !agentsLine {
				mine, all, agentsLine = false, false, true
			}
			for agent := range strings.FieldsFuncSeq(value, betweenAgents) {
				switch name := ProductToken(agent); {
				case agent == "*":
					all = true
				case name != "" && strings.EqualFold(name, token):
					mine, named = true, true
				}
			}
		case "crawl-delay": // it ends no group: RFC 9309 does not know it
			if mine {
				delay = max(delay, crawlDelay(value))
			}
			if all {
				delays = max(delays, crawlDelay(value))
			}
		case "allow", "disallow":
			agentsLine = false
			if !mine && !all || value == "" || value[0] != '/' && value[0] != '*' {
				continue
			}
			rule := robotsRule{allow: key == "allow", pattern: value, match: compileRobots(value)}
			rule.Rule = Rule{line + 1, "Disallow: " + value}
			if rule.allow {
				rule.Text = "Allow: " + value
			}
			if mine {
				ours = append(ours, rule)
			}
			if all {
				others = append(others, rule)
			}
		case "sitemap":
			if value != "" && len(sitemaps) < maxSitemaps && !slices.Contains(sitemaps, value) {
				sitemaps = append(sitemaps, value)
			}
		}
	}
	if !named { // an empty group of ours does count
		ours, delay = others, delays
	}
	r := newRobots(ours)
	r.delay = delay
	r.sitemaps = sitemaps
	return r
}

// Closed are the rules of a host that gives nothing out, for a reason in words.
func Closed(why string) *Rules {
	return newRobots([]robotsRule{{Rule: Rule{Text: why}, pattern: "/", match: compileRobots("/")}})
}

// newRobots sorts rules into the order in which they decide: longest match, then Allow (RFC 9309 §2.2.2).
func newRobots(rules []robotsRule) *Rules {
	slices.SortStableFunc(rules, func(a, b robotsRule) int {
		switch c := cmp.Compare(b.match.length(), a.match.length()); {
		case c != 0:
			return c
		case a.allow != b.allow && a.allow:
			return -1
		case a.allow != b.allow:
			return 1
		default:
			return strings.Compare(a.match.text, b.match.text)
		}
	})
	rules = slices.CompactFunc(rules, func(a, b robotsRule) bool { return a.allow == b.allow && a.match.text == b.match.text })
	sum := md5.New()
	for _, r := range rules {
		sum.Write(append(strconv.AppendBool(nil, r.allow), ' '))
		sum.Write(append([]byte(r.match.text), '\n'))
	}
	r := &Rules{rules: rules}
	sum.Sum(r.hash[:0])
	return r
}

// Allowed reports whether a path with its query (URL.Path) may be fetched, and by which line. robots.txt
// itself always may.
func (r *Rules) Allowed(path string) (bool, Rule) {
	if path == "/robots.txt" || len(r.rules) == 0 {
		return true, Rule{}
	}
	if path == "" {
		path = "/"
	}
	forms := pathForms(path)
	for i := range r.rules {
		if slices.ContainsFunc(forms, r.rules[i].match.matches) {
			return r.rules[i].allow, r.rules[i].Rule
		}
	}
	return true, Rule{}
}

// Disallow returns the patterns of the Disallow lines of our group as written, longest first, without those
// that mean the same. The slice is the caller's.
func (r *Rules) Disallow() []string { return r.patterns(false) }

// Allow returns the patterns of the Allow lines likewise.
func (r *Rules) Allow() []string { return r.patterns(true) }

func (r *Rules) patterns(allow bool) []string {
	var list []string
	for i := range r.rules {
		if r.rules[i].allow == allow {
			list = append(list, r.rules[i].pattern)
		}
	}
	return list
}

// CrawlDelay returns the pause between two requests that the file asks our agent for, 0 for none. It is not part of the hash.
func (r *Rules) CrawlDelay() time.Duration { return r.delay }

// crawlDelay reads the value of a Crawl-delay line: seconds, also with a fraction. What is no number counts as none (B67).
func crawlDelay(value string) time.Duration {
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, longestDelay.Seconds()) * float64(time.Second))
}

// longestDelay is the longest Crawl-delay that is told.
const longestDelay = 24 * time.Hour

// Sitemaps returns the values of the Sitemap lines as written, in their order, each once, and at most a thousand.
// They are no rules: the hash does not depend on them.
func (r *Rules) Sitemaps() []string { return r.sitemaps }

// Hash identifies the rules that are in effect: it stays when comments, order or other agents' groups change.
func (r *Rules) Hash() [md5.Size]byte { return r.hash }

// betweenAgents separates the names of a User-agent line that holds several. RFC 9309 §2.2.1 knows one name a line; what
// follows it is an author's list ("a, b") or a whole user agent ("Mozilla/5.0 (compatible; b/1.0)"), and either addresses b.
func betweenAgents(r rune) bool { return r == ',' || r == ';' || r <= ' ' }

// ProductToken is the part of a user agent that robots.txt names: letters, "-" and "_" (RFC 9309 §2.2.1), and digits, which
// some crawlers have in their names. What follows it, such as a version or an asterisk, does not belong to it.
func ProductToken(agent string) string {
	agent = strings.TrimSpace(agent)
	end := strings.IndexFunc(agent, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	})
	if end < 0 {
		return agent
	}
	return agent[:end]
}

// robotsLines yields the lines of a robots.txt, numbered from 0, without comments.
func robotsLines(body []byte) func(yield func(int, string) bool) {
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if len(body) > maxRobots {
		// Half a rule would be a rule of its own: "Disallow: /" of "Disallow: /private".
		body = body[:max(bytes.LastIndexAny(body[:maxRobots], "\r\n"), 0)]
	}
	return func(yield func(int, string) bool) {
		for n := 0; len(body) > 0; n++ {
			line, end := body, bytes.IndexAny(body, "\r\n")
			if end < 0 {
				body = nil
			} else {
				size := 1
				if bytes.HasPrefix(body[end:], []byte("\r\n")) {
					size = 2
				}
				line, body = body[:end], body[end+size:]
			}
			line = line[:min(len(line), maxRobotsLine)]
			if i := bytes.IndexByte(line, '#'); i >= 0 {
				line = line[:i]
			}
			if !yield(n, string(line)) {
				return
			}
		}
	}
}
