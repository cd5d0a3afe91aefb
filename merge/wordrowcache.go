package merge

import (
	"bytes"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// wordRowCache keeps rows of wordurl for the next batch of a merge, which touches many of the same words. The
// rows are valid in one state of the index: under the merge's lock no other program changes existing rows,
// and a program that did so while the lock was lost has left another state. index -T may insert words at any
// time: a batch that inserts one of them, too, fails on the unique index and is run again without kept rows.
//
// A merge of one batch has no cache: begin, end and drop do nothing on nil.
type wordRowCache struct {
	state  store.Changes
	all    bool // a word without a row here has none in the table, unless index -T has inserted it
	last   bool // this batch is the last: it keeps nothing
	number *dictionary
	rows   list[index.WordRow] // by number; one without an id is not known
	room   int                 // bytes that are free
}

const (
	// knownShare is the part of a merge's memory for kept rows, when there are several batches.
	knownShare = 8
	// knownSize is the size of a kept row without its word and its postings: slots in the dictionary, and the
	// row.
	knownSize = 4*16 + 8 + 40
)

func newWordRowCache(room int64) *wordRowCache {
	return &wordRowCache{state: store.AnyChanges, number: newDictionary(), room: int(room)}
}

// begin forgets all rows unless they belong to the state from which the batch continues. Until end they
// belong to no state: the batch changes them, and may be rolled back.
func (k *wordRowCache) begin(state store.Changes, last bool) {
	if k == nil {
		return
	}
	if k.state != state {
		k.forget()
	}
	k.state, k.last = store.AnyChanges, last
}

// end sets the state that the batch has left.
func (k *wordRowCache) end(state store.Changes) {
	if k != nil {
		k.state = state
	}
}

// forget forgets all rows.
func (k *wordRowCache) forget() {
	for n := range int32(k.rows.len()) {
		k.room += knownSize + k.number.length(n) + len(k.rows.at(n).URLs)
	}
	k.number, k.rows, k.all = newDictionary(), list[index.WordRow]{}, false
}

// drop forgets the rows of words.
func (k *wordRowCache) drop(words []word) {
	if k == nil || len(words) == 0 {
		return
	}
	ids := make(map[store.WordID]bool, len(words))
	for i := range words {
		ids[words[i].id] = true
	}
	for n := range int32(k.rows.len()) {
		if ids[k.rows.at(n).ID] {
			k.set(n, index.WordRow{})
		}
	}
	k.all = false
}

// noRow is the number of a word that is not kept.
const noRow = -1

// find returns the number of a word here, and its row, without an id when that is not known. A new word gets
// a number when there is room for it, and the batch is not the last.
func (k *wordRowCache) find(word string) (number int32, row index.WordRow) {
	if k.last || k.room < knownSize+len(word) {
		n, ok := k.number.find([]byte(word))
		if !ok {
			return noRow, row
		}
		return n, *k.rows.at(n)
	}
	n := k.number.add([]byte(word))
	if int(n) == k.rows.len() {
		k.rows.add(row)
		k.room -= knownSize + len(word)
	}
	return n, *k.rows.at(n)
}

// set keeps a copy of the row of a word after the batch, if there is room.
func (k *wordRowCache) set(number int32, row index.WordRow) {
	was := k.rows.at(number)
	k.room += len(was.URLs)
	if len(row.URLs) > k.room {
		row, k.all = index.WordRow{}, false
	}
	k.room -= len(row.URLs)
	row.URLs = bytes.Clone(row.URLs)
	*was = row
}
