package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func zipped(t testing.TB, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = io.WriteString(w, files[i+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarred(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for i := range headers {
		h := headers[i]
		h.Mode = 0o644
		if h.Typeflag == 0 {
			h.Typeflag, h.Size = tar.TypeReg, int64(len(h.Uname))
		}
		body := h.Uname // the content, in these tests
		h.Uname = ""
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := io.WriteString(w, body); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body)
	_ = z.Close()
	return b.Bytes()
}

func open(t testing.TB, kind Kind, body []byte, limits Limits) (*Archive, error) {
	if limits.Members == 0 {
		limits.Members = 100
	}
	temp := func() (*os.File, error) { return os.CreateTemp(t.TempDir(), "tar") }
	return Open(context.Background(), bytes.NewReader(body), int64(len(body)), kind, limits, temp)
}

// contents returns what is in an archive: the members that can be opened, and what was left out.
func contents(a *Archive) (list []string) {
	for i, m := range a.Members {
		in, err := a.Open(i)
		if err != nil {
			list = append(list, m.Name+": "+err.Error())
			continue
		}
		body, err := io.ReadAll(in)
		list = append(list, fmt.Sprintf("%s=%s %v", m.Name, body, err))
		_ = in.Close()
	}
	return append(list, "left out: "+a.Left.String())
}

// Names that lead out, links, devices and double names are left out and counted (B49).
func TestMembers(t *testing.T) {
	for name, c := range map[string]struct {
		kind   Kind
		body   []byte
		limits Limits
		want   []string
	}{
		"zip": {Zip, zipped(t, "a/b.txt", "one", "a/./c.txt", "two", "a/b.txt", "three", "../d", "x", "/e", "x", `C:\f`, "x", `g\h`, "four", "i/", "", "a/../../j", "x",
			"k\nl", "x", "caf\x82", "five", ".m", "x", "n/.o/p", "x", "./.q", "x", "__MACOSX/._a", "x", "r./__MACOSX.s", "six"), Limits{}, []string{
			"a/b.txt=one <nil>", "a/c.txt=two <nil>", "g/h=four <nil>", "café=five <nil>", "r./__MACOSX.s=six <nil>",
			"left out: 4 hidden names, 5 names that lead out of it, or are none, 1 names that occurred before",
		}},
		"tar": {Tar, tarred(t, tar.Header{Name: "a", Uname: "one"}, tar.Header{Name: "b", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
			tar.Header{Name: "c", Typeflag: tar.TypeLink, Linkname: "a"}, tar.Header{Name: "d", Typeflag: tar.TypeFifo}, tar.Header{Name: "../e", Uname: "x"},
			tar.Header{Name: "f", Uname: "two"}), Limits{}, []string{
			"a=one <nil>", "f=two <nil>", "left out: 3 links or devices, 1 names that lead out of it, or are none",
		}},
		"tar.gz":    {TarGz, gzipped(tarred(t, tar.Header{Name: "a", Uname: "one"})), Limits{}, []string{"a=one <nil>", "left out: "}},
		"too many":  {Zip, zipped(t, "a", "1", "b", "2", "c", "3"), Limits{Members: 2}, []string{"a=1 <nil>", "b=2 <nil>", "left out: members beyond MaxArchiveMembers"}},
		"empty zip": {Zip, zipped(t), Limits{}, []string{"left out: "}},
	} {
		a, err := open(t, c.kind, c.body, c.limits)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if d := cmp.Diff(c.want, contents(a)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

// A time that only says that there is none is none: the first day of zip files, and that of Unix.
func TestNoTimes(t *testing.T) {
	day := func(year, month, day int) time.Time {
		return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	}
	for _, c := range []struct{ zip, tar, want time.Time }{
		{day(1980, 1, 1), time.Unix(0, 0), time.Time{}},
		{time.Time{}, time.Unix(1, 0), time.Time{}},
		{day(1980, 1, 2), day(1980, 1, 2), day(1980, 1, 2)},
		{day(2020, 2, 13), day(2020, 2, 13), day(2020, 2, 13)},
	} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		h := &zip.FileHeader{Name: "a"}
		if !c.zip.IsZero() {
			date := (c.zip.Year()-1980)<<9 | int(c.zip.Month())<<5 | c.zip.Day()
			h.ModifiedDate = uint16(date) //nolint:staticcheck // Modified would add the extra field, which old programs do not write
		}
		if _, err := z.CreateHeader(h); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		for kind, body := range map[Kind][]byte{Zip: b.Bytes(), Tar: tarred(t, tar.Header{Name: "a", ModTime: c.tar})} {
			a, err := open(t, kind, body, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Members[0].Modified; !got.Equal(c.want) {
				t.Errorf("%s of %v, %v: %v, want %v", kind, c.zip, c.tar, got, c.want)
			}
		}
	}
}

// Every broken or hostile archive ends in an error that says why (B49).
func TestBrokenArchives(t *testing.T) {
	lying := zipped(t, "a", strings.Repeat("x", 1<<20))
	if i := bytes.LastIndex(lying, []byte("PK\x01\x02")); i > 0 { // its directory says 10 bytes
		copy(lying[i+24:], []byte{10, 0, 0, 0})
	}
	if a, err := open(t, Zip, lying, Limits{}); err == nil {
		if got := contents(a); !strings.Contains(got[0], "broken archive") {
			t.Errorf("a member that is longer than it says: %q", got)
		}
	}
	many := make([]string, 0, 400_000)
	for i := range 200_000 {
		many = append(many, fmt.Sprintf("%040d", i), "")
	}
	whole := tarred(t, tar.Header{Name: "a", Uname: strings.Repeat("x", 5000)})
	for _, c := range []struct {
		name string
		kind Kind
		body []byte
		want string
	}{
		{"no zip", Zip, []byte("hello"), "not a valid zip file"},
		{"cut zip", Zip, zipped(t, "a", "1")[:60], "not a valid zip file"},
		{"empty", Zip, nil, "not a valid zip file"},
		{"no tar", Tar, bytes.Repeat([]byte("hello"), 1000), "invalid tar header"},
		{"cut tar", Tar, whole[:3000], "it is cut"},
		{"no gzip", TarGz, []byte("hello, this is no gzip"), "gzip"},
		{"cut gzip", TarGz, gzipped(whole)[:40], "EOF"},
		{"zip bomb", Zip, zipped(t, "a", strings.Repeat("x", 65<<20)), "a bomb"},
		{"tar.gz bomb", TarGz, gzipped(make([]byte, 65<<20)), "a bomb"},
		{"huge directory", Zip, zipped(t, many...), "directory is longer"},
	} {
		_, err := open(t, c.kind, c.body, Limits{})
		if err == nil || !errors.Is(err, ErrBroken) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestKindOf(t *testing.T) {
	for name, want := range map[string]Kind{
		"a.zip": Zip, "A.ZIP": Zip, "a.tar": Tar, "a.tar.gz": TarGz, "a.TGZ": TarGz, "a.gz": None, "zip": None, "": None, "a.zip/": None, "a.zipx": None,
	} {
		if got := KindOf(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(zipped(f, "a/b", "text", "../c", "x"))
	f.Add(tarred(f, tar.Header{Name: "a", Uname: "text"}, tar.Header{Name: "b", Typeflag: tar.TypeSymlink, Linkname: "c"}))
	f.Add(gzipped(tarred(f, tar.Header{Name: "a", Uname: "text"})))
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, kind := range []Kind{Zip, Tar, TarGz} {
			a, err := open(t, kind, body, Limits{Members: 10, Unpacked: 1 << 20})
			if err != nil {
				continue
			}
			if len(a.Members) > 10 {
				t.Errorf("%d members", len(a.Members))
			}
			for i, m := range a.Members {
				if strings.HasPrefix(m.Name, "/") || strings.Contains("/"+m.Name+"/", "/../") || m.Size > 1<<20 {
					t.Errorf("member %q of %d bytes", m.Name, m.Size)
				}
				in, err := a.Open(i)
				if err != nil {
					continue
				}
				if n, _ := io.Copy(io.Discard, in); n > m.Size {
					t.Errorf("%q: %d bytes, want at most %d", m.Name, n, m.Size)
				}
				_ = in.Close()
			}
		}
	})
}
