package e2e

import (
	"archive/tar"
	zipfile "archive/zip"
	"bytes"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// zipOf returns a zip file of names and contents. A name that ends in @ is a symbolic link, one that ends in ! is said to be encrypted.
func zipOf(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	z := zipfile.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		name, link := strings.CutSuffix(files[i], "@")
		name, secret := strings.CutSuffix(name, "!")
		h := &zipfile.FileHeader{Name: name, Method: zipfile.Deflate, Modified: time.Date(2020, 2, 13, 10, 0, 0, 0, time.UTC)}
		if link {
			h.SetMode(fs.ModeSymlink | 0o777)
		}
		if secret {
			h.Flags |= 1
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func tarOf(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		name, link := strings.CutSuffix(files[i], "@")
		h := &tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[i+1])), ModTime: time.Unix(1_581_588_000, 0)}
		body := files[i+1]
		if link {
			h.Typeflag, h.Linkname, h.Size, body = tar.TypeSymlink, body, 0, ""
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestArchives verifies that members of archives are documents of their own, that they follow their archive, and that one request for an
// archive is enough (B49).
func TestArchives(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	book, err := os.ReadFile("../convert/reader/testdata/text.docx")
	if err != nil {
		t.Fatal(err)
	}
	set := func(path, kind, body string) { site.Set(path, spidertest.Page{Type: kind, Body: body}) }
	pack := func(more ...string) string {
		return zipOf(t, append([]string{
			"docs/", "", "docs/read me.txt", "Anchorage rules", "docs/index.html", `<title>Inside</title>halyard <a href="read%20me.txt">x</a> <a href="/out.html">x</a>`,
			"book.docx", string(book), "picture.png", "\x89PNG", "inner.zip", zipOf(t, "a.txt", "nested"), "link@", "/etc/passwd", "../../up.txt", "outside",
			"/abs.txt", "absolute", "twice.txt", "firstcopy", "twice.txt", "secondcopy", "secret.txt!", "ciphered", "100%?.txt", "oddname",
			".hidden.txt", "concealed", "__MACOSX/x.txt", "concealed",
		}, more...)...)
	}
	set("/a.zip", "application/zip", pack("gone.txt", "vanishing"))
	set("/b.tar", "application/x-tar", tarOf(t, "notes/spar.txt", "yardarm", "hard@", "notes/spar.txt", "../esc.txt", "escaped"))
	set("/c.tar.gz", "application/gzip", gzipOf(tarOf(t, "d.md", "# Davit\n\nbinnacle")))
	set("/d.tgz", "application/octet-stream", gzipOf(tarOf(t, "e.csv", "a,b\nkeelson,1\n")))
	set("/broken.zip", "application/zip", "PK no zip")
	set("/bomb.tgz", "application/gzip", gzipOf(strings.Repeat(tarOf(t, "z.txt", strings.Repeat("\x00", 1<<20)), 1)+strings.Repeat("\x00", 80<<20)))
	site.HTML("/out.html", "mainsail")
	site.HTML("/", `<a href="/a.zip">x</a> <a href="/b.tar">x</a> <a href="/c.tar.gz">x</a> <a href="/d.tgz">x</a> <a href="/broken.zip">x</a>
		<a href="/bomb.tgz">x</a> <a href="/f.html">x</a>`)
	for _, name := range []string{"f", "g", "h", "i", "j", "k", "l", "m"} { // pages that stay, for the gate
		site.HTML("/"+name+".html", "page "+name+` <a href="/g.html">x</a> <a href="/h.html">x</a> <a href="/i.html">x</a> <a href="/j.html">x</a>
			<a href="/k.html">x</a> <a href="/l.html">x</a> <a href="/m.html">x</a>`)
	}
	w := newWorld(t, "Archives yes\nServer "+site.URL+"/\n")
	w.index()
	const a = "/a.zip!/"
	found := map[string]string{
		"anchorage": a + "docs/read%20me.txt", "halyard": a + "docs/index.html", "fresnel": a + "book.docx", "vanishing": a + "gone.txt",
		"mainsail": "/out.html", "yardarm": "/b.tar!/notes/spar.txt", "binnacle": "/c.tar.gz!/d.md", "keelson": "/d.tgz!/e.csv",
		"firstcopy": a + "twice.txt", "oddname": a + "100%25%3F.txt", "secondcopy": "", "concealed": "", "outside": "", "absolute": "", "nested": "", "ciphered": "", "escaped": "",
	}
	w.finds("crawled", found)
	states := func() string {
		return strings.Join(w.rows(`SELECT substr(w.url, length($1) + 1) || ' ' || w.status || ' ' || coalesce((SELECT cause FROM crawl_history h
			WHERE h.url_id = w.url_id ORDER BY at DESC, slot DESC LIMIT 1), '') FROM urlword w
			WHERE w.url ~ '(zip|tar|gz)$' OR w.url ~ 'secret|inner' ORDER BY w.url`, site.URL), "\n")
	}
	want := strings.Join([]string{
		"/a.zip 406 converted by the list of an archive; left out: 1 links or devices, 2 hidden names, 2 names that lead out of it, or are none, 1 names that occurred before",
		a + "inner.zip 800 no converter for application/zip; an archive inside of an archive is not opened",
		a + "secret.txt 801 encrypted",
		"/b.tar 406 converted by the list of an archive; left out: 1 links or devices, 1 names that lead out of it, or are none",
		"/bomb.tgz 806 broken archive: more than 67108864 bytes when unpacked (a bomb)",
		"/broken.zip 806 broken archive: zip: not a valid zip file",
		"/c.tar.gz 406 converted by the list of an archive",
		"/d.tgz 406 converted by the list of an archive",
	}, "\n")
	if d := cmp.Diff(want, states()); d != "" {
		t.Errorf("statuses (-want +got):\n%s", d)
	}
	if got := site.Count()["/a.zip"]; got != 1 {
		t.Errorf("%d requests for the archive, want 1", got)
	}
	for path, title := range map[string]string{a + "docs/index.html": "Inside", a + "book.docx": "Handbook of lighthouses", "/c.tar.gz!/d.md": "Davit"} {
		if got := w.one(`SELECT title FROM urlwords JOIN urlword USING (url_id) WHERE url = $1`, site.URL+path); got != title {
			t.Errorf("%s: title %q, want %q", path, got, title)
		}
	}
	if got := w.one(`SELECT last_modified FROM urlword WHERE url = $1`, site.URL+a+"gone.txt"); got != "Thu, 13 Feb 2020 10:00:00 GMT" {
		t.Errorf("modified %s", got)
	}
	if got := w.one(`SELECT count(*) FROM named_by WHERE kind = 'archive'`); got != "11" {
		t.Errorf("%s URLs are named by archives, want 11", got)
	}
	w.index("--rebuild-index")
	w.finds("rebuilt", found)
	if code, out, errOut := w.try("-X1"); code != exitDone {
		t.Errorf("-X1 ended with %d\n%s%s", code, out, errOut)
	}

	// An unchanged archive: one request, and none of its members is visited.
	w.pass(8 * 24 * time.Hour)
	before := w.one(`SELECT count(*) FROM crawl_history WHERE url_id IN (SELECT url_id FROM named_by)`)
	w.index()
	if got := w.one(`SELECT count(*) FROM crawl_history WHERE url_id IN (SELECT url_id FROM named_by)`); got != before {
		t.Errorf("members of unchanged archives were visited: %s rows of history, want %s", got, before)
	}

	// A changed archive: what is new is found, what has gone is lost.
	many := []string{"fresh.txt", "brandnew"}
	for _, name := range strings.Fields("alpha bravo charlie delta echo foxtrot golf hotel india juliett") {
		many = append(many, name+".txt", "signal "+name)
	}
	set("/a.zip", "application/zip", pack(many...))
	w.pass(8 * 24 * time.Hour)
	w.index()
	found["brandnew"] = a + "fresh.txt"
	w.finds("changed", found)
	if got := w.one(`SELECT status & 65535, status >> 16 & 2047 FROM urlword WHERE url = $1`, site.URL+a+"gone.txt"); got != "200 404" {
		t.Errorf("a member that has gone is %s, want lost by 404", got)
	}

	// index -T finds a member at once, in the archive of today.
	many[1] = "brandnew and quicksilver"
	set("/a.zip", "application/zip", pack(many...))
	w.index("-T", site.URL+a+"fresh.txt")
	w.finds("by -T", map[string]string{"quicksilver": a + "fresh.txt"})
	if out := w.index("--explain", site.URL+a+"fresh.txt"); !strings.Contains(out, "its archive") {
		t.Errorf("--explain does not say that the member is due with its archive:\n%s", out)
	}

	// --respider reaches all, and nothing of an archive is an orphan.
	w.index("--respider")
	if got := w.one(`SELECT count(*) FROM orphans WHERE url LIKE '%!/%' AND url NOT LIKE '%gone.txt'`); got != "0" {
		t.Errorf("%s members are orphans", got)
	}
	w.finds("respidered", found)

	// The gate counts members as it counts pages: neither an archive that has gone nor one with other names empties the site.
	const lost = `SELECT count(*) FILTER (WHERE status >> 16 & 2047 = 404) BETWEEN 3 AND 12,
		(SELECT string_agg(reason || ': ' || cause, '; ') FROM sites_on_hold) FROM urlword WHERE url LIKE '%/a.zip!/%'`
	whole := site.Page("/a.zip")
	site.Remove("/a.zip")
	w.pass(8 * 24 * time.Hour)
	w.index()
	w.finds("gone", found)
	if got := w.one(lost); got != "true share: its archive: answered 404" {
		t.Errorf("an archive that has gone: members lost, and sites on hold: %s", got)
	}
	if got := w.one(`SELECT error_gone >= 15, error_unreachable FROM site_summary`); got != "true 0" {
		t.Errorf("members that the hold keeps are not counted as gone: %s", got)
	}
	kept := w.one(`SELECT url FROM urlword JOIN crawl_history USING (url_id) WHERE rule = 'T-10' AND result = 404 LIMIT 1`)
	if out := w.index("--explain", kept); !strings.Contains(out, "answered 404 Not found, kept back by the hold") {
		t.Errorf("--explain %s does not say what was answered:\n%s", kept, out)
	}
	site.Set("/a.zip", whole)
	w.pass(8 * 24 * time.Hour)
	w.index()
	if got := w.one(`SELECT count(*) FROM sites_on_hold`); got != "0" {
		t.Error("the site is still on hold when its archive is back")
	}
	set("/a.zip", "application/zip", zipOf(t, "next.txt", "sextant"))
	w.pass(8 * 24 * time.Hour)
	w.index()
	w.finds("renamed", map[string]string{"sextant": a + "next.txt"})
	if got := w.one(lost); got != "true share: not in its archive" {
		t.Errorf("an archive with other names: members lost, and sites on hold: %s", got)
	}
	w.index("--release", site.URL+"/")
	w.index("-a")
	// gone.txt may have been lost often enough by now.
	if got := w.one(`SELECT count(*) FROM urlword u WHERE url LIKE '%/a.zip!/%' AND (status >> 16 & 2047 = 404
		OR EXISTS (SELECT 1 FROM crawl_history h WHERE h.url_id = u.url_id AND h.rule = 'T-18'))`); got != "17" {
		t.Errorf("%s members are lost or purged after the release, want 17", got)
	}

	// Without Archives the members leave the index.
	w.sets("Server " + site.URL + "/\n")
	w.index(w.accept()...)
	w.finds("no archives", map[string]string{"anchorage": "", "brandnew": "", "yardarm": "", "mainsail": "/out.html"})
}

// TestArchivesOfFiles verifies that archives in a file tree are opened, that one which others may not read takes its members along, and that
// a tree that is not there loses none.
func TestArchivesOfFiles(t *testing.T) {
	t.Parallel()
	root := fileTree(t, map[string]string{"sub/a b.zip": zipOf(t, "in/x y.txt", "spinnaker"), "plain.txt": "gunwale"})
	w := newWorld(t, "Archives yes\nServer "+fileURL(root+"/")+"\n")
	w.spider("FileRoot " + root)
	w.index()
	finds := func(when, word, want string) {
		t.Helper()
		if out := w.index("--search", word); strings.Contains(out, "x%20y.txt") != (want != "") {
			t.Errorf("%s: %s: want %q\n%s", when, word, want, out)
		}
	}
	finds("crawled", "spinnaker", "x")
	if err := os.Rename(root, root+".away"); err != nil {
		t.Fatal(err)
	}
	w.try("-a")
	finds("away", "spinnaker", "x")
	if err := os.Rename(root+".away", root); err != nil {
		t.Fatal(err)
	}
	put(t, root+"/sub/a b.zip", zipOf(t, "in/x y.txt", "mizzenmast"))
	w.index("-a")
	finds("changed", "mizzenmast", "x")
	finds("changed", "spinnaker", "")
	if err := os.Chmod(root+"/sub/a b.zip", 0o600); err != nil {
		t.Fatal(err)
	}
	w.index("-a")
	finds("private", "mizzenmast", "")
}
