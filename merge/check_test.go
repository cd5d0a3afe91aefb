package merge

import (
	"context"
	"testing"

	"github.com/pgseek/pgseek/store/index"
)

// findings returns the lines of a check.
func findings(t testing.TB, s *index.Store, o CheckOptions) (lines []string, sum CheckSummary) {
	t.Helper()
	o.Report = func(f index.Finding) error {
		lines = append(lines, f.String())
		return nil
	}
	sum, err := Check(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return lines, sum
}
