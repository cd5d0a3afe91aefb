package program

import (
	"bytes"
	"context"
	"io"

	"github.com/pgseek/pgseek/config"
	"github.com/pgseek/pgseek/store"
)

// Explained returns the text of index --explain for a URL, as the configuration at a place says, and whether the URL is registered.
// With a text the error says that it is not. searchd's /explain shows it.
func Explained(ctx context.Context, place string, s *store.DB, url string) (text string, known bool, err error) {
	cfg, err := config.Load(place, nil)
	if err != nil {
		return "", false, err
	}
	var out bytes.Buffer
	p := &program{o: &options{explain: url}, stop: ctx, out: &out, errOut: io.Discard, cfg: cfg}
	err = p.explain(ctx, s)
	return out.String(), err == nil, err
}
