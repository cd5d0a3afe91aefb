package merge

import (
	"bytes"

	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// wordRowCache has rows of wordurl from one batch of a merge for the next, which touches many of the same words and need not ask for them
// again. They hold in one state of the index: under the merge's lock nobody else writes rows that there are, and who did while
// the lock was lost has left another state. index -T may make words meanwhile, whatever is known: a batch that makes one of them,
// too, meets the unique index, and is run again without anything known.
//
// A merge of one batch has none: begin, end and drop of nil do nothing.
type wordRowCache struct {
	state  store.Changes
	all    bool // a word without a row here has none in the table, unless index -T has made it
	last   bool // this batch is the last: it leaves nothing here
	number *dictionary
	rows   list[index.WordRow] // by number; one without an id is not known
	room   int                 // bytes that may still be taken
}

const (
	// knownShare is the part of a merge's memory that is for rows of the batches before, when there are several.
	knownShare = 8
	// knownSize is what a row takes beside its word and its postings: places in the dictionary, and the row.
	knownSize = 4*16 + 8 + 40
)

func newKnownWords(room int64) *wordRowCache {
	return &wordRowCache{state: store.AnyChanges, number: newDictionary(), room: int(room)}
}

// begin forgets all rows unless they are those of the state that the batch goes on from. Until end they are of no state: the batch
// alters them, and may yet be undone.
func (k *wordRowCache) begin(state store.Changes, last bool) {
	if k == nil {
		return
	}
	if k.state != state {
		k.forget()
	}
	k.state, k.last = store.AnyChanges, last
}

// end says which state the batch has left.
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

// noRow is the number of a word that has no place here.
const noRow = -1

// find returns the number of a word here, and its row, without an id when that is not known. A word that is new gets a number
// when there is room for it, and the batch is not the last.
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

// set keeps a copy of the row of a word as the batch leaves it, if there is room.
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
