package spider

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/pgseek/pgseek/store"
)

// errNotRead says that the document or its clone group changed under an attempt, which has not read what is needed now:
// the attempt must be made again.
var errNotRead = errors.New("the document changed meanwhile")

// application carries an outcome out within a document transaction: the rows of the transition table are its methods.
type application struct {
	o    *outcome
	d    *store.Document
	now  time.Time
	rule string
	tell store.Attempt // what goes to urlstate and crawl_history
}

// apply decides by the table and acts. It returns the rule that decided.
func apply(d *store.Document, o *outcome, now time.Time) (string, error) {
	t := decide(&d.Prev, o)
	if t == nil {
		return "", fmt.Errorf("no transition fits url %d: status %d, then %d", d.ID, d.Prev.Status, o.status)
	}
	a := &application{o: o, d: d, now: now, rule: t.id}
	a.tell = store.Attempt{
		Rule: t.id, Result: o.status, NewStatus: d.Prev.Status, Bytes: o.bytes(), Elapsed: o.elapsed(), Cause: o.cause,
	}
	if !o.read && needsBody[t.id] {
		return "", errNotRead
	}
	if leavesGroup[t.id] && d.Prev.Heir != 0 {
		if o.heir != d.Prev.Heir || o.due.CRC != d.Prev.CRC {
			return "", errNotRead
		}
		d.Promote(o.heirWords)
	}
	t.act(a)
	d.Attempt(a.tell)
	return t.id, nil
}

// leavesGroup names the rules by which an original stops being one: a live clone takes its place (SR-14). A lost original
// keeps its clones.
var leavesGroup = map[string]bool{"T-01c": true, "T-01o": true, "T-04": true, "T-05": true, "T-06": true, "T-12": true}

// needsBody names the rules that store what was read.
var needsBody = map[string]bool{"T-01": true, "T-01o": true, "T-04": true, "T-06": true, "T-17": true}

// create, replace: the new version, words and links (T-01, T-04, T-17).

func (a *application) create() { a.d.UpdateDocument(a.version(200)) }

func (a *application) replace() {
	a.d.MarkDeleted(a.rule)
	a.create()
}

// becomeClone records a document that equals a live one with a lower id: it has neither words nor links of its own (T-01c).
func (a *application) becomeClone() {
	if a.hadEntries() {
		a.d.MarkDeleted(a.rule)
	}
	v := a.version(200)
	v.Origin, v.Content, v.Words, v.Links = a.d.Prev.Twin, nil, nil, nil
	a.d.UpdateDocument(v)
}

// becomeOriginal records a document that equals a live one with a higher id, which becomes its clone (T-01o).
func (a *application) becomeOriginal() {
	if a.d.Prev.Status != 0 {
		a.d.MarkDeleted(a.rule)
	}
	a.d.BecomeOriginal(a.d.Prev.Twin, a.rule)
	a.create()
}

// touch renews an unchanged document (T-02, T-03).
func (a *application) touch() {
	a.tell.NewStatus = store.Status(a.d.Prev.Status.Base())
	a.d.UpdateInetAttrib(store.Inet{ETag: a.o.answer.ETag, LastModified: a.o.answer.LastModified, Next: a.nextSuccess()})
	if a.o.relinked {
		a.d.UpdateLinks(a.o.links)
		a.tell.LinksHash = a.o.linksHash
	}
}

// replaceByGate records a page that is not to be indexed. Its content is kept when it has links that pass the filter, so
// that they can be read again (T-06, C-03).
func (a *application) replaceByGate() {
	if a.d.Prev.Status != 0 {
		a.d.MarkDeleted(a.rule)
	}
	v := a.version(statusNotIndexed)
	if len(v.Links) == 0 {
		v.Content = nil
	}
	if a.d.Prev.Status.Base() == 200 && a.o.doc != nil && a.o.doc.NoIndex {
		v.Next = a.nextError(classRobots)
	}
	a.d.UpdateDocument(v)
}

// replaceByLink records a redirect: a row whose only link is the target (T-05).
func (a *application) replaceByLink() {
	p := &a.d.Prev
	if p.Status != 0 && (p.Status.Base() != a.o.status || p.Redir != a.o.target) {
		a.d.MarkDeleted(a.rule)
	}
	v := store.Version{
		Status: a.o.status, ETag: a.o.answer.ETag, LastModified: a.o.answer.LastModified,
		Redir: a.o.target, Next: a.nextSuccess(),
	}
	v.Content = &store.Content{ContentType: a.o.answer.ContentType}
	if a.o.target != 0 && a.o.target != a.d.ID {
		v.Links = []store.URLID{a.o.target}
	}
	a.tell.NewStatus = store.Status(v.Status)
	a.d.UpdateDocument(v)
}

// lose keeps a live document that answered with an error (T-07, T-09, T-11).
func (a *application) lose() {
	a.tell.NewStatus = a.d.ModifyLost(a.o.status, a.nextError(errorClass(a.o.status)))
}

// record notes the error of a URL that is no live document (T-08, T-09, T-11).
func (a *application) record() {
	p := &a.d.Prev
	if a.hadEntries() {
		a.d.MarkDeleted(a.rule)
	}
	a.tell.NewStatus = store.Status(a.o.status)
	a.d.UpdateDocument(store.Version{
		Status: a.o.status, CRC: p.CRC, ETag: p.ETag, LastModified: p.LastModified,
		Next: a.nextError(errorClass(a.o.status)),
	})
}

// leave changes nothing of the document (T-10).
func (a *application) leave() { a.d.Postpone(a.nextError(classUnreachable)) }

// recordSilence notes the network error of a URL that never answered (T-10n).
func (a *application) recordSilence() {
	a.tell.NewStatus = store.Status(a.o.status)
	a.d.RecordStatus(a.o.status, a.nextError(classUnreachable))
}

// withdraw takes a URL that a rule forbids out of the index (T-12).
func (a *application) withdraw() {
	if a.hadEntries() && !a.d.Prev.Deleted {
		a.d.MarkDeleted(a.rule)
	}
	a.d.Withdraw(a.now.Add(max(a.period(), time.Second)).Unix())
}

// restore lets a URL that was taken out come back, due at once (T-15).
func (a *application) restore() {
	if a.hadEntries() {
		a.d.MarkDeleted(a.rule)
	}
	a.tell.NewStatus = 0
	a.d.Restore(a.o.start)
}

// hadEntries reports whether the inverted index or citation may know the document.
func (a *application) hadEntries() bool {
	switch a.d.Prev.Status.Base() {
	case 200, 301, 302, statusNotIndexed:
		return true
	}
	return a.d.Prev.HasRow
}

// version is the new version of a document whose body was read (or equals one that was).
func (a *application) version(status int) store.Version {
	o := a.o
	a.tell.NewStatus = store.Status(status)
	a.tell.Read, a.tell.IndexMode, a.tell.LinksHash = true, o.server.mode(), o.linksHash
	v := store.Version{
		Status: status, CRC: o.crc, ETag: o.answer.ETag, LastModified: o.answer.LastModified,
		Next: a.nextSuccess(), Links: o.links, Modified: modified(o.answer.LastModified, a.now),
	}
	if o.doc == nil { // CheckOnly: nothing was read
		return v
	}
	a.tell.Marks = marks(o)
	if len(o.doc.Heads) > 0 {
		a.tell.Meta, _ = json.Marshal(o.doc.Heads) // strings only: cannot fail
	}
	v.Content = &store.Content{
		ContentType: o.answer.ContentType, Charset: o.doc.Charset, Title: o.doc.Title, Keywords: o.doc.Keywords,
		Description: o.doc.Description, Lang: o.doc.Lang, DocSize: o.answer.Size, Words: o.content,
	}
	if status == 200 {
		v.Words = o.words
		v.Content.WordCount, v.Content.TotalCount, v.Content.Text = o.doc.WordCount, o.doc.TotalCount, o.doc.Text
	}
	return v
}

// marks names what was cut or repaired in a document.
func marks(o *outcome) (m []string) {
	if o.answer.Truncated || o.doc.Truncated {
		m = append(m, "truncated")
	}
	if o.doc.LinksDropped > 0 {
		m = append(m, "links-dropped")
	}
	if o.doc.Nested {
		m = append(m, "nested")
	}
	return m
}

// modified reads a Last-Modified header: a bad date is absent, a future one is now (B33).
func modified(header string, now time.Time) time.Time {
	t, err := http.ParseTime(header)
	if err != nil || t.Before(time.Unix(0, 0)) {
		return time.Time{}
	}
	if t.After(now) {
		return now
	}
	return t
}

func (a *application) period() time.Duration {
	if a.o.server == nil {
		return 7 * day
	}
	return a.o.server.Period
}

// nextSuccess ends a series of errors.
func (a *application) nextSuccess() int64 {
	return a.now.Add(successWait(a.now, a.o.answer.Expires, a.period())).Unix()
}

// nextError counts an error into its series and returns the next time.
func (a *application) nextError(class string) int64 {
	a.tell.ErrorClass, a.tell.ErrorCount = class, errorsInRow(&a.d.Prev, class)
	var after time.Duration
	if a.o.answer != nil {
		after = a.o.answer.RetryAfter
	}
	return a.now.Add(errorWait(class, a.tell.ErrorCount, a.hadEntries(), after)).Unix()
}
