package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strings"
	"syscall"
)

// Extended status numbers of a fetch; those that the crawl's rules give are in outcome.go.
const (
	statusNoStatusLine = 600 // no or malformed status line (B31)
	statusNoType       = 601 // no usable content type (B22)
	StatusNoLocation   = 602 // redirect without usable Location (B28)
	statusHeaderSize   = 603 // headers over maxHeaderBytes (B32)
	statusBadLength    = 604 // bad Content-Length or Transfer-Encoding (B18)
	statusUnasked304   = 605 // 304 to an unconditional request (B30)
	statusBadHeader    = 606 // a header line that is none (B31)

	StatusUnknownHost    = 700
	statusDNSFailure     = 701
	statusRefused        = 702
	statusConnectTimeout = 703
	StatusReadTimeout    = 704
	statusConnectionLost = 705
	StatusTLS            = 706
	StatusUnreachable    = 707 // no route, or an address that the guard denies

	StatusNoConverter     = 800
	StatusConverterFailed = 801
	statusBadEncoding     = 802 // Content-Encoding that cannot be undone, broken compressed stream (B20, B21)
	statusTooLarge        = 804
	StatusBrokenArchive   = 806
	StatusParserFailed    = 805
)

// NoConverterFor begins the cause of StatusNoConverter; the type follows.
const NoConverterFor = "no converter for "

// maxCause bounds the cause of a status, in bytes.
const maxCause = 255

// Reasons why we end a fetch ourselves, as causes of its context.
var (
	errOverTime = errors.New("not complete in time")
	errTooSlow  = errors.New("too slow")
	errNoAnswer = fmt.Errorf("connection closed without a response: %w", io.EOF)
)

// dialError marks an error of connecting, before any byte was sent.
type dialError struct{ err error }

func (e *dialError) Error() string { return e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// failure is the extended status of an error of the transport, and its cause in words.
func failure(err error) (status int, cause string) {
	var denied *DeniedError
	if errors.As(err, &denied) {
		return StatusUnreachable, denied.Error()
	}
	var file fileError
	if errors.As(err, &file) {
		return file.Status(), file.Error()
	}
	return errorStatus(err), err.Error()
}

func errorStatus(err error) int {
	var (
		unresolved *net.DNSError
		dialing    *dialError
		timeout    net.Error
		overdue    = errors.As(err, &timeout) && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded)
	)
	switch {
	case errors.As(err, &unresolved) && unresolved.IsNotFound:
		return StatusUnknownHost
	case errors.As(err, &unresolved):
		return statusDNSFailure
	case errors.Is(err, errTooSlow), errors.Is(err, errOverTime), errors.Is(err, context.Canceled):
		return StatusReadTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return statusRefused
	case overdue && (errors.As(err, &dialing) || strings.Contains(err.Error(), "TLS handshake timeout")):
		return statusConnectTimeout
	case overdue:
		return StatusReadTimeout
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return StatusUnreachable
	case isTLS(err):
		return StatusTLS
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return statusConnectionLost
	case errors.As(err, &dialing):
		return StatusUnreachable
	}
	return headerStatus(err)
}

// isMalformed reports whether the head of an answer could not be read, as when it was cut off.
func isMalformed(status int) bool { return status == statusNoStatusLine || status == statusBadHeader }

func isTLS(err error) bool {
	var (
		record    tls.RecordHeaderError
		alert     tls.AlertError
		unproven  *tls.CertificateVerificationError
		authority x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
	)
	text := err.Error()
	return errors.As(err, &record) || errors.As(err, &alert) || errors.As(err, &unproven) || errors.As(err, &authority) ||
		errors.As(err, &name) || errors.As(err, &invalid) ||
		strings.Contains(text, "tls: ") || strings.Contains(text, "HTTP response to HTTPS client")
}

// headerTexts are parts of what net/http says about headers that it cannot accept; it has no error values for
// them, so a test holds each against a server that provokes it.
var headerTexts = []struct {
	part   string
	status int
}{
	{"server response headers exceeded", statusHeaderSize},
	{"response header list larger", statusHeaderSize}, // HTTP/2
	{"malformed MIME header", statusBadHeader},        // before those that a quoted line may hold
	{"malformed HTTP", statusNoStatusLine},
	{"Content-Length", statusBadLength},
	{"transfer encoding", statusBadLength},
	{"too many 1xx", statusNoStatusLine},
}

// headerStatus names errors of the headers; whatever is left was lost on the way, which keeps the old content
// (B18).
func headerStatus(err error) int {
	text := err.Error()
	for _, t := range headerTexts {
		if strings.Contains(text, t.part) {
			return t.status
		}
	}
	if broken := textproto.ProtocolError(""); errors.As(err, &broken) {
		return statusBadHeader
	}
	return statusConnectionLost
}

// headStatus is the extended status that the status line and headers of an answer come to (B28, B30, B31).
func headStatus(status int, location string, conditional bool) (int, string) {
	switch status {
	case 301, 302, 303, 307, 308:
		if strings.TrimSpace(location) == "" {
			return StatusNoLocation, fmt.Sprintf("%d without Location", status)
		}
	case 304:
		if !conditional {
			return statusUnasked304, "304 to an unconditional request"
		}
	}
	if status < 100 || status > 599 {
		return statusNoStatusLine, fmt.Sprintf("status %d", status)
	}
	return status, ""
}
