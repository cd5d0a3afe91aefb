// Package settings converts the parts of the configuration that index and searchd share into the options of other packages.
package settings

import (
	"os"
	"strings"

	"github.com/pgseek/pgseek/cmd/internal/database"
	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/document"
	"github.com/pgseek/pgseek/search"
	"github.com/pgseek/pgseek/search/query"
	"github.com/pgseek/pgseek/search/web"
)

// WordRules returns the rules by which documents are cut into words: those of spider.cnf, which file names in messages. Both
// programs take the same, so that queries have the words of the index. A problem is a config.Errors.
func WordRules(c *config.Spider, file string) (*document.Rules, error) {
	rules := document.Rules{
		MinWordLength: c.MinWordLength, MaxWordLength: c.MaxWordLength, IndexLimit: int(c.IndexLimit),
		LinkTags: c.LinkTags, FollowRelNofollow: c.FollowRelNofollow, MaxLinks: c.MaxLinksPerPage,
		Stopwords: map[string]string{},
	}
	for _, list := range c.Stopwords {
		for _, word := range list.Words {
			rules.Stopwords[word] = list.Lang
		}
	}
	checked, err := document.NewRules(rules)
	if err != nil {
		return nil, config.Errors{{File: file, Reason: err.Error()}}
	}
	return checked, nil
}

// SearchDefaults returns the values of searchd.conf for what a request does not say.
func SearchDefaults(c *config.Search, rules *document.Rules) web.Defaults {
	d := web.Defaults{
		Parse: query.Options{MinFixedPatternLength: c.MinFixedPatternLength, Stored: rules.Stored},
		Root:  c.Prefix, PerPage: c.ResultsPerPage, Flat: !c.AccountDistance, Forms: c.WordForms != "no", Excerpts: 2,
	}
	if c.Ranking == config.RankingASPseek {
		d.Ranking = search.ByASPseek
	}
	d.All = c.Match == config.MatchAll
	switch c.WordForms {
	case "auto", "no":
	case "yes":
		d.Languages = search.FormLanguages()
	default:
		d.Languages = strings.Split(c.WordForms, ",")
	}
	return d
}

// BadAddress is the error about a DBAddr that the driver cannot read, or misreads. It names the environment variable that
// overrides the file, if that is set.
func BadAddress(file string) error {
	const variable = "PGSEEK_DBADDR"
	if os.Getenv(variable) != "" {
		file = variable
	}
	return config.Errors{{File: file, Keyword: "DBAddr", Reason: database.BadAddress}}
}
