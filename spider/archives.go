package spider

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pgseek/pgseek/convert"
	"github.com/pgseek/pgseek/convert/archive"
	"github.com/pgseek/pgseek/internal/printable"
	"github.com/pgseek/pgseek/spider/fetch"
	"github.com/pgseek/pgseek/spider/filetree"
	"github.com/pgseek/pgseek/spider/weburl"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// Archives (docs/reference/behavior.md, Archives). A URL whose path ends in .zip, .tar, .tar.gz or .tgz is an archive. Its document is
// a list of links to its members, which is not indexed. A member is a URL like any other, ARCHIVE!/NAME, whose visits are answered from
// the archive: by the file that the archive's own visit fetched, or by another request for it. It is due when its archive has changed.

const (
	memberMark = "!/"

	openArchives  = 8                // that are at hand
	archiveHolds  = time.Hour        // until it is asked for again
	failureHolds  = 10 * time.Minute // the same, of one that could not be had
	memberWait    = 5 * 365 * 24 * time.Hour
	statusMissing = 404
)

// listed is how an archive becomes a document.
var listed = &convert.Way{Name: "the list of an archive", ID: "00000000000000000000000000000806"}

// archiveTypes are the types that servers send for archives.
var archiveTypes = map[string]bool{
	"application/zip": true, "application/x-zip-compressed": true, "application/x-zip": true, "application/x-tar": true, "application/gzip": true,
	"application/x-gzip": true, "application/x-gtar": true, "application/x-gtar-compressed": true, "application/x-compressed-tar": true,
	"application/x-tgz": true, "application/x-compressed": true,
}

func (o *Options) mayBeArchive(contentType string) bool {
	return o.Archives > 0 && archiveTypes[media(contentType)]
}

// kindOfURL returns the format of the archive that a URL names.
func kindOfURL(text string) archive.Kind {
	name, _, _ := strings.Cut(text, "?")
	return archive.KindOf(name)
}

// archiveOf returns the URL of the archive whose member a URL is. ok is false when it is no member.
func archiveOf(text string) (in string, ok bool) {
	for from := 0; ; {
		i := strings.Index(text[from:], memberMark)
		if i < 0 {
			return "", false
		}
		if in = text[:from+i]; kindOfURL(in) != archive.None {
			return in, true
		}
		from += i + len(memberMark)
	}
}

func (o *Options) archiveOf(text string) (in string, ok bool) {
	if o.Archives == 0 {
		return "", false
	}
	return archiveOf(text)
}

func (o *Options) isMember(text string) bool {
	_, ok := o.archiveOf(text)
	return ok
}

// isArchive reports whether a URL is an archive that is opened. One inside of another is not.
func (o *Options) isArchive(text string) bool {
	return o.Archives > 0 && kindOfURL(text) != archive.None && !o.isMember(text)
}

func (v *visit) isMember() bool { return v.c.o.isMember(v.page.Text) }

// refusesArchive reports whether an archive is out of scope, so that its members are, too.
func (s *Scope) refusesArchive(text string) bool {
	u, err := weburl.ParseNormalized(text)
	return err != nil || s.match(u, 0).refused != ""
}

// asArchive gives the visit of an archive the Server under which only its links count.
func (v *visit) asArchive() {
	if v.server == nil || !v.c.o.isArchive(v.page.Text) {
		return
	}
	server := *v.server
	server.Index = false
	v.server = &server
}

// openArchive is an archive at hand, or why it cannot be had.
type openArchive struct {
	url string

	mu      sync.Mutex // held while it is asked for
	until   time.Time
	failure fetch.Answer // its status is 0 when it is open
	*archive.Archive
	numbers map[string]int // by the URL of the member
	header  http.Header    // what the archive's headers say of its members
}

// archives are the archives at hand, the one that was used last at the end.
type archives struct {
	mu   sync.Mutex
	list []*openArchive
}

// entry returns the entry of an archive. The files of those that go are closed with their last reader.
func (a *archives) entry(url string) *openArchive {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := slices.IndexFunc(a.list, func(e *openArchive) bool { return e.url == url })
	e := &openArchive{url: url}
	if i >= 0 {
		e = a.list[i]
		a.list = slices.Delete(a.list, i, i+1)
	} else if len(a.list) >= openArchives {
		a.list = slices.Delete(a.list, 0, 1)
	}
	a.list = append(a.list, e)
	return e
}

// isAtHand reports whether the visit needs no request, because its archive is at hand.
func (v *visit) isAtHand() bool {
	in, ok := v.c.o.archiveOf(v.page.Text)
	if !ok {
		return false
	}
	a := &v.c.archives
	a.mu.Lock()
	i := slices.IndexFunc(a.list, func(e *openArchive) bool { return e.url == in })
	if i < 0 {
		a.mu.Unlock()
		return false
	}
	e := a.list[i]
	a.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	return time.Now().Before(e.until)
}

// open reads the list of an archive that was fetched. The entry is locked.
func (e *openArchive) open(ctx context.Context, c *crawler, a *fetch.Answer) error {
	e.until, e.Archive, e.numbers, e.failure = time.Time{}, nil, nil, fetch.Answer{}
	if a.File == nil {
		return fmt.Errorf("%w: it has no file", convert.ErrHere)
	}
	file, err := reopen(a.File)
	if err != nil {
		return fmt.Errorf("%w: %w", convert.ErrHere, err)
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	opened, err := archive.Open(ctx, file, info.Size(), kindOfURL(e.url), archive.Limits{Members: c.o.Archives}, c.o.TempFile)
	if err != nil {
		_ = file.Close() // it was read only
		if !errors.Is(err, archive.ErrBroken) && ctx.Err() == nil {
			err = fmt.Errorf("%w: %w", convert.ErrHere, err)
		}
		return err
	}
	e.Archive, e.numbers, e.header = opened, make(map[string]int, len(opened.Members)), make(http.Header)
	for i := range opened.Members {
		u, err := weburl.Typed(e.url+memberMark+escapedName(opened.Members[i].Name), c.o.MaxURLLength)
		if in, ok := archiveOf(u.Text); err != nil || !ok || in != e.url {
			opened.Left.Outside++
			continue
		}
		if _, double := e.numbers[u.Text]; !double {
			e.numbers[u.Text] = i
		}
	}
	for _, name := range []string{"X-Robots-Tag", filetree.ProtectedHeader} {
		if values := a.Header.Values(name); len(values) > 0 {
			e.header[name] = values
		}
	}
	e.until = time.Now().Add(archiveHolds)
	return nil
}

// escapedName returns the name of a member as the path of a URL.
func escapedName(name string) string {
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return strings.Join(parts, "/")
}

// listing returns the document of an archive: links to its members.
func (v *visit) listing(ctx context.Context, a *fetch.Answer) (content, error) {
	c := content{converted: true, way: listed}
	e := v.c.archives.entry(v.page.Text)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.open(ctx, v.c, a); err != nil {
		return c, err
	}
	var b bytes.Buffer
	b.WriteString("<!DOCTYPE html>\n<title>" + html.EscapeString(fileName(v.page.Text)) + "</title>\n")
	names := make([]string, 0, len(e.numbers))
	for text := range e.numbers {
		names = append(names, text)
	}
	slices.SortFunc(names, func(a, b string) int { return e.numbers[a] - e.numbers[b] })
	for _, text := range names {
		b.WriteString(`<a href="` + html.EscapeString(text) + `">` + html.EscapeString(e.Members[e.numbers[text]].Name) + "</a><br>\n")
	}
	c.body, c.readAs = b.Bytes(), "text/html; charset=utf-8"
	if c.leftOut = e.Left.String(); c.leftOut != "" {
		slog.WarnContext(ctx, "members of an archive are left out", "url", printable.Log(v.page.Text), "members", len(names), "left_out", c.leftOut)
	}
	return c, nil
}

// fetchMember answers a request for a member from its archive.
func (v *visit) fetchMember(ctx context.Context, in string, r fetch.Request) (*fetch.Answer, refusal) {
	e := v.c.archives.entry(in)
	e.mu.Lock()
	if !time.Now().Before(e.until) {
		if refused := v.askArchive(ctx, e); refused != notRefused {
			a := e.failure
			e.mu.Unlock()
			return &a, refused
		}
	}
	opened, numbers, header, failure := e.Archive, e.numbers, e.header, e.failure
	e.mu.Unlock()
	if opened == nil {
		return &failure, notRefused
	}
	i, ok := numbers[v.page.Text]
	if !ok {
		return &fetch.Answer{Status: statusMissing, Header: http.Header{}, Cause: "not in its archive"}, notRefused
	}
	m := &opened.Members[i]
	header = header.Clone()
	if kind := fetch.TypeOf(extension(m.Name)); kind != "" {
		header.Set("Content-Type", kind)
	}
	switch kind := header.Get("Content-Type"); {
	case m.Err != nil:
		return &fetch.Answer{Status: fetch.StatusConverterFailed, Header: header, Cause: m.Err.Error()}, notRefused
	case archive.KindOf(m.Name) != archive.None:
		cause := fetch.NoConverterFor + kind + "; an archive inside of an archive is not opened"
		return &fetch.Answer{Status: fetch.StatusNoConverter, Header: header, ContentType: kind, Cause: cause}, notRefused
	}
	stored := &fetch.Stored{Header: header, Size: m.Size, Modified: m.Modified, Open: func() (io.ReadCloser, error) { return opened.Open(i) }}
	r.Stored, r.ETag, r.LastModified = stored, "", ""
	a := v.c.o.Fetcher.Fetch(ctx, r)
	a.WireBytes = 0
	if stored.Err != nil && ctx.Err() == nil {
		a.Discard()
		a = &fetch.Answer{Status: fetch.StatusBrokenArchive, Header: header, Cause: fetch.ValidText(stored.Err.Error(), maxCause)}
	}
	return a, notRefused
}

// extension returns the last extension of a name in lower case, without its dot.
func extension(name string) string { return strings.ToLower(strings.TrimPrefix(path.Ext(name), ".")) }

// askArchive asks for an archive, and opens it. What its members are answered when it cannot be had is its failure. A host that takes no
// request now is not asked again for the next member: the caller puts it off.
func (v *visit) askArchive(ctx context.Context, e *openArchive) refusal {
	e.Archive, e.numbers = nil, nil
	fail := func(status int, cause string) refusal {
		e.failure = fetch.Answer{Status: status, Header: http.Header{}, Cause: fetch.ValidText("its archive: "+cause, maxCause)}
		e.until = time.Now().Add(failureHolds)
		return notRefused
	}
	page, err := weburl.ParseNormalized(e.url)
	if err != nil {
		return fail(statusMissing, err.Error())
	}
	if cause := v.policy.forbids(page.Path); cause != "" {
		return fail(statusMissing, cause)
	}
	a, refused := v.c.fetch(ctx, page, v.server, fetch.Request{URL: e.url, Method: http.MethodGet, Auth: v.server.Auth})
	defer a.Discard()
	switch {
	case refused != notRefused || ctx.Err() != nil:
		e.failure = fetch.Answer{Status: a.Status, Header: a.Header, Cause: a.Cause, RetryAfter: a.RetryAfter}
		return refused
	case a.Status == 200 && !v.c.o.mayBeArchive(a.ContentType):
		return fail(statusMissing, "answered as "+media(a.ContentType))
	case a.Status == 200:
		if err := e.open(ctx, v.c, a); errors.Is(err, archive.ErrBroken) {
			return fail(fetch.StatusBrokenArchive, err.Error())
		} else if err != nil {
			return fail(fetch.StatusReadTimeout, err.Error()) // of this machine: it says nothing about the members
		}
		return notRefused
	case a.Status >= 300 && a.Status < 400:
		return fail(statusMissing, fmt.Sprintf("it redirects (%d)", a.Status))
	}
	return fail(a.Status, cmp.Or(a.Cause, fmt.Sprintf(answeredWords+"%d", a.Status)))
}

// tellMembers records which members an archive names, and makes the known ones due when it was read, or when it is gone. It runs
// before the archive is recorded: what dies between the two leaves members that are visited in vain.
func (v *visit) tellMembers(ctx context.Context, o *outcome) error {
	if !v.c.o.isArchive(o.due.URL) || o.settled && o.status != statusPurged || o.due.ID == 0 {
		return nil
	}
	source := crawl.Source{Kind: crawl.ByArchive, ID: int32(o.due.ID)}
	named := o.read || o.relinked
	switch {
	case named:
	case o.status == 304, o.status == 200, o.excluded, noAnswer(o, nil), paused(o, nil), o.banHeld, o.status == statusAllowedAgain:
		return nil
	}
	var sites []store.SiteID
	var err error
	if named && !o.relinked {
		// Members that it names no longer are due, too: they are not in it.
		if sites, err = v.c.store.MembersDue(ctx, o.due.ID, v.c.foundDue()); err != nil {
			return err
		}
	}
	if named {
		err = v.c.store.SetNamed(ctx, source, o.links, true)
	} else {
		sites, err = v.c.store.MembersDue(ctx, o.due.ID, v.c.foundDue())
	}
	if err != nil || v.c.realtime != nil {
		return err
	}
	return v.c.wake(ctx, sites)
}

// reopen opens the file of an answer once more: the answer's own goes with its visit.
func reopen(f *os.File) (*os.File, error) { return os.Open(f.Name()) }
