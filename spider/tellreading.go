package spider

import (
	"context"
	"log/slog"
)

// tellReading says that stored documents keep their words and dates for a while, when the lines by which they are read have changed
// since the last crawl. A run that visits all documents says nothing.
func (c *crawler) tellReading(ctx context.Context) error {
	changed, err := c.store.SetReadingHash(ctx, c.o.ReadHash[:])
	if err == nil && changed && !(c.o.All && c.o.Limits.Any()) {
		slog.InfoContext(ctx, "DateRule, KeepNavigation or LeaveOut has changed: documents keep their words and dates until their next visit; "+
			"index --rebuild-index reads them now")
	}
	return err
}
