package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// fileError is an error of Options.Files that has an extended status of its own.
type fileError interface {
	error
	Status() int
}

// isFile reports whether no server answers the request, which could name the type.
func (r *Request) isFile() bool { return r.Stored != nil || strings.HasPrefix(r.URL, "file:") }

// visitFile fills the record with the answer of Options.Files. Types, limits and digests are those of any answer.
func (f *Fetcher) visitFile(ctx context.Context, rec *record) error {
	if f.o.Files == nil {
		return errors.New("there is no FileRoot")
	}
	req, err := http.NewRequestWithContext(ctx, rec.request.Method, rec.request.URL, nil)
	if err != nil {
		return fmt.Errorf("not requested: %w", err)
	}
	req.Header = f.headers(rec.request)
	answer := f.o.Files.RoundTrip
	if s := rec.request.Stored; s != nil {
		answer = s.response
	}
	resp, err := answer(req)
	if err != nil {
		return err
	}
	resp = f.transport.shown(rec, resp)
	defer func() { _ = resp.Body.Close() }() // nothing was written
	rec.takeHead(resp.StatusCode, resp.Header)
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	rec.takeBody(body)
	return nil
}
