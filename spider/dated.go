package spider

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/internal/printable"
)

// readDate reads the date of a document by the DateRule lines from the content that is stored. A panic means that there is none (F21).
func (v *visit) readDate(ctx context.Context, o *outcome, doc *document.Document, body []byte, readAs string) {
	defer func() {
		if r := recover(); r != nil {
			slog.ErrorContext(ctx, "reading the date panicked", "url", printable.Log(v.page.Text), "cause", fmt.Sprint(r), "stack", string(debug.Stack()))
		}
	}()
	o.dateRead = true
	if len(v.c.o.DateRules) == 0 {
		return
	}
	o.dated = v.c.o.DateRules.Find(&document.DatedPage{
		URL: v.page.Text, LastModified: cmp.Or(o.answer.LastModified, v.due.LastModified),
		Body: body, ContentType: readAs, Charset: doc.Charset, Title: doc.Title, Rules: v.rules(), Now: v.c.now(),
	})
}

// redated reports whether the date by the rules is another than the stored one.
func (a *application) redated() bool { return a.o.dateRead && !a.o.dated.Equal(a.d.Prev.Dated) }

// redate stores the date by the rules.
func (a *application) redate() {
	if !a.redated() || !keepsVersion[a.rule] && !a.row.Read {
		return
	}
	a.d.SetDated(a.o.dated)
	if keepsVersion[a.rule] {
		a.d.RedateUnchanged()
	}
}
