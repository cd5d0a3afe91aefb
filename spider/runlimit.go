package spider

import "github.com/pgseek/pgseek/store/crawl"

// MaxURLsPerServerPerIndex: the largest of the Server lines of a site holds for the site, and a line without a limit lifts it.

// runLimits returns how many URLs of each site a run may request, 0 for any number; nil when there are no limits.
func (o *Options) runLimits() map[string]int {
	if !o.runLimit().Counts {
		return nil
	}
	limits := make(map[string]int)
	for i := range o.Servers {
		server := &o.Servers[i]
		switch limit, known := limits[server.URL.Site]; {
		case known && limit == 0:
		case server.PerIndex == 0, !known, server.PerIndex > limit:
			limits[server.URL.Site] = server.PerIndex
		}
	}
	return limits
}

// runLimit returns the limit of sites that no Server line names, and whether there is any.
func (o *Options) runLimit() (l crawl.RunLimit) {
	if outside := o.Scope.outside; outside != nil {
		l.Outside, l.Counts = outside.PerIndex, outside.PerIndex > 0
	}
	for i := range o.Servers {
		l.Counts = l.Counts || o.Servers[i].PerIndex > 0
	}
	return l
}
