package search

import "context"

// This file has what may be changed while an engine searches. Searches in progress may see the old values or the new ones.

// SetVocabulary replaces the vocabulary. Searches in progress keep the one that they began with.
func (e *Engine) SetVocabulary(v *Vocabulary) {
	e.vocabulary.Store(v)
	notify(e.resuggest)
}

// SetSiteWeights replaces SiteWeights.
func (e *Engine) SetSiteWeights(weights map[string]int) { e.siteWeights.Store(&weights) }

// SetWeights replaces Weigh and reads all documents again to weigh them. After an error the old function stays.
func (e *Engine) SetWeights(ctx context.Context, weigh func(url string) float64) error {
	e.renewing.Lock()
	defer e.renewing.Unlock()
	if err := e.read(ctx, nil, weigh); err != nil {
		return err
	}
	e.weigh.Store(&weigh)
	return nil
}

// SuggestQueries says whether searches of others are suggested (SuggestOptions.Queries).
func (e *Engine) SuggestQueries(yes bool) {
	if e.noQueries.Swap(!yes) == yes {
		notify(e.resuggest)
	}
}
