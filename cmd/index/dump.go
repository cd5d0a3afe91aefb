package main

import (
	"context"
	"errors"

	"github.com/pgseek/pgseek/store"
)

func (p *program) dumpWord(context.Context, *store.Store) error { return errors.New("not yet") }
