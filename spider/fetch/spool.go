package fetch

import (
	"fmt"
	"os"
)

// Discard removes the file of the body, if there is one. It may be called more than once.
func (a *Answer) Discard() {
	if a == nil || a.File == nil {
		return
	}
	discard(a.File)
	a.File = nil
}

func discard(f *os.File) {
	f.Close()
	_ = os.Remove(f.Name()) // what is left goes with its directory
}

// spools reports whether the body goes to a file.
func (b *body) spools() bool {
	o := &b.t.o
	return !b.r.request.Robots && b.r.request.Save == nil && o.Spooled != nil && o.Spool != nil && o.Spooled(b.r.answer.ContentType)
}

// spool makes the digester write the whole body to a file instead of returning it. The file is the answer's once the body is
// complete. An error of the disk counts as a lost connection: it says nothing about the document.
func (b *body) spool() error {
	f, err := b.t.o.Spool()
	if err != nil {
		err = fmt.Errorf("spool a body: %w", err)
		b.r.fail(err)
		return err
	}
	b.digest.keep, b.digest.file = 0, f
	b.closers = append(b.closers, func() {
		if b.r.answer.File != f {
			discard(f)
		}
	})
	return nil
}
