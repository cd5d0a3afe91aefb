package store_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgseek/pgseek/store"
)

// cutAfterCommit opens a store through a relay. While cut is set, the next answer to a COMMIT is dropped and
// its connection closed: the server has committed, and the program does not know (F6). Then cut is false
// again.
func cutAfterCommit(t *testing.T, dsn string) (s *store.DB, cut *atomic.Bool) {
	t.Helper()
	cfg, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	network, server := pgconn.NetworkAddress(cfg.Host, cfg.Port)
	relay, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cut = &atomic.Bool{}
	var wait sync.WaitGroup
	t.Cleanup(func() { _ = relay.Close(); wait.Wait() })
	wait.Go(func() {
		for {
			client, err := relay.Accept()
			if err != nil {
				return
			}
			up, err := (&net.Dialer{}).DialContext(t.Context(), network, server)
			if err != nil {
				t.Error(err)
				_ = client.Close()
				return
			}
			wait.Go(func() { _, _ = io.Copy(up, client); _ = up.Close() })
			wait.Go(func() {
				defer func() { _ = client.Close() }()
				b := make([]byte, 1<<16)
				for {
					n, err := up.Read(b)
					// CommandComplete with the tag COMMIT.
					if bytes.Contains(b[:n], []byte("COMMIT\x00")) && cut.CompareAndSwap(true, false) {
						return
					}
					if _, werr := client.Write(b[:n]); err != nil || werr != nil {
						return
					}
				}
			})
		}
	})
	s = openStore(t, fmt.Sprintf("postgresql://%s@%s/%s?sslmode=disable", cfg.User, relay.Addr(), cfg.Database))
	return s, cut
}
