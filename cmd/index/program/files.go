package program

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/pgseek/pgseek/cmd/internal/wording"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/report"
)

// projectHost returns the host by which the database knows a configuration; of a file tree it is the URL.
func projectHost(u weburl.URL) string {
	if u.IsFile() {
		return u.Text
	}
	return u.Host
}

// leftOutFiles prints how many files are left out, if there are any.
func (p *program) leftOutFiles(ctx context.Context, s *store.DB, limits crawl.Limits) error {
	numbers, err := report.New(s).LeftOutFiles(ctx, limits)
	if err != nil || len(numbers) == 0 {
		return err
	}
	fmt.Fprintf(p.out, "          Files that are left out (index --explain URL says why)\n\n")
	for _, status := range slices.Sorted(maps.Keys(numbers)) {
		fmt.Fprintf(p.out, "%10d%20d %s\n", status, numbers[status], wording.StatusText(status))
	}
	fmt.Fprint(p.out, "\n\n")
	return nil
}
