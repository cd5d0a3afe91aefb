package settings

import (
	"fmt"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/spider/weburl"
)

// Servers normalizes the start URLs. One that cannot be used is an error with its line (B6, B41).
func Servers(cfg *config.Config) (servers []spider.Server, err error) {
	problems, duplicates := badSelectors(&cfg.Sets), DuplicateHosts(&cfg.Sets)
	for _, s := range cfg.Sets.Servers {
		u, err := weburl.Typed(s.URL, cfg.Spider.MaxURLLength)
		if err == nil {
			err = OutsideRoots(&cfg.Spider, u)
		}
		if err != nil {
			problems = append(problems, config.Error{File: s.File, Line: s.Line, Keyword: "Server", Reason: err.Error()})
			continue
		}
		server := local(cfg, s)
		server.URL = (&spider.Scope{DuplicateHosts: duplicates}).Unduplicated(u)
		for _, m := range s.Sitemaps {
			at, err := weburl.Normalize(m.URL, cfg.Spider.MaxURLLength)
			if err != nil {
				problems = append(problems, config.Error{File: m.File, Line: m.Line, Keyword: "Sitemap", Reason: err.Error()})
				continue
			}
			server.Sitemaps = append(server.Sitemaps, spider.Sitemap{URL: at, Where: fmt.Sprintf("%s:%d", m.File, m.Line)})
		}
		servers = append(servers, server)
	}
	if problems != nil {
		return nil, problems
	}
	return servers, nil
}

// Outside returns the directives for sites without a Server line, nil when those are out of scope.
func Outside(cfg *config.Config) *spider.Server {
	if !cfg.Sets.FollowOutside {
		return nil
	}
	outside := local(cfg, cfg.Sets.Outside)
	return &outside
}

// local returns the local directives of a Server line.
func local(cfg *config.Config, s config.Server) spider.Server {
	return spider.Server{
		Period: s.Period, Tag: s.Tag, MaxHops: s.MaxHops, MaxURLs: s.MaxURLs, Index: s.Index, Follow: s.Follow, JumpPage: s.JumpPage, HeadFirst: s.HeadFirst,
		IgnoreMeta: s.IgnoreMeta, IgnoreRobots: s.IgnoreRobots, Canonical: s.Canonical, DeleteBad: s.DeleteBad, Adaptive: s.Adaptive, Excludes: cfg.Spider.NofollowExcludes,
		PerIndex: s.PerIndex, Path: s.Extent == config.ExtentPath, Charset: document.CharsetNumber(s.Charset), Replace: replacer(s.Replace), NoSitemaps: s.NoSitemaps, LeaveOut: leaveOut(s),
		MinDelay: s.MinDelay, SaysMinDelay: s.SaysMinDelay, Auth: s.AuthBasic, Where: fmt.Sprintf("%s:%d", s.File, s.Line),
	}
}
