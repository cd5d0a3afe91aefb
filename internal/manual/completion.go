package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

// Completion writes the completion of the command line for a shell.
func (p *Program) Completion(w io.Writer, shell string) error {
	var text string
	switch shell {
	case "bash":
		text = p.bash()
	case "zsh":
		text = p.zsh()
	case "fish":
		text = p.fish()
	default:
		return fmt.Errorf("--completion %q: want bash, zsh or fish", shell)
	}
	_, err := io.WriteString(w, text)
	return err
}

// all returns every option, in the order of the help.
func (p *Program) all() (list []*pflag.Flag) {
	for _, g := range p.groups() {
		list = append(list, p.flags(g)...)
	}
	return list
}

// Kinds of values.
const (
	noValue = iota
	anyValue
	oneOf // of Values
	file
	directory
)

// kind returns what the value of an option is.
func (p *Program) kind(f *pflag.Flag) int {
	argument, _ := pflag.UnquoteUsage(f)
	switch {
	case f.Value.Type() == "bool":
		return noValue
	case len(p.Values[f.Name]) > 0:
		return oneOf
	case argument == "file":
		return file
	case argument == "directory":
		return directory
	}
	return anyValue
}

// spellings returns the option with its hyphens, long and short.
func spellings(f *pflag.Flag) []string {
	if f.Shorthand == "" {
		return []string{"--" + f.Name}
	}
	return []string{"--" + f.Name, "-" + f.Shorthand}
}

// bash writes a function that needs no other package.
func (p *Program) bash() string {
	var cases, options strings.Builder
	files, directories, values := []string{}, []string{}, []string{}
	for _, f := range p.all() {
		for _, s := range spellings(f) {
			fmt.Fprintf(&options, " %s", s)
		}
		if f.NoOptDefVal != "" { // its value is behind a =, or there is none
			continue
		}
		switch p.kind(f) {
		case oneOf:
			fmt.Fprintf(&cases, "\t\t%s) words='%s' ;;\n", strings.Join(spellings(f), "|"), strings.Join(p.Values[f.Name], " "))
		case file:
			files = append(files, spellings(f)...)
		case directory:
			directories = append(directories, spellings(f)...)
		case anyValue:
			values = append(values, spellings(f)...)
		}
	}
	for _, c := range []struct {
		what []string
		do   string
	}{{files, "kind=-f"}, {directories, "kind=-f"}, {values, "return 0"}} {
		if len(c.what) > 0 {
			fmt.Fprintf(&cases, "\t\t%s) %s ;;\n", strings.Join(c.what, "|"), c.do)
		}
	}
	return fmt.Sprintf(`# Completion of %[1]s for bash. Load it with: source <(%[1]s --completion bash)
_pgseek_%[1]s() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words='' kind=''
	COMPREPLY=()
	if [ "$cur" = '=' ]; then
		cur=''
	elif [ "$prev" = '=' ] && [ "$COMP_CWORD" -ge 2 ]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	case $prev in
%[2]s		*)
			case $cur in
				-*) words='%[3]s' ;;
				*) kind=-f ;;
			esac
			;;
	esac
	if [ -n "$kind" ]; then
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen "$kind" -- "$cur")
	else
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	fi
}
complete -F _pgseek_%[1]s %[1]s
`, p.Name, cases.String(), strings.TrimSpace(options.String()))
}

// brief returns what an option does, up to the first semicolon.
func brief(f *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(f)
	usage, _, _ = strings.Cut(usage, "; ")
	return usage
}

// quoted puts a text in single quotes of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// zsh writes a function for _arguments.
func (p *Program) zsh() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %[1]s\n# Completion of %[1]s for zsh. Load it with: source <(%[1]s --completion zsh), or save it as _%[1]s in a directory of fpath.\n"+
		"_pgseek_%[1]s() {\n\t_arguments -s -S \\\n", p.Name)
	escape := strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`)
	for _, f := range p.all() {
		value := ""
		switch p.kind(f) {
		case oneOf:
			value = ":value:(" + strings.Join(p.Values[f.Name], " ") + ")"
		case file:
			value = ":file:_files"
		case directory:
			value = ":directory:_files"
		case anyValue:
			value = ":" + escape.Replace(p.argument(f)) + ":"
		}
		for _, s := range spellings(f) {
			spec := s
			switch {
			case f.NoOptDefVal != "" && value != "":
				spec += "=-"
			case strings.HasPrefix(s, "--") && value != "":
				spec += "="
			case value != "":
				spec += "+"
			}
			before := "(" + strings.Join(spellings(f), " ") + ")"
			if repeatable(f) {
				before = "*"
			}
			optional := ""
			if f.NoOptDefVal != "" && value != "" {
				optional = ":"
			}
			fmt.Fprintf(&b, "\t\t%s \\\n", quoted(before+spec+"["+escape.Replace(brief(f))+"]"+optional+value))
		}
	}
	fmt.Fprintf(&b, "\t\t'1:configuration:_files'\n}\nif [ \"${funcstack[1]}\" = _%[1]s ]; then\n\t_pgseek_%[1]s \"$@\"\nelse\n\tcompdef _pgseek_%[1]s %[1]s\nfi\n", p.Name)
	return b.String()
}

// fish writes a line for each option.
func (p *Program) fish() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Completion of %[1]s for fish. Load it with: %[1]s --completion fish | source\n", p.Name)
	for _, f := range p.all() {
		fmt.Fprintf(&b, "complete -c %s -l %s", p.Name, f.Name)
		if f.Shorthand != "" {
			fmt.Fprintf(&b, " -s %s", f.Shorthand)
		}
		switch p.kind(f) {
		case oneOf:
			fmt.Fprintf(&b, " -x -a %s", quoted(strings.Join(p.Values[f.Name], " ")))
		case file, directory:
			b.WriteString(" -r -F")
		case anyValue:
			if f.NoOptDefVal == "" {
				b.WriteString(" -x")
			}
		}
		fmt.Fprintf(&b, " -d '%s'\n", strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(brief(f)))
	}
	return b.String()
}
