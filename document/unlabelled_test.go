package document

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// unlabelledCases are languages, the charsets in which old pages have them, and the share of pages in percent that must be read
// right: what commit e0c40c3 read of the same pages (docs/conformance.md), and 99 for Russian, Ukrainian and Japanese.
var unlabelledCases = []struct {
	language, label string
	percent         float64
}{
	{"ru", "windows-1251", 99},
	{"ru", "koi8-r", 100},
	{"ru", "iso-8859-5", 100},
	{"ru", "ibm866", 100},
	{"uk", "windows-1251", 99},
	{"uk", "koi8-u", 99},
	{"ja", "shift_jis", 99},
	{"ja", "euc-jp", 100},
	{"ja", "iso-2022-jp", 99},
	{"bg", "windows-1251", 95},
	{"sr", "windows-1251", 93},
	{"el", "windows-1253", 99},
	{"el", "iso-8859-7", 99},
	{"he", "windows-1255", 98},
	{"zh_CN", "gbk", 100},
	{"zh_CN", "gb18030", 100},
	{"zh_TW", "big5", 99},
	{"ko", "euc-kr", 99},
	{"th", "windows-874", 73},
	{"ar", "windows-1256", 0},
	{"ar", "iso-8859-6", 0},
	{"pl", "windows-1250", 4},
	{"pl", "iso-8859-2", 4},
	{"ro", "windows-1250", 5},
	{"ro", "iso-8859-16", 1},
	{"cs", "windows-1250", 6},
	{"cs", "iso-8859-2", 4},
	{"sk", "windows-1250", 18},
	{"hu", "iso-8859-2", 44},
	{"tr", "windows-1254", 2},
	{"de", "windows-1252", 100},
	{"fr", "windows-1252", 100},
	{"es", "windows-1252", 99},
	{"it", "windows-1252", 100},
	{"pt", "windows-1252", 100},
	{"da", "windows-1252", 100},
	{"sv", "windows-1252", 100},
	{"fi", "windows-1252", 100},
}

// latinLanguages write most of their letters in ASCII.
var latinLanguages = []string{"pl", "ro", "cs", "sk", "hu", "tr", "de", "fr", "es", "it", "pt", "da", "sv", "fi"}

const (
	unlabelledSeed  = 17
	unlabelledPages = 60 // of each language, charset and length
)

// unlabelledLengths are those of the texts, in characters.
var unlabelledLengths = []int{60, 200, 1000, 4000}

// TestUnlabelledPages measures the share of pages without any label that are read right, for texts that nobody wrote for it. The
// same texts give the same pages.
func TestUnlabelledPages(t *testing.T) {
	if os.Getenv("PGSEEK_TEXTS") == "" {
		t.Skip("needs translated texts of Debian: scripts/unlabelled-texts DIR fetches them, for PGSEEK_TEXTS=DIR")
	}
	paragraphs := map[string][]string{}
	for _, c := range unlabelledCases {
		if _, ok := paragraphs[c.language]; ok {
			continue
		}
		latin := slices.Contains(latinLanguages, c.language)
		list := slices.DeleteFunc(paragraphsOf(t, c.language), func(p string) bool { return !written(p, latin) })
		paragraphs[c.language] = list
	}
	tried := 0
	for _, c := range unlabelledCases {
		list := paragraphs[c.language]
		if len(list) < unlabelledPages {
			t.Logf("%-6s %-13s not tried: %d paragraphs in PGSEEK_TEXTS, /usr/share/man and /usr/share/locale", c.language, c.label, len(list))
			continue
		}
		tried++
		right, all := 0, 0
		shares, wrong := "", map[string]int{}
		for _, length := range unlabelledLengths {
			before := right
			pages := unlabelledTexts(list, length)
			for _, text := range pages {
				page := "<html><head><title>" + text[:strings.IndexByte(text, ' ')+1] + "</title></head><body>\n<p>" + text + "</p>\n</body></html>\n"
				body := []byte(encode(t, page, c.label)) // what the charset does not have is a reference such as &#8230;
				labelled, _ := decode(body, "text/html; charset="+c.label, htmlText, false, "")
				decoded, name := decode(body, "text/html", htmlText, false, "")
				if readRight(string(labelled), string(decoded)) {
					right++
				} else {
					wrong[name]++
				}
			}
			all += len(pages)
			shares += fmt.Sprintf(" %d/%d", right-before, len(pages))
		}
		t.Logf("%-6s %-13s%s, read as %v", c.language, c.label, shares, wrong)
		if float64(right)*100 < c.percent*float64(all) {
			t.Errorf("%s in %s: %d of %d pages are read right, want %v %%", c.language, c.label, right, all, c.percent)
		}
	}
	if tried == 0 {
		t.Error("PGSEEK_TEXTS has no texts: scripts/unlabelled-texts DIR fetches them")
	}
}

// unlabelledTexts puts paragraphs together to texts of a length in characters.
func unlabelledTexts(paragraphs []string, length int) []string {
	random := rand.New(rand.NewPCG(unlabelledSeed, uint64(length)))
	texts := make([]string, unlabelledPages)
	for i := range texts {
		text := ""
		for utf8.RuneCountInString(text) < length {
			text += paragraphs[random.IntN(len(paragraphs))] + " "
		}
		texts[i] = string([]rune(text)[:length])
	}
	return texts
}

// readRight reports whether a page was decoded as with its label, or more than nine in ten of its words beyond ASCII were.
func readRight(page, decoded string) bool {
	if page == decoded {
		return true
	}
	there := map[string]bool{}
	for _, w := range letterRuns(decoded) {
		there[w] = true
	}
	found, all := 0, 0
	for _, w := range letterRuns(page) {
		if strings.IndexFunc(w, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
			all++
			if there[w] {
				found++
			}
		}
	}
	return found*10 > all*9
}

func letterRuns(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.M, unicode.N) })
}
