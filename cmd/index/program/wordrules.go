package program

import (
	"context"

	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/spider"
	"github.com/pgseek/pgseek/store"
	"github.com/pgseek/pgseek/store/index"
)

// storeWordRules stores which words the index leaves out, for searches in SQL. Every mode that indexes calls it
// first. It gives the lists of LeaveOut their numbers, too. It warns of an index whose words were cut by older rules, unless they are about to be replaced.
func (p *program) storeWordRules(ctx context.Context, s *store.DB, scope *spider.Scope, rebuilding bool) error {
	numbers, err := index.New(s).KeepLeaveOut(ctx, scope.Lists())
	if err != nil {
		return err
	}
	scope.NumberLists(numbers)
	cfg := &p.cfg.Spider
	rules := index.WordRules{MinLength: cfg.MinWordLength, MaxLength: cfg.MaxWordLength}
	for _, file := range cfg.Stopwords {
		for _, entry := range file.Words {
			var words []string
			document.Tokens(entry, func(word string, _, _ int) bool {
				words = append(words, word)
				return len(words) < 2
			})
			if len(words) == 1 && words[0] != "" { // others have no effect (document.Rules)
				rules.Stopwords = append(rules.Stopwords, words[0])
			}
		}
	}
	version, err := index.New(s).KeepWordRules(ctx, rules, document.WordRules)
	if err == nil && !rebuilding {
		database.WarnOfWordRules(ctx, version)
	}
	return err
}
