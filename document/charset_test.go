package document

import (
	"strings"
	"testing"

	"golang.org/x/net/html/charset"
)

// encode returns text in a charset.
func encode(tb testing.TB, text, label string) string {
	tb.Helper()
	enc, name := charset.Lookup(label)
	if name == "" {
		tb.Fatalf("no charset %s", label)
	}
	out, err := enc.NewEncoder().String(text)
	if err != nil {
		tb.Fatalf("%s: %v", label, err)
	}
	return out
}

// TestB02CharsetOrder: BOM, header, META in the first 1,024 bytes, UTF-8 if valid, guess, windows-1252.
func TestB02CharsetOrder(t *testing.T) {
	const (
		meta = `<meta charset="koi8-r">`
		zhuk = "\xD6\xD5\xCB" // жук in koi8-r
	)
	pad := strings.Repeat(" ", 1024)
	for _, c := range []struct{ name, body, contentType, charset, word string }{
		{"BOM before header", "\xEF\xBB\xBFжук", "text/html; charset=koi8-r", "utf-8", "жук"},
		{"BOM of UTF-16 before header", "\xFF\xFE\x36\x04\x43\x04\x3A\x04", "text/html; charset=utf-8", "utf-16le", "жук"},
		{"BOM of big-endian UTF-16", "\xFE\xFF\x04\x36\x04\x43\x04\x3A", "text/plain", "utf-16be", "жук"},
		{"header before META", meta + "\xE6\xF3\xEA", "text/html; charset=windows-1251", "windows-1251", "жук"},
		{"quoted, capital parameter", zhuk, `text/html; x=y; Charset="KOI8-R"`, "koi8-r", "жук"},
		{"META", meta + zhuk, "text/html", "koi8-r", "жук"},
		{"META Content-Type", `<meta http-equiv=Content-Type content="text/html; charset = 'koi8-r'">` + zhuk, "text/html", "koi8-r", "жук"},
		{"name for http-equiv", `<meta name=content-type content="text/html;charset=koi8-r;x">` + zhuk, "text/html", "koi8-r", "жук"},
		{"META before valid UTF-8", meta + "ж", "text/html", "koi8-r", "п"},
		{"XML declaration", `<?xml version="1.0" encoding="koi8-r"?>` + zhuk, "application/xhtml+xml", "koi8-r", "жук"},
		{"META before XML declaration", `<?xml encoding="utf-8"?>` + meta + zhuk, "text/html", "koi8-r", "жук"},
		{"META in a comment does not count", "<!--" + meta + "-->жук", "text/html", "utf-8", "жук"},
		{"META beyond 1,024 bytes does not count in valid UTF-8", pad + meta + "жук", "text/html", "utf-8", "жук"},
		{"META beyond 1,024 bytes, instead of a guess", pad + meta + zhuk, "text/html", "koi8-r", "жук"},
		{"META that byte 1,024 cuts", pad[:1010] + meta + zhuk, "text/html", "koi8-r", "жук"},
		{"META in <body> beyond 1,024 bytes does not count", pad + "<body>" + meta + "caf\xE9", "text/html", "windows-1252", "café"},
		{"META beyond 8 KiB does not count", strings.Repeat(pad, 8) + meta + "caf\xE9", "text/html", "windows-1252", "café"},
		{"late META of UTF-16 means UTF-8", pad + "<meta charset=utf-16>жук \xFF", "text/html", "utf-8", "жук"},
		{"one bad byte in UTF-8", strings.Repeat("жук ", 30) + "\xE9", "text/html", "utf-8", "жук"},
		{"a letter that was cut", strings.Repeat("жук ", 4) + "\xE2\x82", "text/plain", "utf-8", "жук"},
		{"too many bad bytes", strings.Repeat("\xE9t\xE9 ", 9) + "жук", "text/html", "windows-1252", "été"},
		{"ISO-2022-JP", "\x1b$BF|K\\8l\x1b(B", "text/html", "iso-2022-jp", "日本"},
		{"ISO-2022-JP of 1978", "\x1b$@F|K\\8l\x1b(J", "text/plain", "iso-2022-jp", "日本"},
		{"escapes of a terminal", "\x1b(B foo\x1b[1m", "text/plain", "utf-8", "foo"},
		{"escapes beside bytes beyond ASCII", "\x1b$B café \xE9", "text/plain", "windows-1252", "b"},
		{"a header is believed before escapes", "\x1b$BF|K\\8l\x1b(B", "text/html; charset=utf-8", "utf-8", "bf"},
		{"B3: a code page in other words", "\xE6\xF3\xEA", "text/html; charset=cp-1251", "windows-1251", "жук"},
		{"B3: and in META", "<meta charset=win-1251>\xE6\xF3\xEA", "text/html", "windows-1251", "жук"},
		{"B3: a number that is none", "<meta charset=win-9>жук", "text/html", "utf-8", "жук"},
		{"a plain text has no META", meta + "жук", "text/plain", "utf-8", "жук"},
		{"valid UTF-8", "жук", "text/html", "utf-8", "жук"},
		{"ASCII", "beetle", "text/html", "utf-8", "beetle"},
		{"B3: unknown in the header", meta + zhuk, "text/html; charset=klingon", "koi8-r", "жук"},
		{"B3: unknown in META", `<meta charset=klingon>` + meta + zhuk, "text/html", "koi8-r", "жук"},
		{"B3: unknown everywhere", `<meta charset=klingon>жук`, "text/html; charset=", "utf-8", "жук"},
		{"B4: undecodable bytes break a word", "foo\xFFbar", "text/html; charset=utf-8", "utf-8", "foo"},
		{"B4: in a charset of two bytes", "foo\x80bar", "text/html; charset=euc-kr", "euc-kr", "foo"},
		{"B5: UTF-16 in META means UTF-8", "<meta charset=utf-16>жук", "text/html", "utf-8", "жук"},
		{"B5: and in the XML declaration", `<?xml encoding="UTF-16"?>жук`, "text/html", "utf-8", "жук"},
		{"UTF-16 in the header is believed", "\x36\x04\x43\x04\x3A\x04", "text/html; charset=utf-16", "utf-16le", "жук"},
		{"a lone surrogate", "\x66\x00\x00\xD8\x67\x00", "text/html; charset=utf-16le", "utf-16le", "f"},
		{"iso-8859-1 means windows-1252", "caf\xE9 \x93x\x94", "text/html; charset=iso-8859-1", "windows-1252", "café"},
		{"default", "caf\xE9", "text/html", "windows-1252", "café"},
		{"a charset that is never decoded", "foo", "text/html; charset=iso-2022-kr", "replacement", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := parseWith(t, c.body, c.contentType, Rules{})
			if d.Charset != c.charset {
				t.Errorf("charset %s, want %s", d.Charset, c.charset)
			}
			if c.word != "" && len(find(d, c.word).Positions) == 0 {
				t.Errorf("no %q in %+v", c.word, d.Words)
			}
			check(t, d, newRules(t, Rules{}))
		})
	}
}

// TestGuessCharset: what the guess must know and must not claim, on short samples as plain text and in HTML.
func TestGuessCharset(t *testing.T) {
	const (
		russian  = "Москва является столицей Российской Федерации и крупнейшим по численности населения городом России."
		short    = "Главная страница. Новости компании"
		japanese = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。何でも薄暗いじめじめした所で泣いていた事だけは記憶している。"
		chinese  = "北京市，简称京，古称燕京、北平，是中华人民共和国的首都、直辖市、国家中心城市，国务院批复确定的中国政治中心、文化中心。"
		taiwan   = "臺北市，簡稱北市，是中華民國的首都及直轄市，位於臺灣北部的臺北盆地，四周與新北市接壤，為臺灣的政治、文化、商業、娛樂中心。"
		korean   = "서울특별시는 대한민국의 수도이자 최대 도시이다. 백제의 첫 수도인 위례성이었고, 고려 때는 남경이었으며, 조선의 수도가 되었다."
		greek    = "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας και η μεγαλύτερη πόλη της χώρας."
		hebrew   = "ירושלים היא עיר הבירה של מדינת ישראל והעיר הגדולה ביותר בה. היא אחת הערים העתיקות בעולם"
		thai     = "กรุงเทพมหานครเป็นเมืองหลวงและนครที่มีประชากรมากที่สุดของประเทศไทย"
	)
	for _, c := range []struct{ text, label, want string }{
		{russian, "koi8-r", "koi8-r"},
		{russian, "windows-1251", "windows-1251"},
		{russian, "iso-8859-5", "iso-8859-5"},
		{russian, "ibm866", "ibm866"},
		{short, "koi8-r", "koi8-r"},
		{short, "windows-1251", "windows-1251"},
		{japanese, "shift_jis", "shift_jis"},
		{japanese, "euc-jp", "euc-jp"},
		{chinese, "gb18030", "gb18030"},
		{chinese, "gbk", "gb18030"},
		{taiwan, "big5", "big5"},
		{korean, "euc-kr", "euc-kr"},
		{greek, "iso-8859-7", "iso-8859-7"},
		{hebrew, "windows-1255", "windows-1255"},
		{thai, "windows-874", "windows-874"},
		{"Die Straße führt über die Brücke nach München. Schöne Grüße aus Österreich.", "windows-1252", "windows-1252"},
		{"L'été dernier, à la fenêtre, le garçon a goûté une crème brûlée.", "windows-1252", "windows-1252"},
		{"It was the age of “wisdom” – it’s the age of foolishness.", "windows-1252", "windows-1252"},
		{"The café on the corner", "windows-1252", "windows-1252"},
		{"Zażółć gęślą jaźń. Warszawa jest stolicą Polski", "iso-8859-2", "iso-8859-2"},
	} {
		for _, wrap := range []string{"", "<html><head><style>p{color:red}</style></head><body><p class='x'><a href=y>Home</a> "} {
			d := parseWith(t, wrap+encode(t, c.text, c.label), "text/html", Rules{})
			if d.Charset != c.want {
				t.Errorf("%.20s in %s: %s, want %s", c.text, c.label, d.Charset, c.want)
			}
			if c.want == c.label && !strings.Contains(d.Text, string([]rune(c.text)[:15])) {
				t.Errorf("%.20s in %s: text %q", c.text, c.label, d.Text)
			}
		}
	}
}
