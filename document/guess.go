package document

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/wlynxg/chardet"
)

const (
	// guessFloor is the confidence from which a guess is believed. On the samples of TestGuessCharset the
	// right answers have 0.82 and more and the wrong ones 0.73 and less; saintfish/chardet gives wrong
	// answers (Thai as EUC-JP 50) more confidence than right ones (Russian KOI8-R 30).
	guessFloor = 0.8
	// guessSample is how many bytes are looked at: the answer does not change after the first lines, and
	// the guess takes 0.15 ms for each 1,000.
	guessSample = 8192
	// guessErrors: a guess is wrong when more than one character of so many cannot be decoded.
	guessErrors = 50
)

// guessLabels are names of the guesser that are no labels of the Web, or of a part of what browsers read.
var guessLabels = map[string]string{
	"gb2312": "gb18030", "cp949": "euc-kr", "cp932": "shift_jis", "maccyrillic": "x-mac-cyrillic",
	"macroman": "macintosh",
}

// guessCharset returns a label for bytes that are not UTF-8 and of which nobody says what they are, or an
// empty string.
func guessCharset(body []byte) string {
	first := bytes.IndexFunc(body, func(r rune) bool { return r >= utf8.RuneSelf })
	if first < 0 {
		return ""
	}
	// What comes before the first byte beyond ASCII tells nothing, and is often long: scripts and styles.
	sample := body[first:min(len(body), first+guessSample)]
	guess := chardet.Detect(sample)
	label := strings.ToLower(guess.Encoding)
	if l, ok := guessLabels[label]; ok {
		label = l
	}
	if guess.Confidence < guessFloor || strings.HasPrefix(label, "utf") {
		return ""
	}
	enc, name := lookup(label)
	if enc == nil || name == "replacement" {
		return ""
	}
	decoded, err := enc.NewDecoder().Bytes(sample)
	if err != nil || bytes.Count(decoded, []byte("\uFFFD"))*guessErrors > utf8.RuneCount(decoded) {
		return ""
	}
	return label
}
