package settings

import (
	"fmt"
	"slices"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/convert/archive"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/spider/fetch"
)

// Filters returns the pattern lines in their order.
func Filters(sets *config.Sets) (filters []spider.Filter) {
	verdicts := map[config.Action]spider.FilterAction{
		config.Allow: spider.Allow, config.Disallow: spider.Disallow, config.CheckOnly: spider.CheckOnly,
	}
	for i := range sets.Filters {
		f := &sets.Filters[i]
		filters = append(filters, spider.Filter{
			Verdict: verdicts[f.Action], Match: f.Match, Where: fmt.Sprintf("%s:%d", f.File, f.Line),
		})
	}
	return filters
}

// SkipExtensions returns the extensions of files that are not asked for: those of SkipExtensions whose type no Converter line names, and
// which are no archives that are opened.
func SkipExtensions(sets *config.Sets) map[string]bool {
	skipped := make(map[string]bool)
	for _, extension := range sets.SkipExtensions {
		mediaType := fetch.TypeOf(extension)
		converted := slices.ContainsFunc(sets.Converters, func(c config.Converter) bool { return mediaType != "" && c.Fits(mediaType) })
		skipped[extension] = !converted && !(sets.Archives && archive.KindOf("."+extension) != archive.None)
	}
	return skipped
}
