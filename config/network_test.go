package config

import "testing"

// TestAllowHostIsTheHostOfAURL: AllowHost is compared with the hosts of URLs, so it has the form that weburl.Normalize gives them.
func TestAllowHostIsTheHostOfAURL(t *testing.T) {
	for name, host := range map[string]string{
		"intranet":           "intranet",
		"Intranet.Example":   "intranet.example",
		"Bücher.test":        "xn--bcher-kva.test",
		"BÜCHER.test":        "xn--bcher-kva.test",
		"xn--bcher-kva.test": "xn--bcher-kva.test",
		"faß.de":             "xn--fa-hia.de",
		"例え.テスト":             "xn--r8jz45g.xn--zckzah",
		"a_b.test":           "a_b.test",
		"é.test":             "xn--9ca.test",
	} {
		var s Spider
		if err := setAllowHosts(&s, directive{args: []string{name}}); err != nil || s.AllowHosts[0] != host {
			t.Errorf("AllowHost %s: %q, %v; the host of its URL is %q", name, s.AllowHosts, err, host)
		}
	}
	for _, name := range []string{"ü ü", "xn--\u00fc", "\u2260.example/", "ü..test"} {
		if err := setAllowHosts(&Spider{}, directive{args: []string{name}}); err == nil {
			t.Errorf("AllowHost %q is taken", name)
		}
	}
}
