package program

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/spider/filetree"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

// startProblem says what is wrong with a start URL.
type startProblem struct {
	url, what string
	remedy    string // what to write, and where; empty when nothing in the configuration helps
	answered  bool   // the start URL counts as answered all the same
	alone     bool   // the page itself is indexed
}

func (s startProblem) String() string {
	if s.remedy == "" {
		return s.url + " " + s.what
	}
	return s.url + " " + s.what + "; " + s.remedy
}

// nothingFound says that a crawl got nothing from its start URLs.
type nothingFound string

func (n nothingFound) Error() string { return string(n) }

// tellStarts warns of each start URL from which the run got nothing. A deferred host is told already, unless there is a remedy for
// this URL. It returns nothingFound when a run without limits got an answer from none of them: a 200, a 304, or a redirect that is
// followed.
func (p *program) tellStarts(ctx context.Context, s *store.DB, run store.RunID, options *spider.Options, deferred map[string]bool) error {
	if p.o.quick { // they are no start URLs then
		return nil
	}
	urls := make([]string, len(options.Servers))
	servers := make(map[string]*spider.Server, len(options.Servers))
	for i := range options.Servers {
		server := &options.Servers[i]
		urls[i] = server.URL.Text
		if servers[urls[i]] == nil {
			servers[urls[i]] = server
		}
	}
	visits, err := report.New(s).StartVisits(ctx, run, urls)
	if err != nil {
		return err
	}
	answered := 0
	told := make(map[string]bool, len(visits))
	var failed []startProblem
	for i := range visits {
		v := &visits[i]
		if told[v.URL] {
			continue
		}
		told[v.URL] = true
		wrong := p.startProblem(v, servers[v.URL], options)
		if wrong == nil || wrong.answered {
			answered++
		} else {
			failed = append(failed, *wrong)
		}
		if wrong != nil && !(deferred[hostInfo(servers[v.URL])] && (v.Result == statusRobotsUnavailable || wrong.remedy == "")) {
			attributes := []any{"url", clean(wrong.url), "what", clean(wrong.what)}
			if wrong.remedy != "" {
				attributes = append(attributes, "remedy", clean(wrong.remedy))
			}
			if wrong.alone {
				slog.WarnContext(ctx, "start URL brings nothing but itself", attributes...)
			} else {
				slog.WarnContext(ctx, "start URL brings nothing", attributes...)
			}
		}
	}
	switch {
	case answered > 0 || len(failed) == 0 || p.o.count > 0 || !options.Limits.Any():
		return nil
	case len(failed) == 1:
		return nothingFound("the start URL brings nothing: " + clean(failed[0].String()))
	}
	return nothingFound(fmt.Sprintf("none of %d start URLs brings anything; the first: %s", len(failed), clean(failed[0].String())))
}

// hostInfo returns the host of a Server as robots_cache names it.
func hostInfo(server *spider.Server) string {
	if server == nil {
		return ""
	}
	return server.URL.HostInfo
}

// lineFor returns the Server line for a URL of a site with Server path lines.
func lineFor(url string) string {
	if line := (&config.Server{URL: url}); line.Dir() != "/" {
		return "Server path " + url
	}
	return "Server " + url
}

// startProblem returns what is wrong with a start URL, nil when nothing is. server is the line that names it.
func (p *program) startProblem(v *report.StartVisit, server *spider.Server, options *spider.Options) *startProblem {
	wrong := func(remedy, what string, args ...any) *startProblem {
		return &startProblem{url: v.URL, what: fmt.Sprintf(what, args...), remedy: remedy}
	}
	above := func(line string) string {
		return fmt.Sprintf("write above its Server line (%s): %s", server.Where, line)
	}
	switch {
	case v.Rule == "T-12" && v.Result == statusRobotsForbidden:
		remedy := "only the site's owner can change that"
		if server != nil && p.ownHost(server) {
			remedy = above("Robots no")
		}
		return wrong(remedy, "is barred by %s", v.Cause)
	case v.Rule == "T-12" && v.Result == filetree.StatusPrivate:
		return wrong("let others read it (chmod o+rX), or write in spider.cnf: FilePrivate yes", "is left out: %s", strings.TrimSuffix(v.Cause, filetree.PrivateHint))
	case v.Rule == "T-12" && v.Result == filetree.StatusNoFile:
		return wrong("", "is left out: %s", v.Cause)
	case v.Rule == "T-12":
		return wrong("write above that line: Allow ^"+regexp.QuoteMeta(v.URL)+"$", "is barred: %s", v.Cause)
	case v.Rule == "T-05" && v.Redir == 0:
		to, why, ok := spider.RefusedTarget(v.Cause)
		switch {
		case !ok:
			return wrong("", "redirects to what the rules refuse")
		case strings.HasPrefix(why, spider.NoServer):
			return wrong("write: Server "+to, "redirects to %s, which no Server line covers", to)
		case strings.HasPrefix(why, spider.NoPath):
			return wrong("write: "+lineFor(to), "redirects to %s, which no Server line covers", to)
		}
		return wrong("", "redirects to %s, which is not followed: %s", to, why)
	case v.Rule == "T-05", v.Rule == "T-10" && (v.Result == 301 || v.Result == 302): // the latter counts for the hold of its site
		return nil
	case v.Result == 200 || v.Result == 304 || v.Result == wording.NotIndexed && v.Rule != "T-08" && v.Rule != "T-07" && v.Rule != "T-10":
		return p.emptyStart(v, server, options, above)
	case v.Result == 401 && server != nil && server.Auth != "":
		return wrong("correct AuthBasic above its Server line ("+server.Where+")", "answered 401: the password is refused")
	case v.Result == 401:
		return wrong(above("AuthBasic USER:PASSWORD"), "answered 401: it asks for a password")
	case v.Result == http.StatusForbidden, v.Result == http.StatusNotAcceptable:
		return wrong("let the web server admit this user agent: "+options.UserAgent, "answered %s", numbered(v.Result))
	case strings.Contains(v.Cause, "certificate signed by unknown authority"):
		return wrong("name the authority's certificate in the environment: SSL_CERT_FILE=/path/to/ca.pem", "has a certificate that nobody knows: %s", v.Cause)
	case strings.Contains(v.Cause, "denied: ") && v.Result == statusUnreachable && server != nil:
		return wrong("write in spider.cnf: AllowHost "+server.URL.Host, "leads to a denied address: %s", v.Cause)
	case v.Result == statusRobotsUnavailable:
		return wrong("index -a asks again", "was not fetched: %s", v.Cause)
	case v.Result >= 600 && v.Cause != "":
		return wrong("", "brought nothing: %s: %s", numbered(v.Result), v.Cause)
	}
	return wrong("", "answered %s", numbered(v.Result))
}

// Extended statuses of which the remedy is known.
const (
	statusUnreachable       = 707
	statusRobotsForbidden   = 900
	statusRobotsUnavailable = 902
)

// emptyStart returns what is wrong with a start page that was received, nil when it is indexed or leads on.
func (p *program) emptyStart(v *report.StartVisit, server *spider.Server, options *spider.Options, above func(string) string) *startProblem {
	base := v.Status.Base()
	verdict, _ := options.Scope.Filter(server.URL)
	meta := base == wording.NotIndexed && wording.SaysNoIndex(v.IndexMode, v.Marks, verdict == spider.CheckOnly)
	says := "says " + wording.Instructions(v.IndexMode, v.Marks, meta) + ", and nothing is followed from it"
	noFollow := server.Follow && slices.Contains(v.Marks, "nofollow") && v.IndexMode&wording.ModeIgnoreMeta == 0
	const header = "only the server's configuration can change that header"
	switch {
	case base == 200 && v.Words == 0 && v.Links == 0:
		return &startProblem{url: v.URL, what: "has neither words nor links (a page made by a script, perhaps)", answered: true}
	case base == 200 && v.Links == 0 && server.Follow && v.IndexMode&wording.ModeTagNoFollow != 0:
		return &startProblem{url: v.URL, what: says, remedy: header, answered: true, alone: true}
	case base == 200 && v.Links == 0 && noFollow:
		return &startProblem{url: v.URL, what: says, remedy: above("IgnoreMeta yes"), answered: true, alone: true}
	case base != wording.NotIndexed || v.Links > 0 || v.IndexMode&wording.ModeWords == 0:
		return nil
	case v.IndexMode&wording.ModeTagNoIndex != 0:
		return &startProblem{url: v.URL, what: says, remedy: header}
	case meta || slices.Contains(v.Marks, "nofollow"):
		return &startProblem{url: v.URL, what: says, remedy: above("IgnoreMeta yes")}
	}
	return nil // CheckOnly
}
