package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
)

// particles follow a Korean noun without a blank: particles, several of them in a row, and the copula. The
// longest that fits counts.
var particles = func() []string {
	list := strings.Fields(`은 는 이 가 을 를 과 와 의 에 도 만 로 으로 나 이나 랑 이랑 야 아 여 들 들은 들이 들을 들의 들에 들과 들도
		에서 에게 께 께서 한테 에는 에도 에만 에서는 에서도 에서만 에게서 에게는 로는 로도 로만 로서 로써 으로는 으로도 으로만 으로서 으로써 로부터 으로부터
		부터 까지 까지는 까지도 마다 마저 조차 밖에 보다 보다는 처럼 같이 만큼 만이 만을 만은 대로 이라도 라도 이라는 라는 이란 란 이라고 라고 이라면 라면
		하고 와는 과는 와의 과의 와도 과도 에의 로의 으로의 에서의 까지의 부터는 에게도 한테서 이든지 든지 이며 며 이고 고 이다 다 입니다 이었다 였다 이에요 예요
		인 인데 이지만 지만 이므로 므로 이면 일 이어야 여야 에대한 에서부터 들에게 들에서 들로 들까지`)
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(list)
}()

// nounLeast is the minimum length of a noun from which a particle is cut, in syllables: 가을 is autumn.
const nounLeast = 2

// hangul reports whether a word is written in Hangul.
func hangul(word string) bool {
	for _, r := range word {
		if !unicode.Is(unicode.Hangul, r) {
			return false
		}
	}
	return word != ""
}

// stemKorean cuts the particle from a noun.
func stemKorean(env *snowballstem.Env) bool {
	word := env.Current()
	if !hangul(word) {
		return true
	}
	for _, p := range particles {
		if noun, ok := strings.CutSuffix(word, p); ok && utf8.RuneCountInString(noun) >= nounLeast {
			env.SetCurrent(noun)
			return true
		}
	}
	return true
}
