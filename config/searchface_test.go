package config

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFace(t *testing.T) {
	f := files{
		"img/logo.PNG": "x", "head.html": "x", "t/home.html": "x",
		searchName: `Name "Küche & Keller"
Logo img/logo.PNG
Color Link #ABC #aabbcc
Color paper #ffffff
Color link #0D4F52
Header head.html
Templates t
`,
	}
	got := loadSearch(t, f).Search.Face
	for _, path := range []*string{&got.Logo, &got.Header, &got.Templates} {
		if filepath.IsAbs(*path) {
			*path = filepath.Base(*path)
		}
	}
	want := Face{
		Name: "Küche & Keller", Logo: "logo.PNG", Header: "head.html", Templates: "t",
		Colors: []Color{{"paper", "#ffffff", ""}, {"link", "#0d4f52", ""}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := loadSearch(t, files{searchName: "Logo https://www.example.org/l.png\nColor link #abc #0AF\n"}).Search.Face; got.Logo != "https://www.example.org/l.png" ||
		got.Colors[0] != (Color{"link", "#aabbcc", "#00aaff"}) {
		t.Errorf("got %+v", got)
	}
}

func TestFaceRefuses(t *testing.T) {
	got := searchProblems(t, files{
		"logo.exe": "", searchName: "Name \"\"\n" +
			"Name a\u202eb\n" +
			"Logo logo.exe\n" +
			"Logo missing.png\n" +
			"Logo https://me@www.example.org/l.png\n" + // 5
			"Logo \"https://www.example.org;script-src/l.png\"\n" +
			"Color lnk #aabbcc\n" +
			"Color link red\n" +
			"Color link\n" +
			"Header missing.html\n" + // 10
			"Templates logo.exe\n" +
			"Templats x\n",
	}, nil)
	var want []string
	for _, reason := range []string{
		`1: Name: "" is not a name: it is empty or has characters that cannot be seen`,
		`2: Name: "a` + "\\u202e" + `b" is not a name: it is empty or has characters that cannot be seen`,
		`3: Logo: "logo.exe" is not the name of an image: it ends in none of .svg .png .jpg .jpeg .gif .webp .ico`,
		`4: Logo: missing.png: no such file or directory`,
		`5: Logo: "https://me@www.example.org/l.png" is not the address of an image such as https://www.example.org/logo.png`,
		`6: Logo: "https://www.example.org;script-src/l.png" is not the address of an image such as https://www.example.org/logo.png`,
		`7: Color: "lnk" is not the name of a color; those are paper panel line edge ink soft link visited accent mark mark-ink button button-ink`,
		`8: Color: "red" is not a color such as #0d4f52`,
		`9: Color: 1 values, expected a name, a color and perhaps the color of the dark scheme, such as: link #0d4f52 #8fd0cc`,
		`10: Header: missing.html: no such file or directory`,
		`11: Templates: logo.exe is no directory`,
		`12: Templats: unknown keyword; did you mean Templates?`,
	} {
		want = append(want, "searchd.conf:"+reason)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
