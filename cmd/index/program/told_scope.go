package program

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/pgseek/pgseek/cmd/internal/settings"
	"github.com/pgseek/pgseek/config"
)

// tellScope says of new start URLs with a directory that their whole site is in scope: in the first run of each, once a site. A
// site of which a line says site or path, or names the root, is meant so. Of files FileRoot is the scope.
func (p *program) tellScope(ctx context.Context, fresh []string) {
	servers, err := settings.Servers(p.cfg)
	if err != nil {
		return
	}
	meant := make(map[string]bool)
	for i := range servers {
		line := &p.cfg.Sets.Servers[i]
		if line.Extent != config.ExtentDefault || line.Dir() == "/" {
			meant[servers[i].URL.Site] = true
		}
	}
	for i := range servers {
		u, line := servers[i].URL, &p.cfg.Sets.Servers[i]
		if meant[u.Site] || u.IsFile() || !slices.Contains(fresh, u.Text) {
			continue
		}
		meant[u.Site] = true
		dir := strings.TrimSuffix(u.Site, "/") + line.Dir()
		slog.WarnContext(ctx, "the whole site is in scope, not only the directory of the URL", "line", servers[i].Where, "site", clean(u.Site),
			"remedy", clean("write: Server path "+dir+", or Server site "+u.Text+" if the site is meant"))
	}
}
