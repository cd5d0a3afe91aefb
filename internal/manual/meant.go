package manual

import (
	"strings"

	"github.com/pgseek/pgseek/config"
	"github.com/spf13/pflag"
)

// Meant returns the option that a misspelled long name may have meant, with its letter: "--workers (-N)". It is empty if none is near.
func Meant(flags *pflag.FlagSet, name string) (meant string) {
	least := 1 + len(name)/4 // as in the configuration files
	flags.VisitAll(func(f *pflag.Flag) {
		n := config.Slips(f.Name, strings.ToLower(name))
		if n < least || n == least && meant == "" {
			least, meant = n, Spelled(f)
		}
	})
	return meant
}

// Spelled returns an option with its letter: "--workers (-N)".
func Spelled(f *pflag.Flag) string {
	if f.Shorthand == "" {
		return "--" + f.Name
	}
	return "--" + f.Name + " (-" + f.Shorthand + ")"
}
