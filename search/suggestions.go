package search

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search/suggest"
	"github.com/pgseek/pgseek/store/lookup"
)

// SuggestOptions say what an engine suggests while somebody types.
type SuggestOptions struct {
	Bytes   int  // memory; 0 = nothing is suggested
	Queries bool // searches of others (table suggestions)
}

// A Completion is a suggestion. A title has the address of its document.
type Completion struct {
	Text, URL string
	Kind      CompletionKind
}

// CompletionKind is the kind of a suggestion.
type CompletionKind int

// The kinds.
const (
	CompletedQuery CompletionKind = iota
	CompletedTitle
	CompletedWord
)

// MaxCompletions is the maximum number of suggestions for a text, of which some places are for each kind.
const (
	MaxCompletions = 10
	queryPlaces    = 5
	wordPlaces     = 3
	wordLeast      = 2 // characters of a word before it is completed
)

// Parts of the memory, and rough sizes of a text with its places, in bytes: as many rows are read.
const (
	queryPart, wordPart = 8, 4 // 1 of so many; titles have the rest
	leastQuery          = 60
	leastTitle          = 120
	leastWord           = 30
)

// suggestions are what an engine may suggest.
type suggestions struct{ queries, titles, words *suggest.Index }

// readSuggestions reads the suggestions of now.
func (e *Engine) readSuggestions(ctx context.Context) (*suggestions, error) {
	var read *suggestions
	err := e.onWatched(ctx, func(ctx context.Context, s *lookup.Store) (err error) {
		read, err = e.suggestionsOf(ctx, s)
		return err
	})
	if err == nil && read == nil {
		err = errLeft
	}
	return read, err
}

func (e *Engine) suggestionsOf(ctx context.Context, s *lookup.Store) (*suggestions, error) {
	o, vocabulary, languages := e.o.Suggest, e.vocabulary.Load(), e.Languages()
	forQueries, forWords := o.Bytes/queryPart, o.Bytes/wordPart
	if e.noQueries.Load() {
		forQueries = 0
	}
	forTitles := o.Bytes - forQueries - forWords
	queries, titles, words := suggest.NewBuilder(forQueries), suggest.NewBuilder(forTitles), suggest.NewBuilder(forWords)
	err := s.Suggestions(ctx, forQueries/leastQuery, forTitles/leastTitle, forWords/leastWord,
		func(text string) {
			if !vocabulary.forbids(text) {
				queries.Add(suggest.Text{Text: text})
			}
		},
		func(text, url string) {
			if !vocabulary.forbids(text) {
				titles.Add(suggest.Text{Text: text, URL: url})
			}
		},
		func(word string) {
			if !vocabulary.forbids(word) && !document.Paired(word) && !slices.ContainsFunc(languages, func(l string) bool { return vocabulary.isStop(l, word) }) {
				words.Add(suggest.Text{Text: word})
			}
		})
	if err != nil {
		return nil, err
	}
	return &suggestions{queries.Index(), titles.Index(), words.Index()}, nil
}

// Reading the suggestions again takes at most a share of the time, and happens at least so often, because documents may leave
// without a merge.
const (
	suggestShare = 20
	suggestEvery = time.Hour
)

// followSuggestions reads the suggestions, and again whenever the index has changed, until ctx ends. Errors are logged;
// meanwhile the previous ones count.
func (e *Engine) followSuggestions(ctx context.Context, changed <-chan struct{}) {
	if e.o.Suggest.Bytes <= 0 {
		return
	}
	for {
		select {
		case <-changed: // what it tells is read now
		default:
		}
		begin := time.Now()
		s, err := e.readSuggestions(ctx)
		took := time.Since(begin)
		switch {
		case err == nil:
			e.suggestions.Store(s)
			slog.DebugContext(ctx, "suggestions were read", "queries", s.queries.Len(), "titles", s.titles.Len(), "words", s.words.Len(), "took", took)
		case ctx.Err() == nil:
			slog.WarnContext(ctx, "cannot read suggestions; using the previous ones", "cause", err)
		}
		sleep(ctx, max(renewPause, suggestShare*took))
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-time.After(suggestEvery):
		}
	}
}

// Suggest completes a text: searches of others, then titles, then its last word. It reads only memory.
func (e *Engine) Suggest(text string) []Completion {
	s := e.suggestions.Load()
	if s == nil {
		return nil
	}
	return s.complete(text, e.vocabulary.Load())
}

func (s *suggestions) complete(text string, vocabulary *Vocabulary) (all []Completion) {
	prefix := suggest.Fold(text)
	if prefix == "" {
		return nil
	}
	// Texts that are suggested already, folded. A title leads to its document, so it may have the same text.
	known := map[string]bool{strings.TrimSpace(prefix): true}
	add := func(kind CompletionKind, most int, found []suggest.Text) (added []Completion) {
		for _, t := range found {
			folded := strings.TrimSpace(suggest.Fold(t.Text))
			if len(added) < most && !vocabulary.forbids(t.Text) && (kind == CompletedTitle || !known[folded]) {
				known[folded] = true
				added = append(added, Completion{t.Text, t.URL, kind})
			}
		}
		return added
	}
	queries := add(CompletedQuery, queryPlaces, s.queries.Find(prefix, MaxCompletions))
	titles := add(CompletedTitle, MaxCompletions-len(queries), s.titles.Find(prefix, MaxCompletions))
	words := add(CompletedWord, wordPlaces, s.completeWord(text, prefix))
	titles = titles[:min(len(titles), MaxCompletions-len(queries)-len(words))]
	return slices.Concat(queries, titles, words)
}

// completeWord returns a text with its last word completed.
func (s *suggestions) completeWord(text, prefix string) []suggest.Text {
	last := prefix[strings.LastIndexByte(prefix, ' ')+1:]
	if utf8.RuneCountInString(last) < wordLeast {
		return nil
	}
	begin := strings.LastIndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) })
	if begin >= 0 {
		_, size := utf8.DecodeRuneInString(text[begin:])
		begin += size
	}
	before := suggest.Clean(text[:max(begin, 0)])
	if before != "" && begin > 0 && unicode.IsSpace(rune(text[begin-1])) {
		before += " "
	}
	found := s.words.Find(last, wordPlaces+1)
	for i := range found {
		found[i].Text = before + found[i].Text
	}
	return found
}
