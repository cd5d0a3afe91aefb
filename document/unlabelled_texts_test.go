package document

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// The texts of TestUnlabelledPages are those of Debian, read where the test runs:
//
//   - translated descriptions of packages, apt's Translation-xx files, in the folder PGSEEK_TEXTS, into which
//     scripts/unlabelled-texts fetches them;
//   - translated manual pages, /usr/share/man/xx;
//   - translated messages of programs, /usr/share/locale/xx.

// paragraphsOf returns the paragraphs of a language, sorted, each once. locale is Debian's name of it (zh_CN).
func paragraphsOf(tb testing.TB, locale string) []string {
	tb.Helper()
	var list []string
	for _, name := range glob(tb, os.Getenv("PGSEEK_TEXTS"), "*Translation-"+strings.ReplaceAll(locale, "_", "%5f")) {
		list = append(list, descriptions(fileOf(tb, name))...)
	}
	for _, name := range glob(tb, "/usr/share/man/"+locale, "man*/*.gz") {
		list = append(list, manualPage(unzipped(tb, name))...)
	}
	if len(list) < 500 { // short sentences, where nothing longer is to be had
		for _, name := range glob(tb, "/usr/share/locale/"+locale, "LC_MESSAGES/*.mo") {
			list = append(list, messages(fileOf(tb, name))...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func glob(tb testing.TB, dir, pattern string) []string {
	tb.Helper()
	names, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		tb.Fatal(err)
	}
	return names
}

func fileOf(tb testing.TB, name string) []byte {
	tb.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

func unzipped(tb testing.TB, name string) []byte {
	tb.Helper()
	z, err := gzip.NewReader(bytes.NewReader(fileOf(tb, name)))
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		tb.Fatalf("%s: %v", name, err)
	}
	return text
}

// descriptions returns the paragraphs of the long descriptions of a Translation file.
func descriptions(text []byte) (list []string) {
	var paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			list = append(list, strings.Join(paragraph, " "))
		}
		paragraph = nil
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line, long := strings.CutPrefix(lines.Text(), " ")
		if !long || line == "." {
			flush()
			continue
		}
		paragraph = append(paragraph, strings.TrimSpace(line))
	}
	flush()
	return list
}

// markup are the escapes of roff: fonts, characters by their names, sizes.
var markup = regexp.MustCompile(`\\f(\[[^\]]*\]|\(..|.)|\\\([a-z]{2}|\\\[[^\]]*\]|\\s[-+]?\d|\\[-&%e:,/|^]|\\`)

// manualPage returns the paragraphs of a manual page.
func manualPage(text []byte) (list []string) {
	var paragraph []string
	flush := func() {
		if len(paragraph) > 0 {
			list = append(list, strings.Join(paragraph, " "))
		}
		paragraph = nil
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '.' || line[0] == '\'' {
			flush()
			continue
		}
		paragraph = append(paragraph, strings.TrimSpace(markup.ReplaceAllString(line, "")))
	}
	flush()
	return list
}

// messages returns the translations of a catalog of messages (GNU gettext's format) that are sentences.
func messages(mo []byte) (list []string) {
	if len(mo) < 20 || binary.LittleEndian.Uint32(mo) != 0x950412de {
		return nil
	}
	count, table := binary.LittleEndian.Uint32(mo[8:]), binary.LittleEndian.Uint32(mo[16:])
	for i := range count {
		entry := mo[table+8*i:]
		length, start := binary.LittleEndian.Uint32(entry), binary.LittleEndian.Uint32(entry[4:])
		text := string(mo[start : start+length])
		if i > 0 && len(text) > 60 && !strings.ContainsAny(text, "%\x00<>|{}") {
			list = append(list, strings.Join(strings.Fields(text), " "))
		}
	}
	return list
}

// written reports whether a paragraph is in its language: enough letters beyond ASCII, where some paragraphs are not translated.
func written(text string, latin bool) bool {
	if !utf8.ValidString(text) || utf8.RuneCountInString(text) < 20 {
		return false
	}
	letters, beyond := 0, 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
			if r >= utf8.RuneSelf {
				beyond++
			}
		}
	}
	if latin {
		return beyond >= 2 && beyond*100 >= letters
	}
	return beyond*2 >= letters
}
