package search

import (
	"context"
	"math"

	"github.com/pgseek/pgseek/store/lookup"
)

// exactWeight is the weight of the document whose address is the query. It is above all weights of sites.
const exactWeight = math.MaxInt

// exactPlace returns the place of the document whose address is the query, of its original if that is a clone, or 0.
func (e *Engine) exactPlace(ctx context.Context, req *Request, look *lookup.Tx) (at place, err error) {
	if req.Address == "" || req.Order != ByRank {
		return 0, nil
	}
	for _, address := range e.addresses(req.Address) {
		look.Document(address, func(site, url int32) { at = placeOf(site, url) })
		if err := look.Send(ctx); err != nil || at != 0 {
			return at, err
		}
	}
	return 0, nil
}
