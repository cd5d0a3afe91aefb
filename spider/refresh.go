package spider

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pgseek/pgseek/spider/weburl"
)

// maxRefresh is the longest time of a META refresh that counts as a redirect. A page with a longer one is a page, and the refresh
// a link.
const maxRefresh = 10 * time.Second

// refresh evaluates the META refresh of a page that was read: one of at most maxRefresh to another URL makes the answer a 302
// (T-05). One to the page itself, to what is no URL for us, or of a page with nofollow changes nothing.
func (v *visit) refresh(ctx context.Context, o *outcome) (bool, error) {
	doc := o.doc
	if doc.Refresh == "" || doc.RefreshAfter > maxRefresh || doc.NoFollow || o.tag&modeTagNoFollow != 0 {
		return false, nil
	}
	to, err := weburl.NewResolver(v.page, doc.Base, v.c.o.MaxURLLength).Resolve(doc.Refresh)
	if err != nil || to.Text == v.page.Text {
		return false, nil
	}
	target, refused, err := v.target(ctx, to.Text)
	if bad := (badLocation{}); errors.As(err, &bad) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	o.status, o.crc, o.doc, o.target, o.fromStore = 302, "", nil, target, false
	o.cause = fmt.Sprintf("META refresh after %s", span(doc.RefreshAfter))
	if refused != "" {
		o.cause = refused + " (" + o.cause + ")"
	}
	return true, nil
}
