package spider

import (
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"

	"github.com/pgseek/pgseek/convert"
	"github.com/pgseek/pgseek/convert/archive"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// evaluate sets the status of the outcome by the answer, and reads the body where the table needs it.
func (v *visit) evaluate(ctx context.Context, o *outcome) error {
	if err := v.checkMounts(ctx, o); err != nil {
		return err
	}
	if err := v.askTag(ctx, o); err != nil {
		return err
	}
	v.readTag(o)
	switch o.status {
	case 200:
		if v.verdict == CheckOnly {
			o.exclude()
			o.read = true
			return nil
		}
		o.crc = o.answer.CRC
		// An equal body needs no reading; the transaction asks for it if the document changed under us.
		if o.crc == v.due.CRC && v.due.HasContent && !o.forced && v.due.IndexMode == o.mode() {
			if v.due.Status.Base() == statusNotIndexed {
				o.exclude()
			}
			if soft, err := v.stillSoft404(ctx, o); soft || err != nil {
				return err
			}
			return v.relink(ctx, o)
		}
		return v.read(ctx, o)
	case 304:
		if v.due.IndexMode != o.mode() {
			return v.reread(ctx, o)
		}
		if soft, err := v.stillSoft404(ctx, o); soft || err != nil {
			return err
		}
		return v.relink(ctx, o)
	case 301, 302, 303, 307, 308:
		return v.follow(ctx, o)
	}
	return nil
}

// read parses the body and registers its links, unless the page is one of an infinite space.
func (v *visit) read(ctx context.Context, o *outcome) (err error) {
	if !o.fromStore {
		if o.content, err = v.content(ctx, o.answer); err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if err == nil {
		if o.doc, err = v.parse(ctx, o.content.body, o.content.readAs); err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if err != nil {
		slog.DebugContext(ctx, "cannot read document", "url", printable.Log(v.page.Text), "cause", err)
		o.status, o.cause, o.crc, o.doc = o.readError(err), fetch.ValidText(err.Error(), maxCause), "", nil
		if errors.Is(err, convert.ErrNoText) {
			o.cause = fetch.ValidText(fetch.NoConverterFor+media(o.answer.ContentType)+"; "+err.Error(), maxCause)
		}
		o.sparesText = errors.Is(err, convert.ErrHere) && v.due.Status.Base() == 200
		return nil
	}
	v.expire(o, o.doc.UnavailableAfter)
	v.readDate(ctx, o, o.doc, o.content.body, o.content.readAs)
	if o.content.way != nil {
		o.cause = o.content.told()
	}
	if refreshed, err := v.refresh(ctx, o); refreshed || err != nil {
		return err
	}
	if soft, err := v.soft404(ctx, o); soft || err != nil {
		return err
	}
	var found foundLinks
	if v.follows(o.doc, o.mode()) {
		found = v.filterLinks(o.doc)
	}
	excluded := !v.server.Index || o.saysNoIndex() || (o.doc.NoFollow || o.tag&modeTagNoFollow != 0) && v.server.Excludes
	if !excluded && !v.registersLater() {
		if o.repeated, err = v.repeats(ctx, o, &found); err != nil || o.repeated {
			return err
		}
	}
	o.read, o.linksHash = true, v.linksHash()
	if v.registersLater() {
		o.found = &found
	} else if o.links, err = v.registerLinks(ctx, found); err != nil {
		return err
	}
	if excluded {
		o.claim = claim{known: true}
		o.exclude()
	} else {
		if err := v.readCanonical(ctx, o, o.doc); err != nil {
			return err
		}
		o.linkCanonical()
		o.words = store.PackWords(words(o.doc))
	}
	// Where the content was removed the links are read whenever the page is fetched (T-20).
	o.relinked = excluded && v.due.Status.Base() == statusNotIndexed && !v.due.HasContent && string(o.linksHash) != string(v.due.LinksHash)
	o.packed = store.PackContent(o.content.body)
	return nil
}

// registersLater reports whether the links are registered by the recorder, together with those of other pages. In index -T, in a
// --respider run and of an archive the links are needed before.
func (v *visit) registersLater() bool {
	return v.c.realtime == nil && !v.c.o.Respider && !v.c.o.isArchive(v.page.Text)
}

// reread reads an unchanged document again, from its stored content, because its Server has another
// indexing mode now (T-16). A document without stored content is requested again without conditions. A
// clone uses its original's content.
func (v *visit) reread(ctx context.Context, o *outcome) error {
	due := *v.due
	kept, body, err := v.storedBody(ctx)
	if kept != nil && err != nil {
		slog.WarnContext(ctx, "stored content is damaged; fetching the document again", "url", printable.Log(v.page.Text), "cause", err)
		kept, err = nil, nil
	}
	if err != nil {
		return err
	}
	if kept == nil {
		due.HasContent = false
		v.due, o.due = &due, &due
		if err := v.ask(ctx, o); err != nil {
			return err
		}
		return v.evaluate(ctx, o)
	}
	stored := *o.answer
	stored.Body, stored.ContentType, stored.Size = nil, kept.ContentType, kept.Size
	if stored.ETag == "" {
		stored.ETag = due.ETag
	}
	if stored.LastModified == "" {
		stored.LastModified = due.LastModified
	}
	o.answer, o.status, o.crc, o.fromStore = &stored, 200, due.CRC, true
	o.content = content{body: body, readAs: kept.ReadAs, converted: kept.CRC != "", by: kept.By}
	return v.read(ctx, o)
}

// relink reads the links of an unchanged document again when the rules that chose them have changed; the same
// rules give the same links. A clone has its original's content.
func (v *visit) relink(ctx context.Context, o *outcome) error {
	hash, live := v.linksHash(), v.due.Status.Base() == 200
	if live { // the header alone: the body is the stored one
		if err := v.readCanonical(ctx, o, nil); err != nil {
			return err
		}
	}
	if moved := o.claim.known && o.claim.page != v.due.Canonical; !moved && string(hash) == string(v.due.LinksHash) {
		o.claim = claim{}
		return nil
	}
	kept, body, err := v.storedBody(ctx)
	if errors.As(err, new(*store.Damaged)) {
		slog.WarnContext(ctx, "stored content is damaged; keeping the links", "url", printable.Log(v.page.Text), "cause", err)
		return nil
	}
	if err != nil || kept == nil {
		return err
	}
	doc, err := v.parseStored(ctx, kept, body)
	if err != nil || doc == nil {
		return err
	}
	v.readDate(ctx, o, doc, body, kept.ReadAs)
	if v.follows(doc, o.mode()) {
		if o.links, err = v.links(ctx, doc); err != nil {
			return err
		}
	}
	if live {
		o.claim = claim{}
		if err := v.readCanonical(ctx, o, doc); err != nil {
			return err
		}
		o.linkCanonical()
	}
	o.relinked, o.linksHash = true, hash
	return nil
}

// linkFilter is the number of the link filter. Documents whose links were chosen by another one have them read
// again at their next visit. Filter 1 looked at the robots.txt of other hosts, and refused every link of a page
// at MaxHops. Filter 2 did not know of canonical pages.
const linkFilter = 3

// linksHash identifies the rules under which a page's links are read: the link filter, the configuration and its own host's
// robots.txt.
func (v *visit) linksHash() []byte {
	robots := v.policy.rules.Hash()
	if v.policy.held { // its rules are not applied to links
		robots = [16]byte{}
	}
	sum := md5.Sum(slices.Concat([]byte{linkFilter}, v.c.o.ConfigHash[:], robots[:]))
	return sum[:]
}

// storedDocument parses a document again from its stored content, without a limit of time. It returns nil
// when there is none, or none that can be parsed today. Damaged content is an error with a *store.Damaged:
// it concerns this document only, and the caller goes on with the others (P8).
func (v *visit) storedDocument(ctx context.Context) (*document.Document, error) {
	kept, body, err := v.storedBody(ctx)
	if err != nil || kept == nil {
		return nil, err
	}
	return v.parseStored(ctx, kept, body)
}

// parseStored parses a stored body, in the charset by which it was read; nil when it can no longer be parsed.
func (v *visit) parseStored(ctx context.Context, kept *crawl.Stored, body []byte) (*document.Document, error) {
	doc, err := parse(ctx, body, kept.ReadAs, v.rules().WithCharset(store.CharsetOfMode(v.due.IndexMode)).Patient())
	if err != nil {
		slog.WarnContext(ctx, "stored content can no longer be parsed", "url_id", v.due.ID, "cause", err)
		return nil, nil
	}
	return doc, nil
}

// storedBody returns the stored content of the document and its body, which may be longer than what today's
// IndexLimit reads of it; nil when nothing is stored. Content that cannot be unpacked is returned with an
// error; a damaged one's has a *store.Damaged.
func (v *visit) storedBody(ctx context.Context) (*crawl.Stored, []byte, error) {
	kept, err := v.c.store.StoredContent(ctx, v.due.ID, v.due.CRC)
	if err != nil || kept == nil {
		return nil, nil, err
	}
	body, err := v.unpack(kept)
	return kept, body, err
}

// unpack returns the body of a stored content.
func (v *visit) unpack(kept *crawl.Stored) ([]byte, error) {
	body, err := store.UnpackContent(kept.Packed, document.MaxIndexLimit)
	if err != nil {
		return nil, fmt.Errorf("stored content of url %d: %w", v.due.ID, err)
	}
	return body, nil
}

// rules returns the rules by which the visit's pages are read.
func (v *visit) rules() *document.Rules {
	rules := v.c.o.Rules
	if v.server == nil {
		return rules
	}
	if v.server.IgnoreMeta {
		rules = rules.WithoutMeta()
	}
	return rules.WithCharset(v.server.Charset).LeavingOut(v.server.leaves(v.due.URL))
}

// follows reports whether the links of a page are followed. mode is the indexing mode of its version.
func (v *visit) follows(doc *document.Document, mode int) bool {
	return v.server.Follow && !doc.NoFollow && mode&modeTagNoFollow == 0
}

// parse calls document.Parse. A panic is an error of this document only (F21).
func parse(ctx context.Context, body []byte, contentType string, rules *document.Rules) (doc *document.Document, err error) {
	defer func() {
		if r := recover(); r != nil {
			slog.ErrorContext(ctx, "parser panicked", "cause", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("parser panicked: %v", r)
		}
	}()
	return document.Parse(body, contentType, rules)
}

// readError returns the extended status of a body that cannot be read.
func (o *outcome) readError(err error) int {
	switch {
	case errors.Is(err, archive.ErrBroken):
		return fetch.StatusBrokenArchive
	case errors.Is(err, document.ErrUnreadable), errors.Is(err, convert.ErrNoText):
		return fetch.StatusNoConverter
	case o.content.converted && o.content.readAs == "":
		return fetch.StatusConverterFailed
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
