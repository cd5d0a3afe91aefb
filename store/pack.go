package store

import (
	"errors"

	"github.com/pgseek/pgseek/store/posting"
)

// Word is a word of a document with its positions, ascending: the section in bits 14 and 15, the ordinal
// below.
type Word = posting.Word

// PackWords packs a document's words, sorted by text, for the journal. It is called before the transaction.
func PackWords(words []Word) []byte { return posting.AppendWords(nil, words) }

// PackContent packs a document's body for urlwordsNN.words. It is called before the transaction.
func PackContent(body []byte) []byte { return posting.PackContent(nil, body) }

// UnpackContent is the reverse of PackContent; more than limit bytes of content are an error.
func UnpackContent(packed []byte, limit int64) ([]byte, error) {
	body, err := posting.UnpackContent(packed, limit)
	if errors.Is(err, posting.ErrCorrupt) {
		err = &Damaged{"urlwords", err}
	}
	return body, err
}
