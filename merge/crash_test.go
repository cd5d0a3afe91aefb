package merge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
	"github.com/pgseek/pgseek/store/storetest"
)

// cutProxy is a proxy between a program and PostgreSQL. It cuts all connections after it has passed on a number
// of pieces that the program sends: at any statement, in the middle of a COPY, or between a commit and its
// answer.
type cutProxy struct {
	left  atomic.Int64
	mu    sync.Mutex
	conns []net.Conn
}

// newCutProxy returns the proxy and the connection string through it. Its last piece is number after.
func newCutProxy(t *testing.T, w *world, after int64) (*cutProxy, string) {
	t.Helper()
	var dir, port, user, db string
	for _, row := range w.rows(`SELECT current_setting('unix_socket_directories'), current_setting('port'), current_user::text, current_database()::text`) {
		dir, port, user, db = row[0].(string), row[1].(string), row[2].(string), row[3].(string)
	}
	dir, _, _ = strings.Cut(dir, ",")
	server := filepath.Join(strings.TrimSpace(dir), ".s.PGSQL."+port)
	if _, err := os.Stat(server); err != nil {
		t.Skip("the server of PGSEEK_TEST_DSN has no Unix socket here")
	}
	own, err := os.MkdirTemp("", "proxy") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "unix", filepath.Join(own, ".s.PGSQL."+port))
	if err != nil {
		t.Fatal(err)
	}
	x := &cutProxy{}
	x.left.Store(after)
	var all sync.WaitGroup
	t.Cleanup(func() {
		_ = listener.Close()
		x.cut()
		all.Wait()
		_ = os.RemoveAll(own)
	})
	all.Go(func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := (&net.Dialer{}).DialContext(context.Background(), "unix", server)
			if err != nil {
				_ = in.Close()
				continue
			}
			x.mu.Lock()
			x.conns = append(x.conns, in, out)
			x.mu.Unlock()
			if x.left.Load() <= 0 {
				x.cut()
			}
			all.Go(func() { x.pass(in, out, true) })
			all.Go(func() { x.pass(out, in, false) })
		}
	})
	return x, fmt.Sprintf("host=%s port=%s user=%s dbname=%s sslmode=disable", own, port, user, db)
}

// pass copies until one side ends; what the program sends is counted.
func (x *cutProxy) pass(from, to net.Conn, count bool) {
	defer func() { _, _ = from.Close(), to.Close() }()
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		if _, err := to.Write(buf[:n]); err != nil {
			return
		}
		if count && x.left.Add(-1) <= 0 {
			x.cut()
			return
		}
	}
}

// cut ends all connections.
func (x *cutProxy) cut() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range x.conns {
		_ = c.Close()
	}
	x.conns = nil
}

// A merge whose connections end at any moment, also between a commit and its answer, leaves whole batches,
// and the next merge ends in the same state as an undisturbed one (P2, P3, P6, F4, F5, F10).
func TestMergeThatIsCutGoesOn(t *testing.T) {
	const whole = int64(1) << 40
	history := func(t *testing.T) *world {
		w := newWorld(t, storetest.New(t), 7, 25)
		for range 2 { // the second half meets an index
			for range 50 {
				w.act()
			}
			w.acknowledge(false)
			if len(w.known) == 0 {
				w.merge(Options{limits: &tight})
			}
		}
		return w
	}
	o := Options{BatchDocuments: 20, limits: &tight}

	w := history(t)
	x, dsn := newCutProxy(t, w, whole)
	if err := run(t, dsn, o); err != nil {
		t.Fatal(err)
	}
	w.taken()
	w.check(tight)
	pieces := whole - x.left.Load()
	if pieces < 50 {
		t.Fatalf("a merge sends %d pieces only", pieces)
	}
	points := int64(histories(6))
	for k := range points {
		after := 1 + k*pieces/points
		t.Run(fmt.Sprintf("after piece %d of %d", after, pieces), func(t *testing.T) {
			w := history(t)
			_, dsn := newCutProxy(t, w, after)
			if err := run(t, dsn, o); err == nil && after < pieces*9/10 { // small writes may travel as one piece
				t.Error("no error")
			}
			w.merge(o)
			w.check(tight)
		})
		if t.Failed() {
			return
		}
	}
}

// run merges over a connection string that may fail.
func run(t *testing.T, dsn string, o Options) error {
	t.Helper()
	s, err := store.Open(context.Background(), store.Options{DSN: dsn, Application: "index -D"})
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = Run(context.Background(), index.New(s), o)
	return err
}

// A merge that is canceled between two batches keeps the complete ones, and the next merge continues (F2).
func TestCanceledMergeKeepsWholeBatches(t *testing.T) {
	w := newWorld(t, storetest.New(t), 11, 20)
	for range 60 {
		w.act()
	}
	w.acknowledge(true)
	s := w.store(w.dsn)
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sum, err := Run(ctx, s, Options{BatchDocuments: 8, limits: &tight, Progress: func(p Progress) {
		if p.Batch == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || sum.Batches != 3 || sum.Rows == 0 {
		t.Fatalf("%+v, %v", sum, err)
	}
	again := w.merge(Options{BatchDocuments: 8, limits: &tight})
	if again.Rows == 0 {
		t.Error("nothing was left for the second merge")
	}
	w.check(tight)
}

// A second merge during the first one is refused, and the error names the holder of the lock (F12).
func TestSecondMergeIsRefused(t *testing.T) {
	dsn := storetest.New(t)
	w := newWorld(t, dsn, 1, 3)
	s := w.store(dsn)
	defer s.Close()
	var second error
	_, err := Run(context.Background(), s, Options{Begin: func(context.Context) error {
		second = run(t, dsn, Options{})
		return nil
	}})
	var held *store.HeldError
	if err != nil || !errors.As(second, &held) {
		t.Fatalf("first %v, second %v", err, second)
	}
	if want := fmt.Sprintf("pid %d", os.Getpid()); held.What != "merge" || !strings.Contains(held.Who, want) || held.Since.IsZero() {
		t.Errorf("%+v, want one that names %s", held, want)
	}
}
