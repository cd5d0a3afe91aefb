package lookup

const spellingsSQL = `
	SELECT /* store.SearchSpellings */ t.typed, s.word
	FROM unnest($1::text[]) AS t (typed) CROSS JOIN LATERAL word_spellings(t.typed) s` // wordurl_plain, wordurl_word_key

// Spellings asks for other spellings of words that people typed, the most frequent of each first.
func (x *Tx) Spellings(typed []string, f func(typed, other string)) {
	var word, other string
	x.ask(spellingsSQL, []any{typed}, each([]any{&word, &other}, func() error { f(word, other); return nil }))
}

const pairsSQL = `
	SELECT /* store.SearchPairs */ c.c, p.word, p.begins
	FROM unnest($1::text[], $2::text[]) AS c (c, after) CROSS JOIN LATERAL (
		(SELECT word, urlcount, true AS begins
		FROM wordurl                                                             -- wordurl_word_key
		WHERE word > c.c AND word < c.after AND char_length(word) = 2
		ORDER BY urlcount DESC, word
		LIMIT $3)
		UNION ALL
		(SELECT word, urlcount, false
		FROM wordurl                                                             -- wordurl_last
		WHERE "right"(word, 1) = c.c AND char_length(word) = 2 AND word >= 'ก'
		ORDER BY urlcount DESC, word
		LIMIT $3)) p`

// Pairs asks for the pairs of characters that begin or end with a character, the most frequent limit of each.
func (x *Tx) Pairs(characters []string, limit int, f func(character, pair string, begins bool)) {
	to := make([]string, len(characters))
	for i, c := range characters {
		to[i] = after(c)
	}
	var character, pair string
	var begins bool
	x.ask(pairsSQL, []any{characters, to, limit}, each([]any{&character, &pair, &begins}, func() error {
		f(character, pair, begins)
		return nil
	}))
}

const formsSQL = `
	SELECT /* store.SearchForms */ p.n - 1, w.word, w.urlcount
	FROM unnest($1::text[], $2::text[], $3::integer[]) WITH ORDINALITY AS p (lo, hi, longest, n) CROSS JOIN LATERAL (
		(SELECT word, urlcount
		FROM wordurl                                                             -- wordurl_word_key
		WHERE word >= p.lo AND word < p.hi AND char_length(word) <= p.longest
		ORDER BY word
		LIMIT $4)
		UNION
		(SELECT word, urlcount
		FROM wordurl                                                             -- wordurl_plain
		WHERE plain_word(word) >= p.lo AND plain_word(word) < p.hi AND plain_word(word) <> word AND char_length(word) <= p.longest
		ORDER BY plain_word(word)
		LIMIT $4)) w`

// Forms asks for words that begin with any of the prefixes when accents do not count, and have at most ending more characters:
// at most limit of each prefix with accents and as many without, with the number of their documents in the main index.
func (x *Tx) Forms(prefixes []string, ending, limit int, f func(prefix int, word string, urls int64)) {
	to, longest := make([]string, len(prefixes)), make([]int, len(prefixes))
	for i, p := range prefixes {
		to[i], longest[i] = after(p), len([]rune(p))+ending
	}
	var n int
	var word string
	var urls int64
	x.ask(formsSQL, []any{prefixes, to, longest, limit}, each([]any{&n, &word, &urls}, func() error { f(n, word, urls); return nil }))
}
