package config

import "testing"

// The reading hash changes with DateRule, KeepNavigation and LeaveOut, and with nothing else.
func TestReadingHash(t *testing.T) {
	const server = "Server https://a.example/\n"
	base := load(t, files{setsName: server}).ReadingHash
	for _, sets := range []string{
		"KeepNavigation no\n" + server, "Disallow x\nPeriod 1d\n" + server, server + "Server https://b.example/\n", "LeaveOut none\n" + server,
		"Index no\n" + server, server + "KeepNavigation yes\n",
	} {
		if load(t, files{setsName: sets}).ReadingHash != base {
			t.Errorf("%q changes the hash", sets)
		}
	}
	seen := map[[16]byte]string{base: "the base"}
	for _, sets := range []string{
		"KeepNavigation yes\n" + server, "LeaveOut .side\n" + server, "LeaveOut .foot\n" + server, "DateRule . time\n" + server, "DateRule . title\n" + server,
		"DateRule . title dmy\n" + server, server + "FollowOutside yes\nKeepNavigation yes\n",
	} {
		h := load(t, files{setsName: sets}).ReadingHash
		if other, ok := seen[h]; ok {
			t.Errorf("%q has the hash of %q", sets, other)
		}
		seen[h] = sets
	}
}
