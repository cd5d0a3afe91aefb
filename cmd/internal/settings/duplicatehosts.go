package settings

import (
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/spider/weburl"
)

// DuplicateHosts returns the canonical host of each duplicate one, normalized. What is no host does not fit any URL.
func DuplicateHosts(sets *config.Sets) map[string]string {
	hosts := make(map[string]string)
	for _, l := range sets.DuplicateHosts {
		to, err := weburl.Normalize("http://"+l.Canonical+"/", 0)
		if err != nil {
			continue
		}
		for _, d := range l.Duplicates {
			if u, err := weburl.Normalize("http://"+d+"/", 0); err == nil && u.Host != to.Host {
				hosts[u.Host] = to.Host
			}
		}
	}
	return hosts
}
