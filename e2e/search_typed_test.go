package e2e

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/spider/spidertest"
)

// typedPages are texts in languages in which people leave out accents and points, write particles behind nouns, or no blanks.
var typedPages = map[string]string{
	"en":     "My résumé has two pages. Send it to the café.",
	"plain":  "You can resume the download. Send it to the bin.",
	"de":     "Über die Straße geht Herr Müller mit seinen Büchern und dem Öl.",
	"da":     "Århus ligger ved havet, og øl er dyrt.",
	"fr":     "Les réglages du système sont enregistrés côté serveur. À la carte.",
	"es":     "La configuración del teléfono está en español. Año nuevo.",
	"pt":     "As informações da instalação não são públicas.",
	"pl":     "Łódź jest źródłem żartów. Instalacja pakietów.",
	"cs":     "Uživatelská příručka pro začátečníky, kůň a žluťoučký.",
	"ro":     "Știința și tehnica sunt părți ale societății.",
	"vi":     "Hướng dẫn cài đặt hệ thống Đà Nẵng.",
	"tr":     "Işık ve çağrı, İstanbul'da güneşli bir gün.",
	"ru":     "Ещё одна ёлка и новые настройки. Май, мой дом.",
	"uk":     "Їжак і ґанок, встановлення системи.",
	"el":     "Η εγκατάσταση του συστήματος είναι εύκολη. Ο άνθρωπος.",
	"ar":     "مُحَمَّدٌ في المدرسة، إعدادات النظام. كتـــاب",
	"fa":     "راهنمای فارسی برای کاربران.",
	"he":     "שָׁלוֹם עולם, התקנת המערכת.",
	"hi":     "हिन्दी में स्थापना की जानकारी.",
	"ja":     "設定の書き込みを置き換える。目録版。Web版では新機能を使う。第3章では録音します。",
	"zh":     "数据库的安装手册。软件包管理。",
	"ko":     "데이터베이스를 설치한다. 서버에서 명령어를 실행합니다. 책을 읽는다.",
	"ko-two": "데이터베이스 서버와 패키지의 목록.",
	"th":     "การติดตั้งระบบปฏิบัติการ",
}

// TestFoundAsTyped: pages are found by what people type who have no accents or leave them out, by nouns with and without
// Korean particles, and by single characters of Han; a word as typed weighs more than another spelling.
func TestFoundAsTyped(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	links := ""
	for name, text := range typedPages {
		links += "<a href=/" + name + ">.</a>"
		lang, _, _ := strings.Cut(name, "-")
		if name == "plain" {
			lang = "en"
		}
		site.HTML("/"+name, `<html lang="`+lang+`"><title>.</title><p>`+text)
	}
	site.HTML("/", links)
	w := newWorld(t, "Server "+site.URL+"/\n")
	w.index()
	e := engine(t, w.dsn, search.EngineOptions{})
	for text, want := range map[string]string{
		"resume": "plain en", "résumé": "en plain", `"two pages" cafe`: "en", `"a la carte"`: "fr", "RESUME -café": "plain",
		"uber": "de", "strasse": "de", "muller": "de", "Mueller": "de", "bucher": "de", "oel": "da de", "ol": "da de",
		"aarhus": "da", "arhus": "da", "reglages": "fr", "reglage": "fr", "systeme serveur": "fr", `"cote serveur"`: "fr", "title:reglages": "",
		"configuracion": "es", "telefonos": "es", "ano": "es", "informacoes": "pt", "lodz": "pl", "zrodlem": "pl",
		"prirucka": "cs", "stiinta": "ro", "ştiinţa": "ro", "societatii": "ro", "huong dan": "vi", "da nang": "vi pt tr", "đà nẵng": "vi pt tr",
		"isik": "tr", "ISIK": "tr", "cagri": "tr", "istanbul": "tr", "еще": "ru", "елка": "ru", "елки": "ru", "настройка": "ru",
		"їжак": "uk", "εγκατασταση": "el", "ΕΓΚΑΤΑΣΤΑΣΗ": "el", "ανθρωπος": "el", "محمد": "ar", "المدرسه": "ar", "اعدادات": "ar", "كتاب": "ar",
		"فارسي": "fa", "שלום": "he", "हिन्दी": "hi",
		"置き換え": "ja", "録": "ja", "版": "ja", "Web版": "ja", "第3章": "ja", "能": "ja", "库": "zh", "包": "zh", "数": "zh", "册": "zh",
		"데이터베이스": "ko-two ko", "데이터베이스가": "ko-two ko", "데이터베이스에서": "ko-two ko", "서버": "ko-two ko", "명령": "ko", "패키지": "ko-two", "책을": "ko",
		"ติดตั้ง": "th", "ระบบ": "th",
		"lang:ko 서버": "ko-two ko", "서버 inurl:two": "ko-two", "서버 -inurl:KO-": "ko", "a lang:de": "", "carte lang:(": "!", "carte filetype:html": "fr",
		"carte filetype:pdf": "", "carte -filetype:txt": "fr", "intitle:carte": "", "res*": "plain", "rés*": "en", "re*": "!", "실행*": "ko",
	} {
		q, err := query.Parse(text, query.Options{})
		if err != nil {
			if want != "!" {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		for range 2 { // the second time from the cache
			r, err := e.Search(t.Context(), search.Request{Query: q, PerPage: 100, Forms: search.FormLanguages(), Excerpts: 1})
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			var got []string
			for _, h := range r.Hits {
				got = append(got, strings.TrimPrefix(h.URL, site.URL+"/"))
			}
			if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
				t.Errorf("%s (-want +got):\n%s%v %v", text, diff, r.Spell, r.Notes)
			}
		}
	}
}
