package spider

import (
	"context"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/crawl"
)

// Outcomes of index -T are recorded by one recorder, as many documents in a transaction as have arrived meanwhile. Common words occur
// in every document: parallel transactions would wait for each other's rows, and each would write them again. A document is reported
// after its commit.

// recordedAhead is how many documents are under way for each worker of index -T, fetched or waiting to be recorded.
const recordedAhead = 2

// record hands an outcome to the recorder and waits for its commit.
func (r *realtime) record(ctx context.Context, f *finding) error {
	done := make(chan struct{})
	f.done = func(*finding) { close(done) }
	if err := r.recorder.take(ctx, f); err != nil {
		return err
	}
	<-done
	return f.err
}

// recordTogether records the documents of some findings, whose words searches find at the commit.
func (r *realtime) recordTogether(ctx context.Context, group []*finding) error {
	packed := make([][]byte, 0, 2*len(group))
	ids, crcs := make([]store.URLID, len(group)), make([]string, len(group))
	for i, f := range group {
		packed = append(packed, f.o.words, f.o.promoted.Words)
		ids[i], crcs[i] = f.doc.ID, f.doc.Groups.New
	}
	words, err := r.store.IndexWords(ctx, packed...)
	if err != nil {
		return err
	}
	kept, err := r.store.Waiting(ctx, ids, crcs)
	if err != nil {
		return err
	}
	for i, f := range group {
		f.doc = f.doc.Realtime(crawl.Realtime{New: words[2*i], Successor: words[2*i+1], Kept: kept[i]})
	}
	return r.recordDocuments(ctx, group)
}
