package shape

import (
	"fmt"
	"slices"
	"strings"
)

// The rules, by the names that the list of exceptions uses.
const (
	NoColumns   = "no-columns"   // SELECT FROM
	Slice       = "slice"        // an array slice in SET
	Clock       = "clock"        // now() in DO UPDATE SET
	TimeSum     = "time-sum"     // time + interval of a column in SET
	Lock        = "lock"         // FOR UPDATE by anything but one key
	SubSelect   = "sub-select"   // a sub-select in DO UPDATE SET
	Join        = "join"         // two tables that are not joined on the column by which they are distributed
	Correlated  = "correlated"   // a correlated sub-select that is not tied to the outer table by that column
	Local       = "local"        // a correlated sub-select that reads a local table
	Limit       = "limit"        // LATERAL with LIMIT that is not tied by that column
	Target      = "target"       // a sub-select over distributed tables in the target list of a query over others
	Wide        = "wide"         // a key compared with a bigint: a node looks for its value among integers
	Recursive   = "recursive"    // a recursive CTE without a fixed key
	Volatile    = "volatile"     // nextval and the like in UPDATE
	SQLFunction = "sql-function" // a function in LANGUAGE sql
	Unknown     = "unknown"      // a name that is no table
	Unread      = "unread"       // a table that this package did not find in the statement: mend the package
)

// Break is a rule that a statement breaks, and where.
type Break struct {
	Rule, Detail string
}

// Check returns the rules that a statement breaks.
func Check(sql string, s *Schema) []Break {
	l := &lint{schema: s, seen: map[*query]bool{}}
	q := parse(sql, s)
	l.unit(q)
	l.each(q, l.rules)
	l.unread(q)
	slices.SortFunc(l.breaks, func(a, b Break) int { return strings.Compare(a.Rule+a.Detail, b.Rule+b.Detail) })
	return slices.Compact(l.breaks)
}

// CheckFunction returns the rules that the body of a function breaks.
func CheckFunction(f Statement, s *Schema) (list []Break) {
	for _, sql := range pieces(f.Text) {
		list = append(list, Check(sql, s)...)
		if !f.SQL {
			continue
		}
		l := &lint{schema: s}
		l.each(parse(sql, s), func(q *query) {
			for _, x := range q.items {
				if l.key(x) != "" {
					list = append(list, Break{SQLFunction, "a function in LANGUAGE sql reads " + x.table})
				}
			}
		})
	}
	return list
}

type lint struct {
	schema *Schema
	breaks []Break
	seen   map[*query]bool // queries of units that were checked
}

func (l *lint) add(rule, format string, args ...any) {
	l.breaks = append(l.breaks, Break{rule, fmt.Sprintf(format, args...)})
}

// key returns the column by which a table is distributed, empty for a local one.
func (l *lint) key(x *item) string {
	if x == nil || x.q != nil || x.cte != nil || x.function {
		return ""
	}
	if t := l.schema.tables[x.table]; t != nil {
		return t.family
	}
	return ""
}

// each calls do with a query and all below it.
func (l *lint) each(q *query, do func(*query)) {
	do(q)
	for _, c := range q.ctes {
		if c.q != nil {
			l.each(c.q, do)
		}
	}
	for _, a := range q.arms {
		l.each(a, do)
	}
	for _, x := range q.items {
		if x.q != nil {
			l.each(x.q, do)
		}
	}
	for _, s := range q.subs {
		l.each(s.q, do)
	}
}

// rules checks the rules of one query.
func (l *lint) rules(q *query) {
	if q.empty {
		l.add(NoColumns, "SELECT without a column")
	}
	for _, x := range q.items {
		if x.q == nil && x.cte == nil && !x.function && l.schema.tables[x.table] == nil && !l.schema.known(x.table) {
			l.add(Unknown, "%s is no table or view", x.table)
		}
	}
	for _, c := range q.ctes {
		if c.recursive && c.q != nil {
			l.recursive(c)
		}
	}
	l.wide(q)
	if slices.ContainsFunc(q.items, func(x *item) bool { return l.key(x) != "" }) {
		for _, s := range q.subs {
			if s.clause == "select" && !l.schema.correlated(s.q, s.q) && l.distributed(s.q) {
				l.add(Target, "the target list has a sub-select over other rows")
			}
		}
	}
	key := l.key(q.into)
	if key == "" {
		return
	}
	table := q.into.table
	for _, set := range [][]lexeme{q.set, q.conflict} {
		if slice(set) {
			l.add(Slice, "SET of %s has an array slice", table)
		}
		if f := calls(set, "nextval", "random", "gen_random_uuid"); f != "" {
			l.add(Volatile, "SET of %s calls %s", table, f)
		}
		for _, a := range assignments(set) {
			if timeSum(a) {
				l.add(TimeSum, "SET of %s adds an interval to a column", table)
			}
		}
	}
	if f := calls(q.set, "clock_timestamp"); f != "" {
		l.add(Volatile, "SET of %s calls %s", table, f)
	}
	if f := calls(q.where, "nextval", "random", "clock_timestamp", "gen_random_uuid"); f != "" && q.kind != "select" {
		l.add(Volatile, "%s of %s calls %s", strings.ToUpper(q.kind), table, f)
	}
	if f := calls(q.conflict, "now", "clock_timestamp", "statement_timestamp", "transaction_timestamp", "current_timestamp", "current_date", "localtimestamp"); f != "" {
		l.add(Clock, "DO UPDATE SET of %s has %s", table, f)
	}
	for _, s := range q.subs {
		if s.clause == "conflict" {
			l.add(SubSelect, "DO UPDATE SET of %s has a sub-select", table)
		}
	}
}

// distributed reports whether a query reads a distributed table.
func (l *lint) distributed(q *query) (yes bool) {
	l.each(q, func(q *query) {
		yes = yes || slices.ContainsFunc(q.items, func(x *item) bool { return l.key(x) != "" })
	})
	return yes
}

// wide looks for a comparison of a key with a bigint.
func (l *lint) wide(q *query) {
	for i, t := range q.where {
		if i+3 >= len(q.where) || t.kind != word || !strings.ContainsAny(q.where[i+1].text, "<>=") || q.where[i+2].kind != param || q.where[i+3].text != "::" {
			continue
		}
		o := operand{column: t.text}
		if i > 1 && q.where[i-1].text == "." {
			o.alias = q.where[i-2].text
		}
		if x, _ := l.schema.resolve(q, o); x != nil && o.column == l.key(x) && i+4 < len(q.where) && q.where[i+4].text == "bigint" {
			l.add(Wide, "%s of %s is compared with a bigint", o.column, x.table)
		}
	}
}

// recursive checks the tables of a recursive CTE.
func (l *lint) recursive(c *cte) {
	if len(c.q.arms) < 2 {
		return
	}
	for _, a := range c.q.arms[1:] {
		l.each(a, func(q *query) {
			for _, x := range q.items {
				if key := l.key(x); key != "" && !l.fixed(q, x, key) {
					l.add(Recursive, "%s reads %s without a fixed %s", c.name, x.table, key)
				}
			}
		})
	}
}

// fixed reports whether the key of a table is a parameter.
func (l *lint) fixed(q *query, x *item, key string) bool {
	u := newUnit(l)
	u.collect(q, q, true)
	return u.fixed(node(x, key))
}

// known reports whether a name is a table of the server or of a rebuild.
func (s *Schema) known(name string) bool {
	return strings.HasPrefix(name, "pg_") || slices.Contains(otherTables, name) || s.made[name]
}

// otherTables are names that docs/schema.sql does not make tables.
var otherTables = []string{"goose_db_version", "journal_seq", "wordfile_seq"}

// unread checks that the tree has each table that the text names.
func (l *lint) unread(q *query) {
	found := map[string]bool{}
	l.each(q, func(q *query) {
		for _, x := range q.items {
			found[x.table] = found[x.table] || !x.function
		}
	})
	for i, t := range q.t {
		if t.kind != word || i+1 == len(q.t) || !slices.Contains([]string{"from", "join", "into", "update", "using"}, t.text) {
			continue
		}
		i++
		for i+2 < len(q.t) && q.t[i+1].text == "." {
			i += 2
		}
		if name := tableName(q.t[i].text); q.t[i].kind == word && l.schema.tables[name] != nil && !found[name] {
			l.add(Unread, "%s", name)
		}
	}
	if q.kind == "other" {
		l.add(Unread, "the statement")
	}
}
