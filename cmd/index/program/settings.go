package program

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pgseek/pgseek/cmd/internal/settings"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/robots"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// spiderOptions converts the configuration to the spider's options, the same for every mode. It neither connects
// nor looks up names; only a crawl does, in openStarts. Problems are config.Errors.
func (p *program) spiderOptions() (*spider.Options, error) {
	cfg := &p.cfg.Spider
	checked, err := settings.WordRules(cfg, p.cfg.SpiderFile)
	if err != nil {
		return nil, err
	}
	checked = checked.ForAgent(robots.ProductToken(cfg.UserAgent))
	servers, err := settings.Servers(p.cfg)
	if err != nil {
		return nil, err
	}
	guard := fetch.NewGuard(cfg.AllowNetworks, cfg.DenyNetworks, cfg.AllowHosts)
	p.guard = guard
	duplicates := 0
	if cfg.InfiniteSpaceDetection {
		duplicates = cfg.InfiniteSpaceDuplicates
	}
	scope := spider.NewScope(servers, settings.Outside(p.cfg), settings.Filters(&p.cfg.Sets))
	sets := &p.cfg.Sets
	scope.Frequently, scope.Infrequently, scope.ForceRecrawl = sets.Frequently.Match, sets.Infrequently.Match, sets.ForceRecrawl.Match
	scope.Pause, scope.NeverPause = sets.Pause.Match, sets.NeverPause.Match
	scope.DuplicateHosts = settings.DuplicateHosts(&p.cfg.Sets)
	files := settings.FileTree(&p.cfg.Spider)
	scope.InFileRoot = files.Opens
	scope.SkipExtensions, scope.Archives = settings.SkipExtensions(&p.cfg.Sets), sets.Archives
	converters := p.converters()
	o := &spider.Options{
		Scope: scope, Servers: servers, Rules: checked, Files: files, ListingIndex: cfg.ListingIndex, Converters: converters, DateRules: settings.DateRules(p.cfg.Sets.DateRules),
		ConfigHash: p.cfg.Hash, ReadHash: p.cfg.ReadingHash, UserAgent: cfg.UserAgent,
		Local:   guard.Local,
		Workers: cfg.Threads, Load: p.cfg.Sets.Load, Hosts: p.hosts, BatchSize: cfg.BatchSize, BatchTimeOut: cfg.BatchTimeout,
		RobotsTTL: cfg.RobotsTTL, MaxURLLength: cfg.MaxURLLength, Clones: cfg.Clones,
		ModernRedirects: cfg.ModernRedirects,
		RobotsGSA:       cfg.RobotsPolicy == "gsa", LostLimit: cfg.LostLimit, UnreachableRemove: cfg.UnreachableRemove,
		ConnectivityShare: cfg.ConnectivityShare, ConnectivityInterval: cfg.ConnectivityInterval,
		MaxLostShare: cfg.MaxLostShare, LostPeriod: cfg.LostPeriod, OrphanPeriod: cfg.OrphanPeriod,
		InfiniteDuplicates: duplicates, Soft404: cfg.Soft404Detection, UnchangedChecks: cfg.UnchangedChecks,
		BaseInterval: cfg.BaseInterval, MaxInterval: cfg.MaxInterval, BackoffBase: cfg.BackoffBase, DocumentLimit: int64(cfg.DocumentLimit), InfiniteRepeat: cfg.InfiniteSpaceRepeat,
		Respider: p.o.respider, All: p.o.all, Forced: p.o.forced, HopsFirst: p.o.hopsFirst, SkipStarts: p.o.quick, Count: p.o.count,
	}
	if sets.Archives {
		o.Archives, o.TempFile = sets.ArchiveMembers, p.place.File
	}
	o.Fetcher = fetch.New(fetch.Options{
		UserAgent: cfg.UserAgent, ReadTimeOut: cfg.ReadTimeOut, MaxTextSize: cfg.MaxTextSize, MaxOtherSize: cfg.MaxOtherSize,
		IndexLimit: cfg.IndexLimit, Guard: guard, Files: files, Readable: o.Reads, Spooled: o.Converts, Spool: p.place.File,
		Headers: headers(cfg.Headers), Bandwidth: bandwidth(cfg),
	})
	return o, nil
}

// headers returns the lines of HTTPHeader.
func headers(lines []config.Header) (list []fetch.Header) {
	for _, h := range lines {
		list = append(list, fetch.Header(h))
	}
	return list
}

// bandwidth returns the limit of MaxBandwidth, nil for none.
func bandwidth(cfg *config.Spider) func(at time.Time) int64 {
	if len(cfg.Bandwidths) == 0 {
		return nil
	}
	return cfg.Bandwidth
}

// hosts returns which hosts may be fetched from at a time of day, by the HostLoad lines.
func (p *program) hosts(at time.Time) (h crawl.Hosts) {
	sets := p.cfg.Sets
	rest := sets.Load("", at) > 0 // hosts without a line of their own
	if !rest {
		h.Only = []string{}
	}
	for i := range sets.HostLoads {
		host := sets.HostLoads[i].Host
		if host == "*" {
			continue
		}
		switch open := sets.Load(host, at) > 0; {
		case rest && !open:
			h.Except = append(h.Except, host)
		case !rest && open:
			h.Only = append(h.Only, host)
		}
	}
	return h
}

// openStarts opens the guard for start URLs with a literal address, for that address and port only. It refuses a
// start URL whose name resolves to a denied network: such a name needs an AllowHost line. With -q start URLs are
// not visited, so their names are not checked.
func (p *program) openStarts(ctx context.Context, servers []spider.Server) error {
	var problems config.Errors
	for i := range servers {
		if servers[i].URL.IsFile() || openLiteral(p.guard, servers[i].URL) || p.o.quick {
			continue
		}
		if err := p.guard.CheckStart(ctx, servers[i].URL.Host); err != nil {
			s := p.cfg.Sets.Servers[i]
			problems = append(problems, config.Error{File: s.File, Line: s.Line, Keyword: "Server", Reason: err.Error()})
		}
	}
	if problems != nil {
		return problems
	}
	return nil
}

// openManual opens the guard for the URLs of -i whose host is a literal address, as for start URLs. They are
// recognized by having no referrer.
func (p *program) openManual(ctx context.Context, s *store.DB) error {
	sites, err := crawl.New(s).TypedSites(ctx)
	for _, site := range sites {
		if u, err := weburl.Typed(site, 0); err == nil && !u.IsFile() {
			openLiteral(p.guard, u)
		}
	}
	return err
}

// openLiteral opens the guard for the address and port of a URL whose host is an address. It returns false if the
// host is a name.
func openLiteral(guard *fetch.Guard, u weburl.URL) bool {
	parsed, err := url.Parse(u.Text)
	if err != nil {
		return false
	}
	addr, err := netip.ParseAddr(strings.Trim(parsed.Hostname(), "[]"))
	if err != nil {
		return false
	}
	port := parsed.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[parsed.Scheme]
	}
	at, err := netip.ParseAddrPort(netip.AddrPortFrom(addr, 0).Addr().String() + ":" + port)
	if err != nil {
		at, err = netip.ParseAddrPort("[" + addr.String() + "]:" + port)
	}
	if err != nil {
		return false
	}
	guard.AllowAddrPort(at)
	return true
}

// registerManual registers URLs that the operator gave, due at once, and returns how many were new.
func (p *program) registerManual(ctx context.Context, s *store.DB, scope *spider.Scope, urls []weburl.URL, due int64) (int, error) {
	list := make([]crawl.NewURL, 0, len(urls))
	for _, u := range urls {
		site, err := crawl.New(s).RegisterSite(ctx, u.Site, u.Host)
		if err != nil {
			return 0, err
		}
		n := crawl.NewURL{URL: u.Text, Hash: store.HashURL(u.Text), Site: site}
		if server := scope.Server(u); server != nil {
			n.Tag = server.Tag
		}
		list = append(list, n)
	}
	ids, created, err := crawl.New(s).RegisterURLs(ctx, list, due)
	if err == nil {
		var back int
		back, err = crawl.New(s).Readmit(ctx, ids, due)
		created += back
	}
	if err != nil || created == 0 {
		return created, err
	}
	sites := make([]store.SiteID, 0, len(list))
	for _, u := range list {
		sites = append(sites, u.Site)
	}
	slices.Sort(sites)
	return created, crawl.New(s).WakeSites(ctx, slices.Compact(sites), due)
}
