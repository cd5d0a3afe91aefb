// Command pages writes the manual pages of the configuration files, made from the example files of the current directory, into the
// directory that is its argument. make man calls it.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pgseek/pgseek/internal/manual"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(1)
	}
}

func write(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("want a directory, got %q", args)
	}
	files, err := manual.Files(func(name string) (string, error) {
		b, err := os.ReadFile(name)
		return string(b), err
	})
	for i := range files {
		var b bytes.Buffer
		if err = files[i].Page(&b); err == nil {
			err = os.WriteFile(filepath.Join(args[0], files[i].Name+".5"), b.Bytes(), 0o644)
		}
		if err != nil {
			break
		}
	}
	return err
}
