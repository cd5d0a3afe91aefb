package spider

import (
	"context"
	"log/slog"
	"strings"

	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store/crawl"
)

// sweepConverters compares the stored texts with today's converters when these differ from those of the last crawl. Documents that are
// converted otherwise now are converted again at their next visit, and URLs whose type can be read now, or whose converter failed, are due. What nothing here
// converts stays as it is.
func (c *crawler) sweepConverters(ctx context.Context) error {
	if c.o.Converters == nil {
		return nil
	}
	id := c.o.Converters.ID()
	if known, err := c.store.ConvertersKnown(ctx, id); err != nil || known {
		return err
	}
	stored, causes, err := c.store.Conversions(ctx, fetch.StatusNoConverter)
	if err != nil {
		return err
	}
	again := crawl.Conversion{ID: id, Unread: fetch.StatusNoConverter, Failed: fetch.StatusConverterFailed}
	for _, by := range stored {
		switch way := c.o.Converters.Find(by.ContentType); {
		case by.Converter == listed.ID:
		case way == nil:
			c.tellUnconverted(ctx, media(by.ContentType))
		case way.ID != by.Converter:
			again.Changed = append(again.Changed, by)
		}
	}
	for _, cause := range causes {
		if contentType, ok := strings.CutPrefix(cause, fetch.NoConverterFor); ok && c.o.Reads(contentType) {
			again.Causes = append(again.Causes, cause)
		}
	}
	documents, urls, err := c.store.ConvertAgain(ctx, again, c.start)
	if err == nil && documents+urls > 0 {
		slog.InfoContext(ctx, "the converters have changed", "converted_again", documents, "read_now", urls)
	}
	return err
}
