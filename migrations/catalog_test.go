package migrations_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
)

const schemaDoc = "../docs/schema.md"

var update = flag.Bool("update", false, "write the sections of docs/schema.md that are made from the catalog")

// section matches a part of the document between `<!-- KIND: NAME -->` and `<!-- end -->`.
var section = regexp.MustCompile(`(?s)<!-- (table|view|functions|sequences): ([A-Za-z0-9_]+) -->\n(.*?)<!-- end -->`)

// TestDocumentEqualsCatalog compares docs/schema.md with the catalog: COMMENT ON is the source of its column texts, so docs/schema.md and
// \d+ show the same. After a change of the schema: make schema
func TestDocumentEqualsCatalog(t *testing.T) {
	_, conn := connect(t)
	doc := readDocument(t)
	have := map[string]bool{}
	made := section.ReplaceAllStringFunc(doc, func(old string) string {
		m := section.FindStringSubmatch(old)
		kind, name := m[1], m[2]
		have[kind+" "+name] = true
		return fmt.Sprintf("<!-- %s: %s -->\n%s<!-- end -->", kind, name, renderSection(t, conn, kind, name))
	})
	for _, want := range wantedSections(t, conn) {
		if !have[want] {
			t.Errorf("docs/schema.md has no section for %s", want)
		}
	}
	if opened := strings.Count(doc, "<!-- "); opened != 2*len(have) {
		t.Errorf("docs/schema.md has %d markers, %d sections: one is not closed or stands twice", opened, len(have))
	}
	if made == doc {
		return
	}
	if *update {
		if err := os.WriteFile(schemaDoc, []byte(made), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("docs/schema.md differs from the catalog (run with -update); -document +catalog:\n%s",
		cmp.Diff(strings.Split(doc, "\n"), strings.Split(made, "\n")))
}

func readDocument(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(schemaDoc)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// wantedSections names a section for everything in the schema.
func wantedSections(t *testing.T, conn *pgx.Conn) []string {
	list := column[string](t, conn, `
		SELECT DISTINCT CASE relkind WHEN 'v' THEN 'view ' ELSE 'table ' END || regexp_replace(relname, '^urlwords\d\d$', 'urlwordsNN')
		FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v') AND relname !~ '^goose_db_version'
		ORDER BY 1`)
	return append(list, "functions all", "sequences all")
}

// renderSection returns the text between the markers of a section.
func renderSection(t *testing.T, conn *pgx.Conn, kind, name string) string {
	t.Helper()
	switch {
	case kind == "functions":
		return functionTable(t, conn)
	case kind == "sequences":
		return sequenceTable(t, conn)
	case name != "urlwordsNN":
		return renderRelation(t, conn, name)
	}
	// The sixteen tables are described once. They differ only in their number.
	var first string
	for n := range 16 {
		one := renderRelation(t, conn, fmt.Sprintf("urlwords%02d", n))
		for _, r := range [][2]string{
			{fmt.Sprintf("(url_id %% 16) = %d)", n), "(url_id % 16) = NN)"},
			{fmt.Sprintf("mod 16 is %d:", n), "mod 16 is NN:"},
		} {
			if !strings.Contains(one, r[0]) {
				t.Errorf("urlwords%02d: %q is missing", n, r[0])
			}
			one = strings.ReplaceAll(one, r[0], r[1])
		}
		if first == "" {
			first = one
		} else if one != first {
			t.Errorf("urlwords%02d is not like urlwords00 (-urlwords00 +urlwords%02d):\n%s", n, n, cmp.Diff(first, one))
		}
	}
	return first
}

const columnsSQL = `
	SELECT a.attname, format_type(a.atttypid, a.atttypmod),
		a.attnotnull OR c.relkind = 'v',
		CASE WHEN a.attidentity <> '' THEN 'identity' ELSE coalesce('default ' || pg_get_expr(d.adbin, d.adrelid), '') END,
		CASE WHEN a.attstorage = y.typstorage OR c.relkind = 'v' THEN ''
			ELSE CASE a.attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END END,
		coalesce(col_description(a.attrelid, a.attnum), '')
	FROM pg_attribute a
	JOIN pg_class c ON c.oid = a.attrelid
	JOIN pg_type y ON y.oid = a.atttypid
	LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
	WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped
	ORDER BY a.attnum`

const indexesSQL = `
	SELECT c.relname, i.indisprimary, i.indisunique,
		regexp_replace(pg_get_indexdef(c.oid, 0, true), '^CREATE (UNIQUE )?INDEX .* USING (btree )?', ''),
		coalesce(obj_description(c.oid, 'pg_class'), '')
	FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
	WHERE i.indrelid = $1::regclass
	ORDER BY i.indisprimary DESC, c.relname`

const constraintsSQL = `
	SELECT pg_get_constraintdef(oid, true)
	FROM pg_constraint
	WHERE conrelid = $1::regclass AND contype IN ('c', 'f', 'x')
	ORDER BY conkey, conname`

// renderRelation describes a table or view: comment, columns, indexes, constraints and options.
func renderRelation(t *testing.T, conn *pgx.Conn, name string) string {
	t.Helper()
	var b strings.Builder
	about := column[string](t, conn, `SELECT coalesce(obj_description(to_regclass($1), 'pg_class'), '')`, "public."+name)
	fmt.Fprintf(&b, "%s\n\n| column | type | meaning |\n|---|---|---|\n", about[0])
	type col struct {
		Name, Type       string
		NotNull          bool
		Default, Storage string
		Comment          string
	}
	for _, c := range collect[col](t, conn, columnsSQL, name) {
		if name == "wordfile" && c.Name == "urls" && !hasLZ4(t, conn) {
			c.Storage = "" // as on a server with lz4
		}
		kind := shortType(c.Type)
		if !c.NotNull {
			kind += " or NULL"
		}
		for _, more := range []string{shortDefault(c.Default), c.Storage} {
			if more != "" {
				kind += ", " + more
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", c.Name, kind, cell(c.Comment))
	}
	type index struct {
		Name               string
		Primary, Unique    bool
		Definition, Serves string
	}
	headed := false
	for _, x := range collect[index](t, conn, indexesSQL, name) {
		on := "`" + shortExpr(x.Definition) + "`"
		if x.Primary {
			fmt.Fprintf(&b, "\nPrimary key: %s.\n", on)
			continue
		}
		if !headed {
			b.WriteString("\n| index | on | serves |\n|---|---|---|\n")
			headed = true
		}
		if x.Unique {
			on += ", unique"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", x.Name, on, cell(x.Serves))
	}
	if checks := column[string](t, conn, constraintsSQL, name); len(checks) > 0 {
		for i := range checks {
			checks[i] = "`" + shortExpr(checks[i]) + "`"
		}
		fmt.Fprintf(&b, "\nConstraints: %s.\n", strings.Join(checks, ", "))
	}
	options := column[string](t, conn, `
		SELECT array_to_string(reloptions, ', ') FROM pg_class WHERE oid = $1::regclass AND reloptions IS NOT NULL`, name)
	if len(options) > 0 {
		fmt.Fprintf(&b, "\nOptions: `%s`.\n", options[0])
	}
	return b.String()
}

func functionTable(t *testing.T, conn *pgx.Conn) string {
	type function struct{ Name, Args, Returns, Comment string }
	var b strings.Builder
	b.WriteString("| function | returns | meaning |\n|---|---|---|\n")
	for _, f := range collect[function](t, conn, `
		SELECT proname, pg_get_function_arguments(oid),
			CASE WHEN proretset AND proallargtypes IS NOT NULL
				THEN (SELECT 'rows of (' || string_agg(proargnames[i] || ' ' || format_type(proallargtypes[i], NULL), ', ' ORDER BY i) || ')'
					FROM generate_series(1, cardinality(proallargtypes)) i WHERE proargmodes[i] IN ('o', 't'))
				ELSE pg_get_function_result(oid) END,
			coalesce(obj_description(oid, 'pg_proc'), '')
		FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY proname`) {
		args, _, _ := strings.Cut(f.Args, ", OUT ")
		fmt.Fprintf(&b, "| `%s(%s)` | %s | %s |\n", f.Name, args, f.Returns, cell(f.Comment))
	}
	return b.String()
}

func sequenceTable(t *testing.T, conn *pgx.Conn) string {
	type sequence struct{ Name, Comment string }
	var b strings.Builder
	b.WriteString("| sequence | meaning |\n|---|---|\n")
	for _, s := range collect[sequence](t, conn, `
		SELECT relname, coalesce(obj_description(oid, 'pg_class'), '') FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind = 'S' AND relname !~ '^goose_db_version' ORDER BY relname`) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", s.Name, cell(s.Comment))
	}
	return b.String()
}

var (
	cast       = regexp.MustCompile(`::("char"|[a-z]+( with time zone)?)(\[\])?`)
	doubled    = regexp.MustCompile(`\(\(([^()]*)\)\)`)
	identifier = strings.NewReplacer("timestamp with time zone", "timestamptz")
)

func shortType(s string) string { return identifier.Replace(s) }

func shortDefault(s string) string { return cast.ReplaceAllString(s, "") }

// shortExpr takes casts and doubled parentheses out of what the server prints.
func shortExpr(s string) string {
	return doubled.ReplaceAllString(cast.ReplaceAllString(s, ""), "($1)")
}

// cell makes a text fit into a table.
func cell(s string) string { return strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(s) }
