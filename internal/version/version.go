// Package version says which release the programs are of, and of which commit they were built.
package version

import (
	"runtime"
	"runtime/debug"
	"strings"
)

// release is the number of the release that the source belongs to. The build of a tag may set another one:
//
//	go build -ldflags "-X github.com/pgseek/pgseek/internal/version.release=0.1.2"
var release = "0.1"

// Day is the date of the manual pages.
const Day = "2026-11-23"

// Number returns the number of the release, such as 0.1.
func Number() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return number(info)
	}
	return release
}

// number prefers the version of the module, which go install MODULE@VERSION gives, to that of the source. The version of a checkout
// is no release: it has the time and the commit behind a hyphen.
func number(info *debug.BuildInfo) string {
	if v, tagged := strings.CutPrefix(info.Main.Version, "v"); tagged && !strings.ContainsAny(v, "-+") {
		return v
	}
	return release
}

// Line returns what --version prints: the program, the release, the commit if the build knows it, and the compiler.
func Line(program string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return line(program, info)
}

func line(program string, info *debug.BuildInfo) string {
	parts := []string{program + " (pgseek) " + number(info)}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	if commit := set["vcs.revision"]; commit != "" {
		text := "commit " + commit[:min(len(commit), 12)]
		if day, _, _ := strings.Cut(set["vcs.time"], "T"); day != "" {
			text += " of " + day
		}
		if set["vcs.modified"] == "true" {
			text += " with changes"
		}
		parts = append(parts, text)
	}
	return strings.Join(append(parts, runtime.Version()+" "+runtime.GOOS+"/"+runtime.GOARCH), ", ")
}
