package migrations_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

// sqlBlock is a query of the document.
var sqlBlock = regexp.MustCompile("(?s)```sql\n(.*?)```")

// variables are the psql variables that the document asks its readers to set, with values from testdata/fixture.sql.
var variables = map[string]string{
	"url":   "http://www.example.org/lost.html",
	"host":  "docs.example.org",
	"word":  "vacuum",
	"label": "example",
	"mask":  "http://www.example.org/l%",
}

// variable is :'name'; a cast (::text) is none.
var variable = regexp.MustCompile(`:'([a-z]+)'`)

// Every query of docs/schema.md runs, and finds or changes something in a small index that has a row for each of them.
func TestDocumentQueries(t *testing.T) {
	ctx, conn := connectFilled(t)
	blocks := sqlBlock.FindAllStringSubmatchIndex(readDocument(t), -1)
	if len(blocks) < 20 {
		t.Fatalf("found %d queries in docs/schema.md", len(blocks))
	}
	doc := readDocument(t)
	used := map[string]bool{}
	for _, at := range blocks {
		query := doc[at[2]:at[3]]
		line := 1 + strings.Count(doc[:at[2]], "\n")
		t.Run(fmt.Sprintf("line %d", line), func(t *testing.T) {
			query := variable.ReplaceAllStringFunc(query, func(v string) string {
				name := variable.FindStringSubmatch(v)[1]
				value, ok := variables[name]
				if !ok {
					t.Fatalf("the variable %s has no value here", v)
				}
				used[name] = true
				return "'" + value + "'"
			})
			runQuery(ctx, t, conn, query)
		})
	}
	for name := range variables {
		if !used[name] {
			t.Errorf("no query uses the variable %q", name)
		}
	}
}

// runQuery runs the statements of one block in a transaction that is rolled back.
func runQuery(ctx context.Context, t *testing.T, conn *pgx.Conn, query string) {
	t.Helper()
	if _, err := conn.Exec(ctx, `BEGIN`); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := conn.Exec(ctx, `ROLLBACK`); err != nil {
			t.Error(err)
		}
	}()
	// A crawl is running, for the queries that look for its locks: lockClass and its key in store/lock.go.
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_xact_lock(1885827941, 1)`); err != nil {
		t.Fatal(err)
	}
	results, err := conn.PgConn().Exec(ctx, query).ReadAll()
	if err != nil {
		t.Fatalf("%v\n%s", err, query)
	}
	for i, r := range results {
		tag := r.CommandTag
		if (tag.Select() || tag.Insert() || tag.Update() || tag.Delete()) && tag.RowsAffected() == 0 {
			t.Errorf("statement %d finds nothing in the fixture:\n%s", i+1, query)
		}
	}
}

// tableCell is the first cell of a row of a Markdown table.
var tableCell = regexp.MustCompile(`(?m)^\| ([^|]*) \|`)

// chapter returns the part of the document under a heading, up to the next one of its level or above.
func chapter(t *testing.T, heading string) string {
	t.Helper()
	_, text, ok := strings.Cut(readDocument(t), "\n"+heading+"\n")
	if !ok {
		t.Fatalf("docs/schema.md has no heading %q", heading)
	}
	level := strings.IndexByte(heading, ' ')
	end := regexp.MustCompile(`(?m)^#{1,` + strconv.Itoa(level) + `} `).FindStringIndex(text)
	if end != nil {
		text = text[:end[0]]
	}
	return text
}

// firstCells returns the first cells of the rows of all tables in a text, without their heads.
func firstCells(text string) (cells []string) {
	for _, m := range tableCell.FindAllStringSubmatch(regexp.MustCompile(`(?m)^\|.*\|\n\|---.*\|\n`).ReplaceAllString(text, ""), -1) {
		cells = append(cells, strings.Trim(m[1], "`"))
	}
	return cells
}

// Chapter 2 says of each table once which programs write and read it and how it grows.
func TestDocumentTellsOfEachTable(t *testing.T) {
	_, conn := connect(t)
	mentions := map[string]int{}
	for _, c := range firstCells(chapter(t, "## 2. The tables at a glance")) {
		for _, name := range strings.Split(c, "`, `") {
			mentions[name]++
		}
	}
	for _, s := range wantedSections(t, conn) {
		if name, ok := strings.CutPrefix(s, "table "); ok && mentions[name] != 1 {
			t.Errorf("table %s is described %d times", name, mentions[name])
		}
	}
	for _, v := range wantedSections(t, conn) {
		if name, ok := strings.CutPrefix(v, "view "); ok && !strings.Contains(readDocument(t), "\n### `"+name+"`\n") {
			t.Errorf("view %s has no heading", name)
		}
	}
}

// The table of transitions in the document holds exactly the transitions of spider/transition.go, in their order.
func TestDocumentTransitions(t *testing.T) {
	if diff := cmp.Diff(codeTransitions(t), firstCells(chapter(t, "## 6. Status transitions"))); diff != "" {
		t.Errorf("transitions (-code +document):\n%s", diff)
	}
}

// codeTransitions reads the ids of the rows out of the source.
func codeTransitions(t *testing.T) (rows []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../spider/transition.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		v := g.Specs[0].(*ast.ValueSpec)
		if v.Names[0].Name != "transitions" {
			continue
		}
		for _, row := range v.Values[0].(*ast.CompositeLit).Elts {
			id, err := strconv.Unquote(row.(*ast.CompositeLit).Elts[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, id)
		}
	}
	if len(rows) == 0 {
		t.Fatal("no transitions found in spider/transition.go")
	}
	return rows
}
