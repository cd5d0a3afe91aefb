package store

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"
)

type dialKey struct{}

// WithDial returns a context with which Open makes a DB whose connections are opened by dial. Tests that call a program as a
// function hand sessions of the server on from one call to the next (storetest.Dial).
func WithDial(ctx context.Context, dial pgconn.DialFunc) context.Context {
	return context.WithValue(ctx, dialKey{}, dial)
}

// dialOf returns the function of WithDial, otherwise usual.
func dialOf(ctx context.Context, usual pgconn.DialFunc) pgconn.DialFunc {
	if dial, ok := ctx.Value(dialKey{}).(pgconn.DialFunc); ok {
		return dial
	}
	return usual
}
