package fetch

import (
	"net/http"
	"sync"
	"testing"
	"time"
)

// TestMaxBandwidth: fetches at once share the limit, and their wait counts neither for ReadTimeOut nor as a slow server.
func TestMaxBandwidth(t *testing.T) {
	t.Parallel()
	body := make([]byte, 40<<10)
	f, base := site(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write(body)
	})
	const rate = 16 << 10
	f.o.ReadTimeOut = 2 * time.Second
	f.transport.patience = time.Second
	f.transport.throttle = &throttle{rate: func(time.Time) int64 { return rate }}
	var wait sync.WaitGroup
	began := time.Now()
	for range 2 {
		wait.Go(func() {
			if a := f.Fetch(t.Context(), Request{URL: base + "/", Method: "GET"}); a.Status != 200 || a.WireBytes != int64(len(body)) {
				t.Errorf("%d %s: %d bytes", a.Status, a.Cause, a.WireBytes)
			}
		})
	}
	wait.Wait()
	if took, least := time.Since(began), time.Second*2*40/16; took < least-50*time.Millisecond {
		t.Errorf("it took %v, want at least %v", took, least)
	}
}
