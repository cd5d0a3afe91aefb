package program

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/settings"
	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

// tellEnd warns, at the end of a run, of what keeps it from its work: sites on hold and deferred hosts, each with what ends
// that, and start URLs that brought nothing. The error is that of tellStarts, or the database's.
func (p *program) tellEnd(ctx context.Context, s *store.DB, run store.RunID, options *spider.Options) error {
	holds, err := report.New(s).Holds(ctx)
	if err != nil {
		return err
	}
	for i := range holds {
		h := &holds[i]
		slog.WarnContext(ctx, "site on hold", "site", clean(h.Site), "since", h.Since.Local().Format(time.DateTime), "why", report.HoldReasons[h.Reason],
			"began_with", clean(strings.TrimSuffix(h.URL+": "+h.Cause, ": ")),
			"ends", wording.HoldEnds(h.Reason, h.Since.Add(p.cfg.Spider.LostPeriod).Local().Format(time.DateTime), p.cfg.Spider.LostLimit, clean(h.Site)))
	}
	hosts, err := p.deferred(ctx, s)
	if err != nil {
		return err
	}
	told := make(map[string]bool, len(hosts))
	for i := range hosts {
		h := &hosts[i]
		told[h.HostInfo] = true
		slog.WarnContext(ctx, "host deferred", "host", clean(h.HostInfo), "robots_txt", clean(p.robotsFailure(h)), "asked_at", h.AskedAt.Local().Format(time.DateTime),
			"asked_again", wording.AskedAgain(h.AskedAt, p.cfg.Spider.RobotsTTL))
	}
	return p.tellStarts(ctx, s, run, options, told)
}

// deferred returns the hosts of the document set whose robots.txt could not be had.
func (p *program) deferred(ctx context.Context, s *store.DB) ([]report.Deferred, error) {
	list, err := report.New(s).DeferredHosts(ctx)
	if err != nil || p.cfg.Sets.FollowOutside || p.cfg.SetsFile == "" {
		return list, err
	}
	servers, err := settings.Servers(p.cfg)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list, func(h report.Deferred) bool {
		return !slices.ContainsFunc(servers, func(s spider.Server) bool { return s.URL.HostInfo == h.HostInfo && !s.IgnoreRobots })
	}), nil
}

// robotsFailure formats why the robots.txt of a host gives no rules.
func (p *program) robotsFailure(h *report.Deferred) string {
	text := numbered(h.Status)
	if h.Cause != "" {
		text += ": " + h.Cause
	}
	if p.cfg.Spider.RobotsPolicy == "gsa" && spider.ClosesHost(h.Status, h.Refusals, p.cfg.Spider.LostLimit) {
		text += " (the host is closed by RobotsPolicy gsa)"
	}
	return text
}

// deferredHosts prints which hosts are deferred, if any.
func (p *program) deferredHosts(ctx context.Context, s *store.DB) error {
	list, err := p.deferred(ctx, s)
	if err != nil || len(list) == 0 {
		return err
	}
	fmt.Fprintf(p.out, "          Deferred hosts: nothing of them is fetched while their robots.txt cannot be had\n\n")
	for i := range list {
		h := &list[i]
		fmt.Fprintf(p.out, "   %s  since %s: %s\n   asked again %s, also by index -a and -T\n", clean(h.HostInfo), plural(h.Failures, "answer"),
			clean(p.robotsFailure(h)), wording.AskedAgain(h.AskedAt, p.cfg.Spider.RobotsTTL))
	}
	fmt.Fprint(p.out, "\n\n")
	return nil
}

// tellIgnored says in the first lines of a run whose instructions to robots are not heeded.
func (p *program) tellIgnored(ctx context.Context, servers []spider.Server) {
	for i := range servers {
		s := &servers[i]
		if s.IgnoreMeta {
			slog.InfoContext(ctx, "noindex and nofollow of META robots are ignored (IgnoreMeta yes)", "server", clean(s.URL.Text), "line", s.Where)
		}
		if s.IgnoreRobots {
			slog.InfoContext(ctx, "robots.txt is ignored (Robots no)", "server", clean(s.URL.Text), "line", s.Where)
		}
	}
}

// ownHost reports whether a Server may have Robots no.
func (p *program) ownHost(s *spider.Server) bool {
	u, err := url.Parse(s.URL.Text)
	return err == nil && config.OwnHost(u.Hostname(), p.cfg.Spider.AllowHosts)
}
