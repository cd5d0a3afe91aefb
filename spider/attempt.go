package spider

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
	"github.com/pgseek/pgseek/store/failpoint"
)

// attempt visits one URL: rules, robots.txt, fetch, judgement, and reading where there is something new to read. An
// error is ours or the database's; whatever the site did is in the outcome.
func (c *crawler) attempt(ctx context.Context, due *crawl.Due) (o *outcome, err error) {
	o = &outcome{due: due, forced: c.o.Forced, manual: c.realtime != nil, start: c.foundDue(), opt: &c.o}
	r := c.o.Scope.rule(due.URL, due.Hops)
	page := r.page
	if o.server = r.server; r.refused != "" {
		o.status, o.cause = statusConfigForbidden, r.refused
		return o, nil
	}
	o.pace = c.o.Scope.Pace(page)
	o.forced = o.forced || c.o.Scope.Forced(page)
	p, err := c.robots.policy(ctx, page)
	if err != nil {
		return nil, err
	}
	if p.deferred {
		o.status, o.cause = statusRobotsUnavailable, strings.TrimSuffix(fmt.Sprintf("robots.txt answered %d: %s", p.status, p.cause), ": ")
		return o, nil
	}
	if cause := p.forbids(page.Path); cause != "" {
		o.status, o.cause = statusRobotsForbidden, cause
		return o, nil
	}
	if due.Deleted { // it comes back first, and is fetched as new in this run (T-15)
		o.status = statusAllowedAgain
		return o, nil
	}
	if err := c.ask(ctx, o, page, r.verdict); err != nil {
		return nil, err
	}
	return o, c.evaluate(ctx, o, page, p, r.verdict)
}

// ask sends the request, conditional when something is stored to compare with (C-12).
func (c *crawler) ask(ctx context.Context, o *outcome, page weburl.URL, verdict FilterAction) error {
	due := o.due
	request := fetch.Request{URL: page.Text, Method: "GET", Auth: o.server.Auth}
	if due.HasContent && !o.forced && verdict != CheckOnly { // a page that is only to be checked has nothing to compare with
		request.ETag, request.LastModified = due.ETag, due.LastModified
		if due.LastModified == "" && due.LastIndexTime > 0 {
			request.LastModified = time.Unix(due.LastIndexTime, 0).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
		}
	}
	if verdict == CheckOnly {
		request.Method = "HEAD"
	} else if o.server.HeadFirst && due.HasContent && !o.forced {
		same, err := c.sameByHead(ctx, o, page, request)
		if err != nil || same {
			return err
		}
	}
	o.answer = c.fetch(ctx, page, request)
	o.status, o.cause = o.answer.Status, o.answer.Cause
	if err := failpoint.Hit("fetch.after-body"); err != nil {
		return err
	}
	return ctx.Err()
}

// sameByHead asks with HEAD and takes equal validators and length for a 304 (RS-50).
func (c *crawler) sameByHead(ctx context.Context, o *outcome, page weburl.URL, r fetch.Request) (bool, error) {
	size, err := c.store.StoredSize(ctx, o.due.ID)
	if err != nil {
		return false, err
	}
	a := c.fetch(ctx, page, fetch.Request{URL: r.URL, Method: "HEAD", Auth: r.Auth})
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if a.Status != 200 || a.ETag == "" || a.ETag != o.due.ETag || a.LastModified == "" || a.LastModified != o.due.LastModified ||
		a.Header.Get("Content-Length") != fmt.Sprint(size) {
		return false, nil
	}
	a.Status = 304
	o.answer, o.status = a, 304
	return true, nil
}

// fetch is a request with the host's pauses. One that may have met a connection which the server was just closing is sent
// once more, on a new connection and after its pause.
func (c *crawler) fetch(ctx context.Context, u weburl.URL, r fetch.Request) *fetch.Answer {
	a := c.fetchOnce(ctx, u, r)
	if a.Unheard && ctx.Err() == nil {
		slog.DebugContext(ctx, "repeating the request on a new connection", "url", printable.Log(r.URL), "cause", a.Cause)
		r.Fresh = true
		a = c.fetchOnce(ctx, u, r)
	}
	return a
}

func (c *crawler) fetchOnce(ctx context.Context, u weburl.URL, r fetch.Request) *fetch.Answer {
	var delay time.Duration
	if server := c.o.Scope.Server(u); server != nil {
		delay = server.MinDelay
	}
	if err := c.polite.enter(ctx, u.Host, delay); err != nil {
		return &fetch.Answer{Status: fetch.StatusReadTimeout, Cause: err.Error()}
	}
	if c.realtime != nil {
		if err := c.realtime.turn(ctx, u.Host, delay); err != nil {
			c.polite.release(u.Host, 0, 0)
			return &fetch.Answer{Status: fetch.StatusReadTimeout, Cause: err.Error()}
		}
	}
	a := c.o.Fetcher.Fetch(ctx, r)
	c.polite.release(u.Host, a.Elapsed, delay)
	return a
}

// evaluate turns the answer into what the transition table looks at.
func (c *crawler) evaluate(ctx context.Context, o *outcome, page weburl.URL, p *policy, verdict FilterAction) error {
	switch o.status {
	case 200:
		if verdict == CheckOnly {
			o.status, o.read = statusNotIndexed, true
			return nil
		}
		o.crc = o.answer.CRC
		// An equal body needs no reading; the transaction asks for it if the document changed under us.
		if o.crc == o.due.CRC && o.due.HasContent && !o.forced && o.due.IndexMode == o.server.mode() {
			if o.due.Status.Base() == statusNotIndexed {
				o.status = statusNotIndexed
			}
			return c.relink(ctx, o, page, p)
		}
		return c.read(ctx, o, page, p)
	case 304:
		if o.due.IndexMode != o.server.mode() {
			return c.reread(ctx, o, page, p, verdict)
		}
		return c.relink(ctx, o, page, p)
	case 301, 302, 303, 307, 308:
		return c.follow(ctx, o, page)
	}
	return nil
}

// follow judges a redirect: 303 and 307 count as 302, 308 as 301 (C-27).
func (c *crawler) follow(ctx context.Context, o *outcome, page weburl.URL) (err error) {
	status := o.status
	switch {
	case status == 308 && c.o.ModernRedirects:
		status = 301
	case (status == 303 || status == 307) && c.o.ModernRedirects:
		status = 302
	case status > 302:
		return nil // like any other answer
	}
	o.target, err = c.target(ctx, o.due, page, o.answer.Location)
	if bad := (badLocation{}); errors.As(err, &bad) {
		o.status, o.cause = fetch.StatusNoLocation, bad.Error()
		return nil
	}
	o.status = status
	return err
}

// read parses the body and registers its links.
func (c *crawler) read(ctx context.Context, o *outcome, page weburl.URL, p *policy) (err error) {
	o.doc, err = parse(ctx, o.answer.Body, o.answer.ContentType, c.o.Rules)
	if err != nil {
		slog.DebugContext(ctx, "cannot read document", "url", printable.Log(page.Text), "cause", err)
		o.status, o.cause, o.crc, o.doc = readError(err), err.Error(), "", nil
		return nil
	}
	o.read, o.linksHash = true, c.linksHash(p)
	if o.server.Follow && !o.doc.NoFollow {
		if o.links, err = c.links(ctx, o.due, page, o.doc); err != nil {
			return err
		}
	}
	if !o.server.Index || o.doc.NoIndex || o.doc.NoFollow && o.server.Excludes {
		o.status = statusNotIndexed
	} else {
		o.words = store.PackWords(words(o.doc))
	}
	o.content = store.PackContent(o.answer.Body)
	return nil
}

// reread reads an unchanged document anew from its stored content, since its Server makes other things of it today
// (T-16); one without stored content is asked for without conditions. A clone has its original's content.
func (c *crawler) reread(ctx context.Context, o *outcome, page weburl.URL, p *policy, verdict FilterAction) error {
	due := *o.due
	kept, err := c.store.StoredContent(ctx, due.ID, due.CRC)
	if err != nil {
		return err
	}
	var body []byte
	if kept != nil {
		if body, err = unpack(kept, due.ID); err != nil {
			slog.WarnContext(ctx, "stored content is damaged; fetching the document again", "url", printable.Log(page.Text), "cause", err)
			kept = nil
		}
	}
	if kept == nil {
		due.HasContent = false
		o.due = &due
		if err := c.ask(ctx, o, page, verdict); err != nil {
			return err
		}
		return c.evaluate(ctx, o, page, p, verdict)
	}
	stored := *o.answer
	stored.Body, stored.ContentType, stored.Size = body, kept.ContentType, kept.Size
	if stored.ETag == "" {
		stored.ETag = due.ETag
	}
	if stored.LastModified == "" {
		stored.LastModified = due.LastModified
	}
	o.answer, o.status, o.crc, o.fromStore = &stored, 200, due.CRC, true
	return c.read(ctx, o, page, p)
}

// relink reads the links of an unchanged document again when the rules that chose them have changed; the same rules give
// the same links (C-04, SR-17, SR-18). A clone has its original's content.
func (c *crawler) relink(ctx context.Context, o *outcome, page weburl.URL, p *policy) error {
	hash := c.linksHash(p)
	if string(hash) == string(o.due.LinksHash) {
		return nil
	}
	doc, err := c.storedDocument(ctx, o.due.ID, o.due.CRC)
	if errors.As(err, new(*store.Damaged)) {
		slog.WarnContext(ctx, "stored content is damaged; keeping the links", "url", printable.Log(page.Text), "cause", err)
		return nil
	}
	if err != nil || doc == nil {
		return err
	}
	if o.server.Follow && !doc.NoFollow {
		if o.links, err = c.links(ctx, o.due, page, doc); err != nil {
			return err
		}
	}
	o.relinked, o.linksHash = true, hash
	return nil
}

// storedDocument reads a document again from its stored content, with the time that it needs: it was readable once. It returns nil when
// there is none, or none that can be read today, and an error with a *store.Damaged for one that is damaged, which is nobody's
// fault but this document's: whoever meets it goes on with the others (P8).
func (c *crawler) storedDocument(ctx context.Context, id store.URLID, crc string) (*document.Document, error) {
	kept, err := c.store.StoredContent(ctx, id, crc)
	if err != nil || kept == nil {
		return nil, err
	}
	body, err := unpack(kept, id)
	if err != nil {
		return nil, err
	}
	doc, err := parse(ctx, body, kept.ContentType, c.o.Rules.Patient())
	if err != nil {
		slog.WarnContext(ctx, "stored content can no longer be parsed", "url_id", id, "cause", err)
		return nil, nil
	}
	return doc, nil
}

// unpack is the content as it was stored, which may be longer than what today's IndexLimit reads of it.
func unpack(kept *crawl.Stored, id store.URLID) ([]byte, error) {
	body, err := store.UnpackContent(kept.Packed, document.MaxIndexLimit)
	if err != nil {
		return nil, fmt.Errorf("stored content of url %d: %w", id, err)
	}
	return body, nil
}

// parse is document.Parse, where a panic costs its document only (F21).
func parse(ctx context.Context, body []byte, contentType string, rules *document.Rules) (doc *document.Document, err error) {
	defer func() {
		if r := recover(); r != nil {
			slog.ErrorContext(ctx, "parser panicked", "cause", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("parser panicked: %v", r)
		}
	}()
	return document.Parse(body, contentType, rules)
}

// readError is the extended status of a body that cannot be read.
func readError(err error) int {
	if errors.Is(err, document.ErrUnreadable) {
		return fetch.StatusNoConverter
	}
	return fetch.StatusParserFailed
}

func words(doc *document.Document) []store.Word {
	list := make([]store.Word, len(doc.Words))
	for i, w := range doc.Words {
		list[i] = store.Word(w)
	}
	return list
}
