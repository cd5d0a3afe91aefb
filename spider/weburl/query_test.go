package weburl

import "testing"

// TestQueryInTheCharsetOfThePage: the query as browsers send it (URL standard, "percent-encode after encoding"; the cases of
// url/resources/percent-encoding.json of the web platform tests in this form, and more).
func TestQueryInTheCharsetOfThePage(t *testing.T) {
	for _, c := range []struct{ charset, href, want string }{
		{"", "?q=ü", "?q=%C3%BC"},
		{"utf-8", "?q=†", "?q=%E2%80%A0"},
		{"windows-1252", "?q=ü", "?q=%FC"},
		{"windows-1252", "?q=†", "?q=%86"},
		{"windows-1252", "ü?q=ü&r=%fc#ü", "%C3%BC?q=%FC&r=%FC"},
		{"windows-1252", "?q=ж", "?q=%26%231078%3B"},
		{"windows-1252", "?q=äжö", "?q=%E4%26%231078%3B%F6"},
		{"windows-1252", "?q=a b\"<>'ü", "?q=a%20b%22%3C%3E%27%FC"},
		{"windows-1252", "ü", "%C3%BC"},
		{"windows-1252", "?q=plain", "?q=plain"},
		{"windows-1252", "http://other.example/ä?ä", "http://other.example/%C3%A4?%E4"},
		{"windows-1251", "?q=жук", "?q=%E6%F3%EA"},
		{"koi8-r", "?q=жук", "?q=%D6%D5%CB"},
		{"iso-8859-2", "?q=ż†", "?q=%BF%26%238224%3B"},
		{"shift_jis", "?q=表", `?q=%95\`},
		{"shift_jis", "?q=日本", "?q=%93%FA%96{"},
		{"euc-jp", "?q=日本", "?q=%C6%FC%CB%DC"},
		{"iso-2022-jp", "?q=日a", "?q=%1B$BF|%1B(Ba"},
		{"big5", "?q=†", "?q=%26%238224%3B"},
		{"euc-kr", "?q=†", "?q=%A2%D3"},
		{"gb18030", "?q=日本", "?q=%C8%D5%B1%BE"},
		{"utf-16le", "?q=ü", "?q=%C3%BC"},
		{"replacement", "?q=ü", "?q=%C3%BC"},
		{"klingon", "?q=ü", "?q=%C3%BC"},
	} {
		page, err := Normalize("http://h.example/d", 0)
		if err != nil {
			t.Fatal(err)
		}
		want := c.want
		if want[0] != 'h' {
			want = "http://h.example/" + want
			if c.want[0] == '?' {
				want = "http://h.example/d" + c.want
			}
		}
		got, err := NewResolverIn(page, "", c.charset, 0).Resolve(c.href)
		if err != nil || got.Text != want {
			t.Errorf("%q in %s: %q, %v; want %q", c.href, c.charset, got.Text, err, want)
		}
		if again, err := Normalize(got.Text, 0); err != nil || again != got {
			t.Errorf("%q in %s: normalized again %q, %v", c.href, c.charset, again.Text, err)
		}
	}
}

// A page in another charset must not cost more where its links are plain, nor lose its charset by a <base>.
func TestQueryOfAPageWithBase(t *testing.T) {
	page, err := Normalize("http://h.example/d", 0)
	if err != nil {
		t.Fatal(err)
	}
	r := NewResolverIn(page, "/e/?ü", "windows-1252", 0)
	for href, want := range map[string]string{
		"": "http://h.example/e/?%FC", "?ü": "http://h.example/e/?%FC", "a?b": "http://h.example/e/a?b",
	} {
		if got, err := r.Resolve(href); err != nil || got.Text != want {
			t.Errorf("%q: %q, %v; want %q", href, got.Text, err, want)
		}
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = r.Resolve("a/b.html?c") }); n > 1 {
		t.Errorf("a plain link allocates %v times, want 1", n)
	}
}
