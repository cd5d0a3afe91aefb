package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// The safety gate of a site (sitestate.gate): a site that fails as a whole is put on hold before its documents are lost
// one by one.

// GateRules are the settings of the gate.
type GateRules struct {
	Share  float64       // of a site's live documents that may turn lost in a run; 1 = never too many
	Period time.Duration // of a hold at most
}

// beginGates makes the gates ready for a run: holds that are over end, and every site's documents are counted.
func beginGates(ctx context.Context, tx pgx.Tx, g GateRules, starts []URLID) error {
	return nil
}

// endGates looks which sites have recovered, when a run ends.
func endGates(ctx context.Context, tx pgx.Tx, g GateRules) error { return nil }
