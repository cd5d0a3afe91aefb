package config

import (
	"testing"

	"github.com/pgseek/pgseek/spider/weburl"
)

// TestAllowHostIsTheHostOfAURL: AllowHost is compared with the hosts of URLs, so both must have one form.
func TestAllowHostIsTheHostOfAURL(t *testing.T) {
	for _, name := range []string{
		"intranet", "Intranet.Example", "Bücher.test", "BÜCHER.test", "xn--bcher-kva.test", "faß.de", "例え.テスト", "a_b.test", "é.test",
	} {
		u, err := weburl.Normalize("http://"+name+"/", 0)
		if err != nil {
			t.Fatal(err)
		}
		var s Spider
		if err := setAllowHosts(&s, directive{args: []string{name}}); err != nil || s.AllowHosts[0] != u.Host {
			t.Errorf("AllowHost %s: %q, %v; the host of its URL is %q", name, s.AllowHosts, err, u.Host)
		}
	}
	for _, name := range []string{"ü ü", "xn--\u00fc", "\u2260.example/", "ü..test"} {
		if err := setAllowHosts(&Spider{}, directive{args: []string{name}}); err == nil {
			t.Errorf("AllowHost %q is taken", name)
		}
	}
}
