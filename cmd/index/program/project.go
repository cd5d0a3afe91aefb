package program

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/internal/version"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// projectError refuses a configuration on a database that others crawl.
type projectError struct {
	ours, database string
	known          crawl.CrawledBy
}

func (e *projectError) Error() string {
	return fmt.Sprintf("%s does not belong to the database %s, which %s crawls; nothing was changed", e.ours, e.database, crawlerName(e.known))
}

const projectHint = "--config names another configuration, DBAddr or DataDir in spider.cnf another database; " +
	"index --adopt adds this configuration to those that crawl the database"

// crawlerName describes what crawls a database.
func crawlerName(by crawl.CrawledBy) string {
	var parts []string
	for _, name := range by.Projects {
		parts = append(parts, "project "+clean(name))
	}
	for _, host := range by.Hosts {
		parts = append(parts, "host "+clean(host))
	}
	return enumerate(parts)
}

// identity returns what this configuration is known by: its Project, else the hosts of its Server lines.
func (p *program) identity(servers []spider.Server) (by crawl.CrawledBy) {
	if name := p.cfg.Sets.Project; name != "" {
		return crawl.CrawledBy{Projects: []string{name}}
	}
	for i := range servers {
		by.Hosts = append(by.Hosts, projectHost(servers[i].URL))
	}
	slices.Sort(by.Hosts)
	by.Hosts = slices.Compact(by.Hosts)
	return by
}

// checkProject refuses a configuration that shares neither its name nor any host of its Server lines with those that
// crawl the database. A configuration without both is nobody's, and a database that nobody has crawled is everybody's.
func (p *program) checkProject(ctx context.Context, s *store.DB, servers []spider.Server) error {
	if p.o.adopt || p.accepted() {
		return nil
	}
	known, err := crawl.New(s).CrawledBy(ctx)
	if err != nil || len(known.Projects)+len(known.Hosts) == 0 {
		return err
	}
	ours := p.identity(servers)
	shares := len(servers) == 0 && len(ours.Projects) == 0 || slices.ContainsFunc(ours.Projects, func(name string) bool {
		return slices.Contains(known.Projects, name)
	})
	for i := range servers {
		shares = shares || slices.Contains(known.Hosts, projectHost(servers[i].URL))
	}
	if shares {
		return nil
	}
	return &projectError{fmt.Sprintf("%s (%s)", p.setsFile(), crawlerName(ours)), s.Name(), known}
}

// admit refuses a crawl before anything is changed: of another project's database, or by a configuration that would take
// out too many documents. A configuration that is admitted is remembered.
func (p *program) admit(ctx context.Context, s *store.DB, options *spider.Options) error {
	if err := p.checkProject(ctx, s, options.Servers); err != nil {
		return err
	}
	if err := p.checkRules(ctx, s, options); err != nil {
		return err
	}
	return crawl.New(s).AddCrawler(ctx, p.identity(options.Servers))
}

// nameDatabase logs the first line of a run: which database it works on.
func (p *program) nameDatabase(ctx context.Context) {
	if addr := p.cfg.Spider.DBAddr; addr == "" {
		slog.InfoContext(ctx, "database", "data_dir", p.cfg.Spider.DataDir, "version", version.Number())
	} else if place := store.DatabasePlace(addr); place != "" && !strings.Contains(place, "@") {
		slog.InfoContext(ctx, "database", "name", place, "version", version.Number())
	}
}
