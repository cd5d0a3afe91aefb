package e2e

import (
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/spider/spidertest"
	"golang.org/x/text/unicode/norm"
)

// A manualLanguage is a language in which Debian's manuals are translated.
type manualLanguage struct {
	code    string
	folders []string
	// Words that people type and the forms in which the pages have them.
	forms []string
	// substring: a page has what was typed if its text does, also within a run of characters. typed are the queries then; if
	// there are none, they are drawn from the text.
	substring bool
	typed     []string
}

// manualLanguages are fifteen languages with their folders among what scripts/translated-manuals fetches.
var manualLanguages = []manualLanguage{
	{code: "de", forms: []string{"Paket Pakete Paketen Pakets", "Datei Dateien", "Befehle Befehl Befehls Befehlen", "Rechner Rechners Rechnern", "Dienste Dienst Diensten Dienstes"}},
	{code: "fr", forms: []string{"paquet paquets", "fichier fichiers", "systemes système systèmes", "réseaux réseau", "commande commandes"}},
	{code: "es", forms: []string{"paquete paquetes", "archivos archivo", "servidor servidores", "ordenes orden órdenes", "usuarios usuario"}},
	{code: "it", forms: []string{"pacchetto pacchetti", "servizi servizio", "utente utenti", "comandi comando", "partizione partizioni"}},
	{code: "pt", folders: []string{"installation-guide-amd64/pt", "html/pt-BR"}, forms: []string{"pacote pacotes", "arquivos arquivo", "comando comandos", "serviços serviço"}},
	{code: "nl", forms: []string{"pakket pakketten", "bestand bestanden", "gebruiker gebruikers", "opdracht opdrachten"}},
	{code: "ru", forms: []string{"пакет пакеты пакета пакетов пакету пакетом пакетам пакетами пакетах пакете", "файл файлы файла файлов файлу файлом файлам файлами файлах файле", "система системы системе систему системой систем"}},
	{code: "pl", folders: []string{"html/pl-PL"}},
	{code: "cs"},
	{code: "el"},
	{code: "vi"},
	{code: "ar", folders: []string{"html/ar-MA", "html/fa-IR"}},
	{code: "ja", substring: true},
	{code: "zh", folders: []string{"installation-guide-amd64/zh_CN", "html/zh-CN", "html/zh-TW"}, substring: true},
	{code: "ko", substring: true, typed: strings.Fields(`패키지 패키지를 컴퓨터 컴퓨터의 명령 명령을 파일 파일이 시스템 시스템에서 사용자 사용자는 설치 서버 서버에서 네트워크 네트워크를
		디스크 메모리 커널을 파티션 파티션이 언어 화면 환경 문서 버전 저장소 설정 암호`)},
}

// TestFoundInLanguages: of the pages that have what people type, 98 of 100 are found in each language. What is typed are
// words drawn from the pages, without their accents in every second case, other forms of words, and in scripts without blanks
// one to four characters.
func TestFoundInLanguages(t *testing.T) {
	dir := os.Getenv("PGSEEK_MANUALS")
	if dir == "" {
		t.Skip("PGSEEK_MANUALS names no folder: scripts/translated-manuals DIR fetches the manuals")
	}
	sites := make([]*spidertest.Site, len(manualLanguages))
	sets := ""
	texts := make([]map[string]string, len(manualLanguages))
	rules, err := document.NewRules(document.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range manualLanguages {
		sites[i], texts[i] = spidertest.NewSite(t), map[string]string{}
		links := ""
		for path, body := range l.pages(t, dir) {
			sites[i].HTML(path, body)
			links += "<a href=" + path + ">.</a> "
			text, err := document.ReadText([]byte(body), "text/html", "", rules)
			if err != nil {
				t.Fatal(err)
			}
			texts[i][sites[i].URL+path] = norm.NFKC.String(strings.ToLower(string(slices.Concat(text.Title, []byte{'\n'}, text.Body, []byte{'\n'},
				text.Description, []byte{'\n'}, text.Keywords))))
		}
		sites[i].HTML("/", links)
		sets += "Server " + sites[i].URL + "/\n"
	}
	w := newWorld(t, sets)
	w.index("-N", "8")
	live := map[string]bool{}
	for _, url := range w.rows(`SELECT url FROM urlword WHERE status = 200 AND deleted = 0 AND origin = 0`) {
		live[url] = true
	}
	e := engine(t, w.dsn, search.EngineOptions{})
	t.Logf("%d pages; languages %v", len(live), e.Languages())
	for i, l := range manualLanguages {
		t.Run(l.code, func(t *testing.T) {
			for url := range texts[i] {
				if !live[url] { // a clone of a page that is not translated
					delete(texts[i], url)
				}
			}
			there, found, nothing := 0, 0, 0
			var took []time.Duration
			for _, c := range l.cases(texts[i]) {
				begin := time.Now()
				all := findAll(t, e, sites[i].URL+"/", c.typed)
				took = append(took, time.Since(begin))
				n := 0
				for _, url := range c.pages {
					if all[url] {
						n++
					}
				}
				if n < len(c.pages) {
					t.Logf("%s: %d of %d", c.typed, n, len(c.pages))
				}
				if n == 0 {
					nothing++
				}
				there, found = there+len(c.pages), found+n
			}
			slices.Sort(took)
			t.Logf("%d of %d pages (%.1f %%) in %d, %d queries found nothing; median %v, at most %v", found, there, 100*float64(found)/float64(there),
				len(texts[i]), nothing, took[len(took)/2], took[len(took)-1])
			if there < 50 || found*100 < there*98 {
				t.Errorf("found %d of %d pages", found, there)
			}
		})
	}
}

// pages returns the pages of a language by their paths.
func (l *manualLanguage) pages(t *testing.T, dir string) map[string]string {
	t.Helper()
	folders := l.folders
	if folders == nil {
		folders = []string{"installation-guide-amd64/" + l.code}
		all, err := filepath.Glob(filepath.Join(dir, "html", l.code+"-*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range all {
			folders = append(folders, "html/"+filepath.Base(path))
		}
	}
	pages := map[string]string{}
	for n, folder := range folders {
		_ = fs.WalkDir(os.DirFS(dir), folder, func(path string, d fs.DirEntry, err error) error {
			name := strings.TrimSuffix(path, ".gz")
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".html") {
				return nil //nolint:nilerr // a language without this manual
			}
			f, err := os.Open(filepath.Join(dir, path))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			var r io.Reader = f
			if name != path {
				if r, err = gzip.NewReader(f); err != nil {
					t.Fatal(err)
				}
			}
			body, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			pages[fmt.Sprintf("/%d/%s", n, filepath.Base(name))] = string(body)
			return nil
		})
	}
	if len(pages) < 50 {
		t.Fatalf("%s: %d pages in %v", l.code, len(pages), folders)
	}
	return pages
}

// A manualCase is what somebody types and the pages that have it.
type manualCase struct {
	typed string
	pages []string
}

// cases returns at least 20 queries with the pages that have what was typed.
func (l *manualLanguage) cases(texts map[string]string) (all []manualCase) {
	random := rand.New(rand.NewPCG(18, uint64(l.code[0])<<8|uint64(l.code[1])))
	if l.substring {
		typed := l.typed
		if len(typed) == 0 {
			typed = substrings(random, texts, 40)
		}
		for _, text := range typed {
			noun := text
			if l.code == "ko" {
				noun = nounOf(text, typed)
			}
			c := manualCase{typed: text}
			for url, page := range texts {
				if strings.Contains(page, noun) {
					c.pages = append(c.pages, url)
				}
			}
			all = append(all, c)
		}
		return all
	}
	words := map[string]map[string]bool{} // pages of each word
	for url, page := range texts {
		document.Tokens(page, func(word string, _, _ int) bool {
			if words[word] == nil {
				words[word] = map[string]bool{}
			}
			words[word][url] = true
			return true
		})
	}
	add := func(typed string, accept func(word string) bool) {
		c := manualCase{typed: typed}
		have := map[string]bool{}
		for word, pages := range words {
			if accept(word) {
				for url := range pages {
					have[url] = true
				}
			}
		}
		for url := range have {
			c.pages = append(c.pages, url)
		}
		all = append(all, c)
	}
	var plain, marked []string // words to draw from, the latter with accents
	for word, pages := range words {
		if utf8.RuneCountInString(word) < 4 || len(pages) < 3 || strings.ContainsFunc(word, unicode.IsDigit) {
			continue
		}
		if document.Plain(word) != word {
			marked = append(marked, word)
		} else {
			plain = append(plain, word)
		}
	}
	slices.Sort(plain)
	slices.Sort(marked)
	for i := range 20 {
		from := marked
		if i%4 == 3 || len(marked) < 20 {
			from = plain
		}
		word := from[random.IntN(len(from))]
		if i%2 == 0 {
			word = document.Plain(word)
		}
		folded := document.Plain(word)
		add(word, func(other string) bool {
			return other == word || other == folded || word == folded && document.Plain(other) == folded
		})
	}
	for _, line := range l.forms {
		forms := strings.Fields(strings.ToLower(line))
		add(forms[0], func(other string) bool { return slices.Contains(forms, other) })
	}
	return all
}

// nounOf returns the noun of a word with a particle: the longest of the nouns that it begins with.
func nounOf(word string, nouns []string) string {
	best := ""
	for _, n := range nouns {
		if n != word && strings.HasPrefix(word, n) && len(n) > len(best) {
			best = n
		}
	}
	switch {
	case best != "":
		return best
	case strings.HasSuffix(word, "을") || strings.HasSuffix(word, "를"):
		return word[:len(word)-len("을")]
	}
	return word
}

// substrings draws pieces of runs of Han and kana: a single character of Han in one of five cases, else two to four
// characters.
func substrings(random *rand.Rand, texts map[string]string, n int) (all []string) {
	urls := make([]string, 0, len(texts))
	for url := range texts {
		urls = append(urls, url)
	}
	slices.SortFunc(urls, func(a, b string) int { return strings.Compare(texts[a], texts[b]) })
	for len(all) < n {
		page := []rune(texts[urls[random.IntN(len(urls))]])
		at := random.IntN(len(page))
		length := 2 + random.IntN(3)
		if len(all)%5 == 0 {
			length = 1
		}
		piece := page[at:min(at+length, len(page))]
		fits := func(r rune) bool {
			return unicode.Is(unicode.Han, r) || length > 1 && unicode.In(r, unicode.Hiragana, unicode.Katakana)
		}
		if len(piece) == length && !slices.ContainsFunc(piece, func(r rune) bool { return !fits(r) }) {
			all = append(all, string(piece))
		}
	}
	return all
}

// findAll returns the pages of a site that a query finds.
func findAll(t *testing.T, e *search.Engine, site, text string) map[string]bool {
	t.Helper()
	q, err := query.Parse(text, query.Options{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	all := map[string]bool{}
	for page := 0; ; page++ {
		r, err := e.Search(t.Context(), search.Request{Query: q, Sites: []string{site}, PerPage: search.MaxPerPage, Page: page, Forms: []string{search.DocumentLanguages}})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, h := range r.Hits {
			all[h.URL] = true
		}
		if page+1 >= r.Pages {
			return all
		}
	}
}
