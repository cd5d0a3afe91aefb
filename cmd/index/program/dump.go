package program

import (
	"context"
	"fmt"
	"strings"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/report"
)

// sections name bits 14 and 15 of a position (rules.md 3.4).
var sections = [4]string{"body", "description", "keywords", "title"}

// dumpWord shows every stored row of a word, decoded: where it stands, then a line a posting.
func (p *program) dumpWord(ctx context.Context, s *store.DB) error {
	word, found, err := report.New(s).DumpWord(ctx, strings.ToLower(p.o.dumpWord), func(row report.DumpRow) error {
		where := row.Table
		if row.Table == report.InWordfile {
			where = fmt.Sprintf("%s level %d seq %d", row.Table, row.Level, row.Seq)
		}
		fmt.Fprintf(p.out, "%s: %d bytes, %d postings\n", where, row.Bytes, len(row.Postings))
		for _, e := range row.Postings {
			fmt.Fprintf(p.out, "  site %d url %d count %d%s\n", e.Site, e.URL, len(e.Positions), positions(e.Positions))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("%q is not in the dictionary", p.o.dumpWord)
	}
	fmt.Fprintf(p.out, "%s: word_id %d, %d documents, %d positions\n", word.Word, word.ID, word.URLCount, word.TotalCount)
	return nil
}

// positions lists ordinals by section: " body 3,7 title 0". A removal has none.
func positions(list []uint16) string {
	if len(list) == 0 {
		return " (removed)"
	}
	var b strings.Builder
	section := -1
	for _, at := range list {
		if int(at>>14) != section {
			section = int(at >> 14)
			fmt.Fprintf(&b, " %s %d", sections[section], at&0x3fff)
			continue
		}
		fmt.Fprintf(&b, ",%d", at&0x3fff)
	}
	return b.String()
}
