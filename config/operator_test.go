package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const someHash = "$2a$11$abcdefghijklmnopqrstuuB7vJ9bA1mT0x3N5dCkqWZr8yPfGhLa6"

// TestAdminPassword: a hash, or a file that only its owner reads; a password in clear text is refused and not repeated (B89).
func TestAdminPassword(t *testing.T) {
	if len(someHash) != 60 {
		t.Fatal("not a hash")
	}
	c := load(t, files{spiderName: "AdminPassword " + someHash + "\n"})
	if got := c.Spider.Operator.Password; got != someHash {
		t.Errorf("got %q", got)
	}
	file := filepath.Join(t.TempDir(), "admin.hash")
	if err := os.WriteFile(file, []byte(someHash+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := load(t, files{spiderName: "AdminPassword " + file + "\n"}).Spider.Operator.Password; got != someHash {
		t.Errorf("from a file: got %q", got)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"AdminPassword " + file:                                       "chmod 600",
		"AdminPassword hunter2hunter2":                                "index --hash-password",
		"AdminPassword /there/is/none":                                "no such file",
		"AdminPassword " + strings.Replace(someHash, "$11", "$31", 1): "index --hash-password",
		"ApiListen 0.0.0.0:12346":                                     "write: ApiListen 127.0.0.1:12346",
		"ApiListen :12346":                                            "write: ApiListen 127.0.0.1:12346",
		"ApiListen 12346":                                             "not an address and a port",
		"AdminHost https://admin.example.org/":                        "not the name of a host",
	} {
		got := strings.Join(problems(t, files{spiderName: text + "\n"}, nil), "\n")
		if !strings.Contains(got, want) || !strings.Contains(got, spiderName+":1: ") || strings.Contains(got, "hunter2") {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
