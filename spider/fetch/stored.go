package fetch

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// Stored is a file that is at hand: a member of an archive. Its type, its limits and its digest are those of any answer.
type Stored struct {
	Header   http.Header // beside Last-Modified
	Size     int64
	Modified time.Time // zero if unknown
	Open     func() (io.ReadCloser, error)
	Err      error // of Open, or of reading; the answer is a part of the file then
}

// response returns the file as the answer of a site.
func (s *Stored) response(req *http.Request) (*http.Response, error) {
	h := s.Header.Clone()
	if h == nil {
		h = make(http.Header)
	}
	if !s.Modified.IsZero() && s.Modified.Year() >= 1970 && s.Modified.Year() < 10000 {
		h.Set("Last-Modified", s.Modified.UTC().Format(http.TimeFormat))
	}
	resp := &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: h, ContentLength: s.Size, Body: http.NoBody, Request: req,
	}
	if req.Method == http.MethodHead {
		return resp, nil
	}
	in, err := s.Open()
	if err != nil {
		s.Err = err
		return nil, err
	}
	resp.Body = &storedBody{in, s}
	return resp, nil
}

// storedBody keeps the error of reading.
type storedBody struct {
	io.ReadCloser
	s *Stored
}

func (b *storedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.s.Err = err
	}
	return n, err
}
