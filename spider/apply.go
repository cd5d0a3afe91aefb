package spider

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// errNotRead says that the document or its clone group changed during an attempt that did not read what is
// needed now. The attempt is made again.
var errNotRead = errors.New("the document changed meanwhile")

// errOvertaken is errNotRead where another visit was recorded after this one had begun. Which of the two answers
// is newer is unknown, so the document is requested again.
var errOvertaken = fmt.Errorf("%w: another visit was recorded", errNotRead)

// application carries an outcome out within a document transaction. Its methods are the actions of the
// transition table.
type application struct {
	o    *outcome
	d    *crawl.DocumentTx
	now  time.Time
	rule string
	row  crawl.Attempt // what goes to urlstate and crawl_history
	kept bool          // the document leaves the index, and its content is kept
}

// apply finds the row of the table and carries it out. It returns the id of the rule. When no row fits a
// decision without a fetch, nothing is done and the id is empty.
func apply(d *crawl.DocumentTx, o *outcome, now time.Time) (string, error) {
	if d.Prev.Deleted && (d.Prev.WithdrawnBy == "SR-09" || d.Prev.WithdrawnBy == "T-21") && o.status != statusRemoved {
		// It was purged or removed while a schedule held it: no answer brings it back.
		return "", nil
	}
	t := decide(&d.Prev, o)
	if t == nil && (o.settled || o.status == statusAllowedAgain) { // a sweep was quicker
		return "", nil
	}
	if t == nil {
		return "", fmt.Errorf("no transition matches url %d: status %d, then %d", d.ID, d.Prev.Status, o.status)
	}
	p := &d.Prev
	if o.answer != nil && p.Attempts != o.due.Attempts {
		return "", errOvertaken
	}
	if p.Deleted && !o.due.Deleted && !o.settled && t.id != "T-12" { // it comes back first (T-15)
		return "", errNotRead
	}
	a := newApplication(d, o, now, t)
	if o.status == 304 && (t.id != "T-02" && t.id != "T-16" || p.CRC != o.due.CRC) { // the version of the condition is gone meanwhile
		return "", errNotRead
	}
	if !o.read && (needsBody[t.id] || o.repeated && t.id != "T-14") || p.Gate == nil && live(p) && (loss(o, p) || redirect(o, p)) {
		return "", errNotRead
	}
	if a.leavesGroup() && live(p) && p.Origin == 0 && p.CRC != "" && !p.AskedSuccessor { // it had no clones at the lease
		return "", errNotRead
	}
	if a.leavesGroup() && p.Successor != 0 {
		if o.successor != p.Successor || o.due.CRC != p.CRC {
			return "", errNotRead
		}
		d.Promote(o.promoted)
	}
	a.watch()
	t.act(a)
	o.became = a.row.NewStatus.Base()
	if o.settled {
		d.Settled(a.row)
	} else {
		d.Attempt(a.row)
	}
	if (keepsVersion[t.id] || a.row.Read) && unixOf(o.unavailable) != o.due.Unavailable {
		d.SetUnavailable(o.unavailable)
	}
	if (keepsVersion[t.id] || a.row.Read) && o.claim.known && (o.claim.page != 0 || o.due.Canonical != 0) {
		d.SetCanonical(o.claim.page, o.claim.cause, live(&d.Prev))
	}
	a.redate()
	a.recordKept()
	return t.id, nil
}

func newApplication(d *crawl.DocumentTx, o *outcome, now time.Time, t *transition) *application {
	return &application{o: o, d: d, now: now, rule: t.id, row: crawl.Attempt{
		Rule: t.id, Result: max(o.status, 0), NewStatus: d.Prev.Status, Bytes: o.bytes(), Elapsed: o.elapsed(), Cause: o.cause,
		Pace: o.pace, Step: d.Prev.Step, Unchanged: d.Prev.Unchanged, WithdrawnBy: d.Prev.WithdrawnBy,
	}}
}

// leavesGroup reports whether an original stops being one: a live clone takes its place. A lost original keeps
// its clones.
func (a *application) leavesGroup() bool {
	switch a.rule {
	case "T-01c", "T-01o", "T-04", "T-05", "T-06", "T-08", "T-12", "T-13", "T-14", "T-18", "T-19", "T-21", "SR-09":
		return true
	case "T-16":
		return notIndexed(a.o, &a.d.Prev)
	}
	return false
}

// keepsVersion has the rules that keep the stored version. Its headers may have changed.
var keepsVersion = map[string]bool{"T-02": true, "T-03": true}

// needsBody has the rules that store a body that was read.
var needsBody = map[string]bool{"T-01": true, "T-01o": true, "T-04": true, "T-06": true, "T-16": true, "T-17": true}

// create stores the first version of a document (T-01), replace a changed one (T-04).
func (a *application) create() { a.d.UpdateDocument(a.version(200)) }

func (a *application) replace() {
	a.d.MarkReplaced(a.rule)
	a.create()
}

// rewrite stores the same content again, because it was asked for (T-17).
func (a *application) rewrite() {
	a.d.MarkReplaced(a.rule)
	a.d.UpdateDocument(a.version(200))
}

// reindex stores an unchanged body under another indexing mode (T-16).
func (a *application) reindex() {
	p := &a.d.Prev
	switch {
	case notIndexed(a.o, p):
		a.replaceByGate()
	case cloneOfLower(a.o, p):
		a.becomeClone()
	case cloneOfHigher(a.o, p):
		a.becomeOriginal()
	default:
		a.rewrite()
	}
}

// discard records a document that is one of too many with the same body (T-14).
func (a *application) discard() {
	if a.hadEntries() {
		a.d.MarkDeleted(a.rule)
	}
	a.row.NewStatus = statusDuplicate
	a.d.UpdateDocument(crawl.Version{
		Status: statusDuplicate, CRC: a.o.crc, ETag: a.o.answer.ETag, LastModified: a.o.answer.LastModified,
		Next: a.after(a.period(), "duplicate: "),
	})
}

// becomeClone records a document that equals a live one with a lower id: it has neither words nor links of
// its own (T-01c).
func (a *application) becomeClone() {
	if a.hadEntries() {
		a.d.MarkReplaced(a.rule)
	}
	a.d.BecomeClone()
	a.o.twin = a.d.Prev.Twin
	v := a.version(200)
	v.Origin, v.Content, v.Words, v.Links = a.d.Prev.Twin, nil, nil, nil
	a.d.UpdateDocument(v)
}

// becomeOriginal records a document that equals a live one with a higher id, which becomes its clone (T-01o).
func (a *application) becomeOriginal() {
	if a.d.Prev.Status != 0 {
		a.d.MarkReplaced(a.rule)
	}
	a.d.BecomeOriginal(a.d.Prev.Twin, a.rule)
	a.o.twin = a.d.Prev.Twin
	a.create()
}

// touch renews an unchanged document (T-02, T-03).
func (a *application) touch() {
	a.d.UpdateInetAttrib(a.renewed())
	if a.o.relinked {
		a.d.UpdateLinks(a.o.links)
		a.row.LinksHash = a.o.linksHash
	}
}

// renewed returns the attributes that an unchanged answer renews.
func (a *application) renewed() crawl.Inet {
	a.row.NewStatus = store.Status(a.d.Prev.Status.Base())
	return crawl.Inet{ETag: a.o.answer.ETag, LastModified: a.o.answer.LastModified, Next: a.nextUnchanged()}
}

// replaceByGate records a page that is not to be indexed. Its content is stored when it has links that pass the
// filter, so that they can be read again, or when it is kept (T-06).
func (a *application) replaceByGate() {
	if a.d.Prev.Status != 0 {
		a.d.MarkReplaced(a.rule)
	}
	v := a.version(statusNotIndexed)
	a.keepExcluded(&v)
	if p := &a.d.Prev; a.o.doc != nil && a.o.saysNoIndex() && (p.Status.Base() == 200 || p.ErrorClass == classRobots) {
		v.Next = a.nextError(classRobots)
	}
	a.d.UpdateDocument(v)
}

// replaceByLink records a redirect: a row whose only link is the target (T-05).
func (a *application) replaceByLink() {
	p := &a.d.Prev
	if p.Status != 0 && (p.Status.Base() != a.o.status || p.Redir != a.o.target) {
		a.d.MarkReplaced(a.rule)
	}
	v := crawl.Version{
		Status: a.o.status, ETag: a.o.answer.ETag, LastModified: a.o.answer.LastModified,
		Redir: a.o.target,
	}
	if p.Status.Base() == a.o.status && p.Redir == a.o.target {
		v.Next = a.nextUnchanged()
	} else {
		v.Next = a.nextChanged()
	}
	v.Content = &crawl.Content{ContentType: a.o.answer.ContentType}
	if a.o.target != 0 && a.o.target != a.d.ID {
		v.Links = []store.URLID{a.o.target}
	}
	a.row.NewStatus = store.Status(v.Status)
	a.d.UpdateDocument(v)
	if live(p) && a.o.settled {
		a.d.CountRedirect()
	}
}

// unite records a page that only its canonical page is found for: a row with its links and the canonical page (T-19).
func (a *application) unite() {
	p, o, page := &a.d.Prev, a.o, a.d.Prev.NamedCanonical
	again := p.Status.Base() == statusCanonical && p.Redir == page
	if !again {
		a.d.MarkReplaced(a.rule)
	}
	v := crawl.Version{Status: statusCanonical, Redir: page, Content: &crawl.Content{ContentType: o.answer.ContentType}}
	a.row.Result, a.row.NewStatus = statusCanonical, statusCanonical
	switch {
	case o.settled:
		a.keepSeries()
		v.Links, v.Next, a.row.NextWhy = withLink(p.Hrefs, page), p.NextIndexTime, "as before"
	case again:
		v.Links, v.Next = withLink(o.links, page), a.nextUnchanged()
	default:
		v.Links, v.Next = withLink(o.links, page), a.nextChanged()
	}
	if !o.settled {
		a.row.Read, a.row.IndexMode, a.row.LinksHash = true, o.mode(), o.linksHash
		a.row.Marks, a.row.Meta = marks(o), meta(o)
	}
	a.d.UpdateDocument(v)
}

// lose keeps a live document that answered with an error, and marks it as lost (T-07, T-09, T-11).
func (a *application) lose() {
	a.row.NewStatus = a.d.ModifyLost(a.o.status, a.nextError(errorClass(a.o.status)), !a.early())
}

// unreadable are the statuses of what stays unreadable while its bytes and the converters are the same.
var unreadable = map[int]bool{
	fetch.StatusNoConverter: true, fetch.StatusConverterFailed: true, fetch.StatusParserFailed: true, fetch.StatusBrokenArchive: true,
}

// record notes the error of a URL that is no live document (T-08, T-09, T-11).
func (a *application) record() {
	p := &a.d.Prev
	if a.hadEntries() {
		a.d.MarkDeleted(a.rule)
	}
	a.row.NewStatus = store.Status(a.o.status)
	class := errorClass(a.o.status)
	if unreadable[a.o.status] && (!a.hadEntries() || noLongerKept(p)) {
		class = classUnread
	}
	v := crawl.Version{
		Status: a.o.status, Failed: true, CRC: p.CRC, ETag: p.ETag, LastModified: p.LastModified, Next: a.nextError(class),
	}
	if v.Status == statusNotIndexed { // see excludedBefore
		v.CRC, v.ETag, v.LastModified = "", "", ""
	}
	a.d.UpdateDocument(v)
}

// keepUnchanged changes nothing of the document (T-10).
func (a *application) keepUnchanged() {
	a.keepRedirect()
	a.d.Postpone(a.nextSilence())
}

// keepBanned leaves a URL as it is that robots.txt forbids together with most of its site.
func (a *application) keepBanned() {
	a.keepSeries()
	a.keepRedirect()
	a.d.Postpone(a.after(a.period(), "forbidden for now, rules checked again: "))
}

// putOff leaves a URL of a paused pattern for later (T-10).
func (a *application) putOff() {
	a.keepSeries()
	a.keepRedirect()
	a.d.Postpone(a.after(a.period(), "pattern paused: "))
}

// keepText leaves a document with the text that a converter stored (T-10).
func (a *application) keepText() {
	a.keepSeries()
	a.d.Postpone(a.after(a.period(), "no converter here: "))
}

// holdBack leaves a live document of a site on hold as it is.
func (a *application) holdBack() {
	a.row.Cause = OnHold + a.o.failure()
	a.d.Postpone(a.nextSilence())
}

// recordSilence notes the network error of a URL that never answered (T-10n).
func (a *application) recordSilence() {
	a.row.NewStatus = store.Status(a.o.status)
	a.d.RecordStatus(a.o.status, a.nextSilence())
}

// withdraw takes a URL that a rule forbids out of the index (T-12).
func (a *application) withdraw() {
	if a.hadEntries() && !a.d.Prev.Deleted {
		a.d.MarkDeleted(a.rule)
	}
	a.keepSeries()
	if !a.d.Prev.Deleted { // what went for another reason stays out for that
		a.row.WithdrawnBy = a.rule
	}
	a.kept = a.mayReturn()
	a.d.Withdraw(a.after(a.period(), "rules checked again: "))
}

// removeBad takes a URL that is gone out of the index at once (T-13).
func (a *application) removeBad() {
	if a.hadEntries() && !a.d.Prev.Deleted {
		a.d.MarkDeleted(a.rule)
	}
	a.row.WithdrawnBy, a.row.NewStatus = a.rule, store.Status(a.o.status)
	a.row.ErrorClass, a.row.ErrorCount = classGone, errorsInRow(&a.d.Prev, classGone)
	a.d.RemoveBad(a.o.status, a.after(a.period(), "next check: "))
}

// restore lets a URL that was taken out come back, due at once (T-15).
func (a *application) restore() {
	if a.hadEntries() {
		a.d.MarkDeleted(a.rule)
	}
	a.row.NewStatus, a.row.NextWhy, a.row.WithdrawnBy = 0, "allowed again", ""
	a.d.Restore(a.dueAgain())
}

// dueAgain returns the next time of a URL that is allowed again. A sweep does not put off what the run is to visit anyway.
func (a *application) dueAgain() int64 {
	if next := a.d.Prev.NextIndexTime; a.o.settled && next <= 0 {
		return next
	}
	return a.o.start
}

// purge ends a document that was lost too often (T-18).
func (a *application) purge() {
	if a.d.Prev.Origin == 0 {
		a.d.MarkDeleted(a.rule)
	}
	a.keepSeries()
	a.row.Result, a.row.NewStatus = a.o.purge, store.Status(a.o.purge)
	a.d.Purge(a.o.purge, a.after(ladders[classServer][3], "purged: "))
}

// purgeOrphan takes out a document that no link reaches (SR-09).
func (a *application) purgeOrphan() {
	if a.hadEntries() && a.d.Prev.Origin == 0 {
		a.d.MarkDeleted(a.rule)
	}
	a.keepSeries()
	a.row.WithdrawnBy, a.row.NextWhy = a.rule, "not until a link reaches it"
	a.row.NewStatus = store.Status(a.d.Prev.Status.Base())
	a.d.PurgeOrphan()
}

// keepSeries keeps the series of errors.
func (a *application) keepSeries() {
	a.row.ErrorClass, a.row.ErrorCount = a.d.Prev.ErrorClass, a.d.Prev.ErrorCount
}

// hadEntries reports whether the inverted index or citation may know the document.
func (a *application) hadEntries() bool {
	p := &a.d.Prev
	switch p.Status.Base() {
	case 200, 301, 302, statusCanonical:
		return true
	}
	return excludedBefore(p) || p.HasRow
}

// version returns the new version of a document whose body was read, or equals one that was.
func (a *application) version(status int) crawl.Version {
	o := a.o
	a.row.NewStatus = store.Status(status)
	a.row.Read, a.row.IndexMode, a.row.LinksHash = true, o.mode(), o.linksHash
	v := crawl.Version{
		Status: status, CRC: o.crc, ETag: o.answer.ETag, LastModified: o.answer.LastModified,
		Next: a.nextChanged(), Links: o.links, Modified: modified(o.answer, a.now),
		Same:    equalCRC(o, &a.d.Prev), // however it came to be read again (T-16, T-17)
		Redated: a.redated(),
	}
	if o.doc == nil { // CheckOnly: nothing was read
		return v
	}
	a.row.Marks, a.row.MarksStay = marks(o), o.fromStore
	a.row.Meta = meta(o)
	v.Content = &crawl.Content{
		ContentType: o.answer.ContentType, Charset: o.doc.Charset, Title: o.title(), Keywords: o.doc.Keywords,
		Description: o.doc.Description, Lang: o.doc.Lang, DocSize: o.answer.Size, Words: o.packed,
		Converted: o.content.of(),
	}
	if status == 200 {
		v.Words = o.words
		v.Content.WordCount, v.Content.TotalCount, v.Content.Text = o.doc.WordCount, o.doc.TotalCount, o.doc.Text
	}
	return v
}

// meta returns the link elements of a document as JSON, nil for none.
func meta(o *outcome) (list []byte) {
	if len(o.doc.Heads) > 0 {
		list, _ = json.Marshal(o.doc.Heads) // strings only: cannot fail
	}
	return list
}

// marks returns the marks of a document: content that was cut off or repaired, nofollow of META, and noarchive and nosnippet of
// META and headers.
func marks(o *outcome) (m []string) {
	if o.truncated() {
		m = append(m, "truncated")
	}
	if o.doc.LinksDropped > 0 {
		m = append(m, "links-dropped")
	}
	if o.doc.Nested {
		m = append(m, "nested")
	}
	if o.doc.NoFollow {
		m = append(m, "nofollow")
	}
	tag := robotsTag(o.answer.Header, o.opt.UserAgent)
	if o.doc.NoArchive || tag.noArchive {
		m = append(m, store.NoArchive)
	}
	if o.doc.NoSnippet || tag.noSnippet {
		m = append(m, store.NoSnippet)
	}
	return m
}

// clockSlack is the distance to the time of the answer within which a Last-Modified means "now".
const clockSlack = 2 * time.Second

// modified returns the Last-Modified of an answer when it can be believed: a valid date, not in the future,
// not within clockSlack of the answer (B33; see docs/reference/behavior.md, Dates). Otherwise it returns
// the zero time.
func modified(answer *fetch.Answer, now time.Time) time.Time {
	t, err := http.ParseTime(answer.LastModified)
	if err != nil || t.Before(time.Unix(0, 0)) {
		return time.Time{}
	}
	sent, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil || sent.After(now) {
		sent = now
	}
	if !t.Before(sent.Add(-clockSlack)) {
		return time.Time{}
	}
	return t
}
