// Package manual writes what people read about a program: its help, its manual page, the completions of shells, and what an unknown
// option may have meant. All of them come from one description, a Program.
package manual

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// A Program is the description of a command line.
type Program struct {
	Name     string
	Does     string // in half a sentence
	Synopsis []Line
	About    []string // paragraphs
	Examples []Line
	Groups   []Group
	Values   map[string][]string // of an option that takes only these, or these and others
	Notes    []string            // paragraphs after the options
	Files    []Line
	Exits    []Line   // exit codes
	SeeAlso  []string // other pages: "sets.cnf(5)"
	Flags    *pflag.FlagSet
}

// A Line is something to type, or to see, and what it means.
type Line struct{ What, Text string }

// A Group has the options for one purpose.
type Group struct {
	Title   string
	Note    string   // for all of them; may be empty
	With    string   // the texts of its options begin with this, which is left out below the title
	Options []string // long names, in order
}

// Ungrouped returns the options that stand in no group or in several, and those of groups that do not exist.
func (p *Program) Ungrouped() (names []string) {
	count := map[string]int{}
	for _, g := range p.Groups {
		for _, name := range g.Options {
			if count[name]++; p.Flags.Lookup(name) == nil {
				names = append(names, name)
			}
		}
	}
	p.Flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && count[f.Name] != 1 {
			names = append(names, f.Name)
		}
	})
	return names
}

// groups returns the groups, and one with the options that stand in none.
func (p *Program) groups() []Group {
	groups := slices.Clone(p.Groups)
	other := Group{Title: "Other"}
	p.Flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && !slices.ContainsFunc(groups, func(g Group) bool { return slices.Contains(g.Options, f.Name) }) {
			other.Options = append(other.Options, f.Name)
		}
	})
	if len(other.Options) > 0 {
		groups = append(groups, other)
	}
	return groups
}

// flags returns the options of a group that exist.
func (p *Program) flags(g Group) (list []*pflag.Flag) {
	for _, name := range g.Options {
		if f := p.Flags.Lookup(name); f != nil && !f.Hidden {
			list = append(list, f)
		}
	}
	return list
}

// argument returns what stands for the value of an option: its values, or the word that its text has in back quotes; empty for a switch.
func (p *Program) argument(f *pflag.Flag) string {
	if f.Value.Type() == "bool" {
		return ""
	}
	if values := p.Values[f.Name]; len(values) > 0 && len(values) <= 4 {
		return strings.Join(values, "|")
	}
	name, _ := pflag.UnquoteUsage(f)
	return name
}

// spelled returns an option with its value: "--count documents", "--purge-lost[=N]".
func (p *Program) spelled(f *pflag.Flag) string {
	argument := p.argument(f)
	switch {
	case argument == "":
		return "--" + f.Name
	case f.NoOptDefVal != "":
		return "--" + f.Name + "[=" + argument + "]"
	}
	return "--" + f.Name + " " + argument
}

// text returns what an option does, without back quotes.
func text(f *pflag.Flag, g Group) string {
	_, usage := pflag.UnquoteUsage(f)
	usage = strings.TrimPrefix(usage, g.With)
	if value := f.DefValue; value != "" && value != "0" && value != "false" && value != "[]" && !strings.Contains(usage, "default") {
		usage += " (default " + value + ")"
	}
	return usage
}

// repeatable reports whether an option may be given several times.
func repeatable(f *pflag.Flag) bool {
	_, list := f.Value.(pflag.SliceValue)
	return list
}
