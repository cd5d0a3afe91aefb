// Command licenses prints the licenses of the modules that the programs are linked from, for THIRD_PARTY_LICENSES
// (make licenses). It fails for a license that it does not know, and for one that cannot be combined with Apache-2.0.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// programs are the packages that users build and run. Tests and benchmarks link more modules.
var programs = []string{"./cmd/index", "./cmd/searchd", "./cmd/demosite"}

func main() {
	text, err := render(context.Background(), ".")
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "licenses:", err)
		os.Exit(1)
	}
}

// module is a module that a program is linked from.
type module struct {
	path, version string
	dir           string          // its folder in the module cache
	packages      map[string]bool // the folders of its packages that are linked
}

// render returns the text of THIRD_PARTY_LICENSES for the repository in a folder. It is the same on every system, and
// needs no network when the module cache has the modules of the programs.
func render(ctx context.Context, repository string) ([]byte, error) {
	modules, err := linked(ctx, repository)
	if err != nil {
		return nil, err
	}
	var list, texts bytes.Buffer
	rule := strings.Repeat("=", 80)
	for _, m := range modules {
		files, err := m.files()
		if err != nil {
			return nil, err
		}
		var kinds []string
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			name, err := filepath.Rel(m.dir, file)
			if err != nil {
				return nil, err
			}
			if !additional.MatchString(filepath.Base(file)) {
				kind, err := classify(string(text))
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", m.path, name, err)
				}
				if !slices.Contains(kinds, kind) {
					kinds = append(kinds, kind)
				}
			}
			fmt.Fprintf(&texts, "\n%s\n%s %s: %s\n%s\n\n%s\n", rule, m.path, m.version, filepath.ToSlash(name), rule,
				strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")))
		}
		if len(kinds) == 0 {
			return nil, fmt.Errorf("%s %s has no license file", m.path, m.version)
		}
		fmt.Fprintf(&list, "  %s %s: %s\n", m.path, m.version, strings.Join(kinds, ", "))
	}
	head := `The programs index, searchd and demosite are linked from these Go modules. Their licenses follow the list.
The programs also contain the runtime and the standard library of Go, which have the license of golang.org/x/text.
This file is written by "make licenses".

`
	return slices.Concat([]byte(head), list.Bytes(), texts.Bytes()), nil
}

// linked returns the modules that the programs are linked from on Linux, by path.
func linked(ctx context.Context, repository string) ([]*module, error) {
	list := exec.CommandContext(ctx, "go", append([]string{"list", "-deps", "-json=Dir,Module"}, programs...)...)
	list.Dir = repository
	list.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0", "GOWORK=off")
	var stderr bytes.Buffer
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.String())
	}
	modules := map[string]*module{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir    string
			Module *struct {
				Path, Version, Dir string
				Main               bool
				Replace            *struct{ Path, Version, Dir string }
			}
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Module == nil || p.Module.Main {
			continue // the standard library, or ours
		}
		if p.Module.Replace != nil {
			return nil, fmt.Errorf("%s is replaced: say here what its license is", p.Module.Path)
		}
		m := modules[p.Module.Path]
		if m == nil {
			m = &module{p.Module.Path, p.Module.Version, p.Module.Dir, map[string]bool{}}
			modules[p.Module.Path] = m
		}
		m.packages[p.Dir] = true
	}
	var sorted []*module
	for _, m := range modules {
		sorted = append(sorted, m)
	}
	slices.SortFunc(sorted, func(a, b *module) int { return strings.Compare(a.path, b.path) })
	return sorted, nil
}

var (
	legal      = regexp.MustCompile(`(?i)^(.+-)?(un)?licen[cs]es?([.-].*)?$|^copying([.-].*)?$|^(notice|patents)([.-].*)?$`)
	additional = regexp.MustCompile(`(?i)^(notice|patents)([.-].*)?$`) // belongs to a license, but is no license
	source     = regexp.MustCompile(`(?i)\.go$`)
)

// files returns the files with licenses that apply to the linked packages of a module: those in the folder of a package, and those in
// the folders above it, up to the module's own.
func (m *module) files() ([]string, error) {
	folders := map[string]bool{m.dir: true}
	for folder := range m.packages {
		for ; len(folder) > len(m.dir); folder = filepath.Dir(folder) {
			folders[folder] = true
		}
	}
	var files []string
	for folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if name := e.Name(); !e.IsDir() && legal.MatchString(name) && !source.MatchString(name) {
				files = append(files, filepath.Join(folder, name))
			}
		}
	}
	slices.Sort(files)
	return files, nil
}

// licenses are sentences by which licenses are recognized, in lower case and with single spaces. Those that oblige
// the whole program come first.
var licenses = []struct {
	sentence, name string
	refused        bool
}{
	{"gnu general public license", "GPL", true},
	{"gnu lesser general public license", "LGPL", true},
	{"gnu library general public license", "LGPL", true},
	{"gnu affero general public license", "AGPL", true},
	{"mozilla public license", "MPL", true},
	{"eclipse public license", "EPL", true},
	{"common development and distribution license", "CDDL", true},
	{"european union public licen", "EUPL", true},
	{"server side public license", "SSPL", true},
	{"business source license", "BUSL", true},
	{"commons clause", "Commons Clause", true},
	{"apache license version 2.0", "Apache-2.0", false},
	{"licensed under the apache license, version 2.0", "Apache-2.0", false},
	{"redistribution and use in source and binary forms", "BSD", false},
	{"permission is hereby granted, free of charge, to any person obtaining a copy", "MIT", false},
	{"permission to use, copy, modify, and/or distribute this software for any purpose", "ISC", false},
	{"permission to use, copy, modify, and distribute this software for any purpose", "ISC", false},
	{"this is free and unencumbered software released into the public domain", "Unlicense", false},
}

var space = regexp.MustCompile(`\s+`)

// classify names the licenses in a text.
func classify(text string) (string, error) {
	text = strings.ToLower(space.ReplaceAllString(text, " "))
	var names []string
	for _, l := range licenses {
		if !strings.Contains(text, l.sentence) {
			continue
		}
		if l.refused {
			return "", fmt.Errorf("%s cannot be combined with Apache-2.0 in one program, or obliges who passes it on", l.name)
		}
		if !slices.Contains(names, l.name) {
			names = append(names, l.name)
		}
	}
	if len(names) == 0 {
		return "", errors.New("the license is not known: read it, then add a sentence of it to internal/licenses")
	}
	return strings.Join(names, " and "), nil
}
