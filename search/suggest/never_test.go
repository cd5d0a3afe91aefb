package suggest

import "testing"

func TestNever(t *testing.T) {
	t.Parallel()
	var n Never
	for _, text := range []string{"Café noir", "secret", "<b>x", "秘密", `.*|"'`} {
		if got := n.Add(text); got != (text != `.*|"'`) {
			t.Errorf("Add(%q) = %v", text, got)
		}
	}
	for text, want := range map[string]bool{
		"cafe noir": true, "a CAFÉ, NOIR!": true, "cafe": false, "noir cafe": false, "cafe noire": false, "cafe au noir": false,
		"Top-Secret plans": true, "secretary": false, "a b x": true, "bx": false, "この秘密は": true, "秘": false, "": false, "anything": false,
	} {
		if got := n.Forbids(text); got != want {
			t.Errorf("Forbids(%q) = %v", text, got)
		}
	}
	if (*Never)(nil).Forbids("secret") {
		t.Error("no list forbids something")
	}
}
