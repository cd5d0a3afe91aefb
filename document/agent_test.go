package document

import "testing"

// TestMetaForOneAgent: META with the name of our agent says as much as META robots, beside it; that of others says nothing.
func TestMetaForOneAgent(t *testing.T) {
	for _, c := range []struct {
		head, agent       string
		noIndex, noFollow bool
	}{
		{`<meta name="pgseek" content="noindex">`, "pgseek", true, false},
		{`<meta name=" PGseek " content="NONE">`, "pgseek", true, true},
		{`<meta name="pgseek" content="nofollow"><meta name=robots content=noindex>`, "PGSeek", true, true},
		{`<meta name="pgseek" content="index, follow"><meta name=robots content=noindex>`, "pgseek", true, false},
		{`<meta name="otherbot" content="none">`, "pgseek", false, false},
		{`<meta http-equiv="pgseek" content="none">`, "pgseek", false, false},
		{`<meta name="pgseek" content="none">`, "", false, false},
		{`<meta name="" content="none">`, "", false, false},
		{`<meta name="description" content="none">`, "description", false, false},
	} {
		rules, err := NewRules(Rules{})
		if err != nil {
			t.Fatal(err)
		}
		rules = rules.ForAgent(c.agent)
		doc, err := Parse([]byte("<head>"+c.head+"</head>text"), "text/html", rules)
		if err != nil {
			t.Fatal(err)
		}
		if doc.NoIndex != c.noIndex || doc.NoFollow != c.noFollow {
			t.Errorf("%s for %q: noindex %v, nofollow %v", c.head, c.agent, doc.NoIndex, doc.NoFollow)
		}
		if doc, err = Parse([]byte("<head>"+c.head+"</head>text"), "text/html", rules.WithoutMeta()); err != nil || doc.NoIndex || doc.NoFollow {
			t.Errorf("%s under IgnoreMeta: noindex %v, nofollow %v, %v", c.head, doc.NoIndex, doc.NoFollow, err)
		}
	}
}
