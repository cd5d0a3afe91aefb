package program

import "github.com/pgseek/pgseek/cmd/internal/wording"

// Short names of what most modes call.

func clean(s string) string { return wording.Clean(s) }

func withoutPassword(given string) string { return wording.WithoutPassword(given) }

func plural[N int | int64](n N, what string) string { return wording.Plural(n, what) }

func numbered(status int) string { return wording.Numbered(status) }

func wrongURL(given string, err error) error { return wording.WrongURL(given, err) }
