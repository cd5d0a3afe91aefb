package config

import (
	"strings"
	"testing"
)

// The hash changes with what can change links or words of an unchanged document, and with nothing else.
func TestHash(t *testing.T) {
	const sets, spider = "Disallow a\nMaxHops 9\nServer https://a.example/\nServer https://b.example/\n", "Threads 2\nStopwordFile en w\nLinkTags a img\n"
	words := "the\na\n"
	base := load(t, files{setsName: sets, spiderName: spider, "w": words}).Hash

	for name, f := range map[string]files{
		"comments, case, spelling":     {setsName: "# x\n\ndisallow \"a\"\nMAXHOPS 9\nServer https://a.example/\nServer https://b.example/\n", spiderName: spider, "w": "a\n# c\nthe\n"},
		"another file":                 {setsName: "Include x", "x": sets, spiderName: spider, "w": words},
		"default said aloud":           {setsName: strings.ReplaceAll(sets, "Server ", "Server site ") + "FollowOutside no\n", spiderName: spider + "MinWordLength 1\n", "w": words},
		"last values that nobody uses": {setsName: sets + "MaxHops 1\nIndex no\n", spiderName: spider, "w": words},
		"order of link tags":           {setsName: sets, spiderName: "StopwordFile en w\nLinkTags img a\n", "w": words},
		"when and how":                 {setsName: "Period 1d\nMaxURLsPerServerPerIndex 9\nTag 3\nMinDelay 1\nHeadFirst yes\nHostLoad * 0 24 1\nAuthBasic u:p\n" + sets, spiderName: spider + "Threads 9\nDBAddr postgres://x/\nUserAgent y\nHTTPHeader a: b\nMergeMemory 1MB\nRankShare 1\nLostLimit 2\nRobotsTTL 1h\n", "w": words},
		"what is gone":                 {setsName: "DeleteBad yes\n" + sets, spiderName: spider + "MaxLostShare 1\nLostPeriod 1d\nOrphanPeriod 1d\nUnreachableRemove yes\n", "w": words},
		"the same again":               {setsName: sets, spiderName: spider + "InfiniteSpaceDetection yes\nInfiniteSpaceDuplicates 2\n", "w": words},
		"pace": {
			setsName:   "Schedule adaptive\nCrawlFrequently a\nCrawlInfrequently b\nForceRecrawl c\nHostLoad a.example 22 6 0\n" + sets,
			spiderName: spider + "UnchangedChecks 2\n", "w": words,
		},
	} {
		if load(t, f).Hash != base {
			t.Errorf("%s changes the hash", name)
		}
	}
	seen := map[[16]byte]string{base: "base"}
	for name, f := range map[string]files{
		"pattern":           {setsName: "Disallow b\nMaxHops 9\nServer https://a.example/\nServer https://b.example/\n", spiderName: spider, "w": words},
		"action":            {setsName: "Allow a\nMaxHops 9\nServer https://a.example/\nServer https://b.example/\n", spiderName: spider, "w": words},
		"NoMatch":           {setsName: "DisallowNoMatch a\nMaxHops 9\nServer https://a.example/\nServer https://b.example/\n", spiderName: spider, "w": words},
		"filter added":      {setsName: "Allow b\n" + sets, spiderName: spider, "w": words},
		"server added":      {setsName: sets + "Server https://c.example/\n", spiderName: spider, "w": words},
		"order of servers":  {setsName: "Disallow a\nMaxHops 9\nServer https://b.example/\nServer https://a.example/\n", spiderName: spider, "w": words},
		"Server path":       {setsName: "Disallow a\nMaxHops 9\nServer path https://a.example/\nServer https://b.example/\n", spiderName: spider, "w": words},
		"MaxHops":           {setsName: "Disallow a\nServer https://a.example/\nServer https://b.example/\n", spiderName: spider, "w": words},
		"MaxURLsPerServer":  {setsName: "MaxURLsPerServer 5\n" + sets, spiderName: spider, "w": words},
		"Pause":             {setsName: "Pause a\n" + sets, spiderName: spider, "w": words},
		"NeverPause":        {setsName: "NeverPause a\n" + sets, spiderName: spider, "w": words},
		"Index":             {setsName: "Index no\n" + sets, spiderName: spider, "w": words},
		"Follow":            {setsName: "Follow no\n" + sets, spiderName: spider, "w": words},
		"IgnoreMeta":        {setsName: "IgnoreMeta yes\n" + sets, spiderName: spider, "w": words},
		"KeepNavigation":    {setsName: "KeepNavigation yes\n" + sets, spiderName: spider, "w": words},
		"LeaveOut":          {setsName: "LeaveOut .a\n" + sets, spiderName: spider, "w": words},
		"Charset":           {setsName: "Charset koi8-r\n" + sets, spiderName: spider, "w": words},
		"Replace":           {setsName: "Replace a b\n" + sets, spiderName: spider, "w": words},
		"Canonical":         {setsName: "Canonical no\n" + sets, spiderName: spider, "w": words},
		"Archives":          {setsName: "Archives yes\n" + sets, spiderName: spider, "w": words},
		"MaxArchiveMembers": {setsName: "Archives yes\nMaxArchiveMembers 5\n" + sets, spiderName: spider, "w": words},
		"Robots":            {setsName: "Robots no\n" + sets, spiderName: spider + "AllowHost a.example b.example\n", "w": words},
		"FollowOutside":     {setsName: sets + "FollowOutside yes\n", spiderName: spider, "w": words},
		"outside's values":  {setsName: sets + "FollowOutside yes\nIndex no\n", spiderName: spider, "w": words},
		"link tags":         {setsName: sets, spiderName: spider + "LinkTags a\n", "w": words},
		"MaxLinksPerPage":   {setsName: sets, spiderName: spider + "MaxLinksPerPage 5\n", "w": words},
		"MaxURLLength":      {setsName: sets, spiderName: spider + "MaxURLLength 100\n", "w": words},
		"NofollowExcludes":  {setsName: sets, spiderName: spider + "NofollowExcludes yes\n", "w": words},
		"FollowRelNofollow": {setsName: sets, spiderName: spider + "FollowRelNofollow yes\n", "w": words},
		"MinWordLength":     {setsName: sets, spiderName: spider + "MinWordLength 2\n", "w": words},
		"MaxWordLength":     {setsName: sets, spiderName: spider + "MaxWordLength 30\n", "w": words},
		"IndexLimit":        {setsName: sets, spiderName: spider + "IndexLimit 1MB\n", "w": words},
		"RobotsPolicy":      {setsName: sets, spiderName: spider + "RobotsPolicy gsa\n", "w": words},
		"a stop word":       {setsName: sets, spiderName: spider, "w": words + "of\n"},
		"its language":      {setsName: sets, spiderName: "LinkTags a img\nStopwordFile de w\n", "w": words},
	} {
		h := load(t, f).Hash
		if other, same := seen[h]; same {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[h] = name
	}
}
