package document

import "github.com/abadojack/whatlanggo"

// language returns the document's language: the declared one, else by its script, else by its stop words, else by the most
// frequent words of some languages, else by its letters; empty when none of these decides.
func (p *parser) language() string {
	if p.table.rules.NoLanguage {
		return ""
	}
	for _, declared := range []string{p.lang, p.metaLang} {
		if declared != "" {
			return declared
		}
	}
	lang, unsure := p.table.scriptLanguage()
	if lang == "" {
		lang = p.table.stopwordLanguage()
	}
	if lang == "" && !unsure {
		lang = p.table.commonLanguage()
	}
	if lang == "" {
		lang = guessLanguage(string(p.text.text))
	}
	return lang
}

// stopwordLanguage returns the language with the most occurrences of stop words, or an empty string when two
// languages have equally many.
func (t *wordTable) stopwordLanguage() string {
	if len(t.rules.langs) == 0 {
		return ""
	}
	votes := make([]uint32, len(t.rules.langs)+1)
	for i := range t.entries {
		votes[t.entries[i].vote] += t.entries[i].count
	}
	best, most := "", uint32(0)
	for i, lang := range t.rules.langs {
		switch v := votes[i+1]; {
		case v > most:
			best, most = lang, v
		case v == most:
			best = ""
		}
	}
	return best
}

// commonWords are words that every text of a language repeats, chosen so that related languages, listed or
// not, have few of them (no van for Dutch, because of Afrikaans; no di for Italian, because of Indonesian).
// They are looked up in the document's word table, so the whole text is judged in a few microseconds; the
// statistics of letters in guessLanguage cover only the first lines and take twice as long as the rest of
// Parse.
var commonWords = []struct {
	lang  string
	words []string
}{
	{"de", []string{"der", "und", "das", "nicht", "ist", "von", "mit", "auch", "auf", "für", "eine", "werden"}},
	{"en", []string{"the", "of", "and", "to", "is", "that", "for", "with", "this", "are", "be", "which"}},
	{"es", []string{"el", "los", "las", "por", "para", "con", "como", "más", "y", "su"}},
	{"fr", []string{"les", "des", "une", "dans", "pour", "sur", "par", "avec", "au", "et", "le"}},
	{"it", []string{"che", "della", "il", "per", "sono", "nel", "alla", "gli", "con", "è"}},
	{"nl", []string{"het", "een", "niet", "voor", "zijn", "worden", "wordt", "naar", "deze"}},
}

// The thresholds of commonLanguage: one word in ten when another listed language has up to a third of that,
// one in twenty when the others have almost none. Running text has 15 to 25 in a hundred. Other texts
// (listings, tables of contents, a related language) are left to guessLanguage.
const (
	commonLeast = 5

	commonShare, commonFactor           = 10, 3
	commonShareAlone, commonFactorAlone = 20, 8
)

// commonLanguage returns the language whose common words are frequent in the document while those of the
// others are not, or an empty string.
func (t *wordTable) commonLanguage() string {
	tokens := 0
	for _, n := range t.ordinal {
		tokens += n
	}
	best, most, second := "", 0, 0
	for _, c := range commonWords {
		n := 0
		for _, word := range c.words {
			n += t.occurrencesOf(word)
		}
		if n > most {
			best, most, second = c.lang, n, most
		} else {
			second = max(second, n)
		}
	}
	frequent := most*commonShare >= tokens && most >= commonFactor*second
	alone := most*commonShareAlone >= tokens && most >= commonFactorAlone*second
	if most < commonLeast || !frequent && !alone {
		return ""
	}
	return best
}

// guessLength is the number of bytes below which the guess is unreliable. It counts bytes, because in scripts
// with longer codes each character carries more information.
const guessLength = 200

// guessLanguage returns the language of a text of sufficient length if the guess is marked as reliable.
func guessLanguage(text string) string {
	if len(text) < guessLength {
		return ""
	}
	if info := whatlanggo.Detect(text); info.IsReliable() {
		return info.Lang.Iso6391()
	}
	return ""
}
