package shape

import (
	"os"
	"regexp"
	"strings"
)

// Schema has the tables of docs/schema.sql, which a test compares with the migrations.
type Schema struct {
	tables map[string]*table
	Views  []Statement
	// Functions are the bodies of functions, each a statement or, in plpgsql, several.
	Functions []Statement
	views     map[string]string // their queries, which stand for them where a statement reads them
	made      map[string]bool   // tables that statements make for themselves
}

type table struct {
	columns []string
	family  string // the column by which its rows would be distributed; empty for one copy
	named   bool   // whether its comment names a family
}

var (
	createRE   = regexp.MustCompile(`(?ms)^CREATE TABLE (\w+) \(\n(.*?)^\)`)
	columnRE   = regexp.MustCompile(`(?m)^    ([a-z_0-9"]+) `)
	familyRE   = regexp.MustCompile(`(?m)^COMMENT ON TABLE (\w+) IS '(?:[^']|'')*? Family: (\w+)\.';$`)
	viewRE     = regexp.MustCompile(`(?ms)^CREATE VIEW (\w+) AS\n(.*?);$`)
	functionRE = regexp.MustCompile(`(?ms)^CREATE FUNCTION (\w+)\(.*?^ LANGUAGE (\w+)$.*?^(?:AS (\$\w*\$)(.*?)\$\w*\$;|BEGIN ATOMIC\n(.*?)^END;|RETURN (.*?);)$`)
	makesRE    = regexp.MustCompile(`\bCREATE (?:TEMPORARY |TEMP )?TABLE (?:IF NOT EXISTS )?(?:\w+\.)?(\w+)`)
	contentRE  = regexp.MustCompile(`^urlwords(NN|nn|TO|to|FROM|from|[0-9][0-9])$`)
)

// tableName makes one table of the sixteen urlwordsNN and the view over them.
func tableName(name string) string {
	if contentRE.MatchString(name) {
		return "urlwords"
	}
	return name
}

// ReadSchema reads docs/schema.sql.
func ReadSchema(path string) (*Schema, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	src, s := string(b), &Schema{tables: map[string]*table{}, made: map[string]bool{}, views: map[string]string{}}
	for _, m := range createRE.FindAllStringSubmatch(src, -1) {
		t := &table{}
		for _, c := range columnRE.FindAllStringSubmatch(m[2], -1) {
			t.columns = append(t.columns, strings.Trim(c[1], `"`))
		}
		s.tables[tableName(m[1])] = t
	}
	for _, m := range familyRE.FindAllStringSubmatch(src, -1) {
		if t := s.tables[tableName(m[1])]; t != nil {
			t.named = true
			if m[2] != "local" {
				t.family = m[2]
			}
		}
	}
	for _, m := range viewRE.FindAllStringSubmatch(src, -1) {
		if m[1] != "urlwords" {
			s.views[m[1]] = m[2]
			s.Views = append(s.Views, Statement{Name: "view " + m[1], At: path, Text: m[2]})
		}
	}
	for _, m := range functionRE.FindAllStringSubmatch(src, -1) {
		s.Functions = append(s.Functions, Statement{Name: "function " + m[1], At: path, Text: m[4] + m[5] + "(" + m[6] + ")", SQL: m[2] == "sql"})
	}
	return s, nil
}

// pieces returns the statements in the body of a function.
func pieces(body string) (list []string) {
	t := tokens(body)
	text := func(lo, hi int) string {
		var b strings.Builder
		for _, x := range t[lo:hi] {
			b.WriteString(x.text + " ")
		}
		return b.String()
	}
	begins := map[string]bool{"": true, ";": true, "begin": true, "then": true, "else": true, "loop": true, "query": true, "in": true, "(": true, "atomic": true}
	before := ""
	for i := 0; i < len(t); i++ {
		first := t[i].text
		if t[i].kind == word && begins[before] {
			switch first {
			case "perform":
				t[i].text = "select"
				fallthrough
			case "select", "with", "insert", "update", "delete":
				depth, k := 0, i
				for ; k < len(t); k++ {
					switch t[k].text {
					case "(":
						depth++
					case ")":
						depth--
					}
					if depth < 0 || depth == 0 && (t[k].text == ";" || t[k].text == "loop") {
						break
					}
				}
				list = append(list, text(i, k))
				i = k - 1
			}
		}
		before = t[i].text
	}
	return list
}
