package program

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
)

// closeTimeout bounds the statement that closes a run. It is not part of the time of the work, which may have ended because
// the operator asked for it.
const closeTimeout = 10 * time.Second

// openRun is the row of table reindexing under which a mode does its work. The work opens it when there is something to do.
type openRun struct {
	// end closes the row. It is set by whoever opens it; nil means that there is no row.
	end    func(ctx context.Context, reason string, counts store.Counts) error
	reason string // why the run ended, if the work knows; else asRun decides
}

// asRun calls work and then closes the run that work opened, if it opened one. The run is complete when work returns no error,
// stopped when it returns one after the operator asked to stop, which becomes errInterrupted, and else failed. An error in
// closing the run counts when there is no other.
func (p *program) asRun(ctx context.Context, work func(context.Context, *openRun) (store.Counts, error)) error {
	var run openRun
	counts, err := work(ctx, &run)
	reason := run.reason
	switch {
	case reason != "":
	case err == nil:
		reason = spider.EndComplete
	case p.stop.Err() != nil:
		reason, err = spider.EndStopped, errInterrupted
	default:
		reason = spider.EndFailed
	}
	if run.end == nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
	defer cancel()
	if closing := run.end(ctx, reason, counts); err == nil {
		err = closing
	}
	return err
}

// beginRun returns a function that opens a run of a kind, "merge" or "purge", for asRun to close.
func (p *program) beginRun(s *store.DB, run *openRun, kind string) spider.Begin {
	return func(ctx context.Context) (store.RunID, error) {
		id, err := s.StartRun(ctx, kind, programName(), p.commandLine(), false, p.cfg.Hash[:])
		if err == nil {
			run.end = func(ctx context.Context, reason string, counts store.Counts) error {
				return s.EndRun(ctx, id, reason, counts)
			}
		}
		return id, err
	}
}

// stoppable returns a context that ends when the operator asks to stop. A transaction in progress is rolled back.
func (p *program) stoppable(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(p.stop, cancel)
	return ctx, func() { stop(); cancel() }
}

// programName identifies this process in reindexing.program.
func programName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "?"
	}
	return fmt.Sprintf("index %s/%d", host, os.Getpid())
}

// commandLine is the command line without passwords, for reindexing.options.
func (p *program) commandLine() string { return strings.Join(p.o.text, " ") }
