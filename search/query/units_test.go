package query

import "testing"

// TestNamesInCode: words joined by _ and dots are a name, unless one of them is a single letter or not indexed. Other words
// without a blank between them are none.
func TestNamesInCode(t *testing.T) {
	stored := func(word string) bool { return word != "the" }
	for text, want := range map[string]bool{
		"dynamic_library_path": true, "os.path": true, "asyncio.Queue": true, "__init_subclass__": true, "www.example.org": true,
		"SSL_CTX.set_alpn": true, "(os.path).": true, "what is os.path": true, "python3.11": true,
		"wi-fi": false, "e.g": false, "U.S.A": false, "a_b": false, "io/text": false, "pg_stat-activity": false, "std::vector": false,
		"l_été": false, "été_fini": false, "of_the_path": false, `"os.path"`: false, "os..path": true,
	} {
		q, err := Parse(text, Options{Stored: stored})
		if err != nil {
			t.Fatal(err)
		}
		got, units := false, 0
		Walk(q.Root, func(n Node, _ bool) bool {
			if phrase, ok := n.(Phrase); ok {
				got, units = phrase.Name, units+1
			}
			return true
		})
		if got != want || units != 1 {
			t.Errorf("%s: name %t of %d units, want %t", text, got, units, want)
		}
		again, err := Parse(q.String(), Options{Stored: stored})
		if err != nil || again.String() != q.String() {
			t.Errorf("%s is written as %s, and that as %v, %v", text, q, again, err)
		}
	}
}
