package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestThirdPartyLicenses: the file names what the programs are linked from today, and nothing in it is refused.
func TestThirdPartyLicenses(t *testing.T) {
	t.Setenv("GOPROXY", "off") // the module cache has it all, since the programs were built from it
	want, err := render(t.Context(), "../..")
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../THIRD_PARTY_LICENSES")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("make licenses writes another THIRD_PARTY_LICENSES (-linked +file):\n%s", diff)
	}
}

func TestClassify(t *testing.T) {
	const mit = "Permission is hereby granted, free of charge, to any\n person obtaining a copy of this software"
	for _, c := range []struct{ text, want, wrong string }{
		{mit, "MIT", ""},
		{"Redistribution and use in source and\nbinary forms", "BSD", ""},
		{"                   Apache License\n              Version 2.0, January 2004", "Apache-2.0", ""},
		{mit + "\nRedistribution and use in source and binary forms", "BSD and MIT", ""},
		{"GNU LESSER GENERAL PUBLIC LICENSE Version 2.1", "", "LGPL"},
		{mit + "\n or the GNU General Public License", "", "GPL"},
		{"Mozilla Public License Version 2.0", "", "MPL"},
		{"All rights reserved.", "", "not known"},
	} {
		got, err := classify(c.text)
		if got != c.want || (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("classify(%q) = %q, %v; want %q, %q", c.text, got, err, c.want, c.wrong)
		}
	}
}
