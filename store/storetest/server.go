package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pgseek/pgseek/store/embedded"
)

// server is the server on which databases are created.
type server struct {
	dsn   string   // its first database
	users *os.File // our share of usersFile, for the life of this test binary: the system drops it with the process
	pool  func() (*pgxpool.Pool, error)
}

// newServer returns the server of a connection string. The first statement connects to it.
func newServer(dsn string, users *os.File) server {
	return server{dsn: dsn, users: users, pool: sync.OnceValues(func() (*pgxpool.Pool, error) {
		return pgxpool.New(context.Background(), dsn)
	})}
}

// clusterID is read before the tests begin: a variable that a test reads is part of the key of its cached result, and
// this one changes with every run.
var clusterID = os.Getenv("PGSEEK_TEST_CLUSTER")

// theServer returns the server of this test binary. The first call starts it.
var theServer = sync.OnceValues(func() (server, error) {
	if dsn := os.Getenv("PGSEEK_TEST_DSN"); dsn != "" {
		return newServer(dsn, nil), nil
	}
	id := clusterID
	if id == "" {
		id = strconv.Itoa(os.Getpid())
	}
	s, err := startShared(serverDir(fmt.Sprintf("pgseek-test-%d-%s", os.Geteuid(), id)), id)
	if err != nil {
		return server{}, fmt.Errorf("storetest: %w", err)
	}
	return s, nil
})

// startShared starts or joins the server of a folder. The order is: become a user, start the supervisor,
// start the server, so that the server never runs without a supervisor.
func startShared(dir, owner string) (server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	users, err := joinUsers(dir)
	if err != nil {
		return server{}, err
	}
	if err := ensureSupervisor(ctx, dir, owner); err != nil {
		return server{}, err
	}
	cluster, err := openCluster(dir)
	if err != nil {
		return server{}, err
	}
	if err := cluster.Start(ctx); err != nil {
		return server{}, err
	}
	return newServer(cluster.DSN(), users), nil
}

func openCluster(dir string) (*embedded.Cluster, error) {
	return embedded.Open(dir, embedded.Volatile(),
		embedded.Setting("max_connections=300"), // several test binaries with a pool for each parallel test
		embedded.Setting("shared_buffers=128MB"),
		embedded.Setting("jit=off")) // as store has it: compiling the tests' own queries costs more than running them
}

// Files in the folder of a shared server.
const (
	usersFile      = "users"      // each test binary holds a shared lock on it, the supervisor an exclusive one to end
	supervisorFile = "supervisor" // the supervisor holds an exclusive lock on it
)

// joinUsers creates the folder and takes a shared lock on its usersFile. When a supervisor is removing the
// folder, it waits and creates it again.
func joinUsers(dir string) (*os.File, error) {
	for {
		if err := makeFolder(dir); err != nil {
			return nil, err
		}
		path := filepath.Join(dir, usersFile)
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
		if errors.Is(err, os.ErrNotExist) {
			continue // removed between our two steps
		}
		if err != nil {
			return nil, err
		}
		if err := flock(f, syscall.LOCK_SH); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		ours, err := f.Stat()
		if err != nil {
			return nil, errors.Join(err, f.Close())
		}
		if there, err := os.Stat(path); err == nil && os.SameFile(ours, there) {
			return f, nil
		}
		f.Close()
	}
}

// makeFolder creates a folder that the server's account can enter, or checks that an existing one is ours.
func makeFolder(dir string) error {
	err := os.Mkdir(dir, 0o711)
	if err == nil {
		return os.Chmod(dir, 0o711) // whatever the umask
	}
	if !errors.Is(err, os.ErrExist) {
		return err
	}
	var st syscall.Stat_t
	if err := syscall.Lstat(dir, &st); err != nil {
		if errors.Is(err, syscall.ENOENT) {
			return nil // removed meanwhile: the caller notices
		}
		return &os.PathError{Op: "stat", Path: dir, Err: err}
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR || int(st.Uid) != os.Geteuid() || st.Mode&0o022 != 0 {
		return fmt.Errorf("%s is not a folder of ours", dir)
	}
	return nil
}

// flock takes a lock, repeating the call when a signal interrupts it.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
