package shape

import (
	"fmt"
	"slices"
)

// unit is a part of a statement that a distributed database sends to its nodes as a whole: a query with its correlated
// sub-selects and the sub-selects of FROM that are only joins. What is behind MATERIALIZED, and a sub-select that stands for
// itself, is a unit of its own.
type unit struct {
	l       *lint
	tables  []member
	nested  []nested
	parent  map[string]string // union-find over columns and parameters
	queries []*query
}

type member struct {
	x     *item
	key   string
	level *query // the correlated sub-select that it is in, or the query of the unit
}

// nested is a correlated sub-select.
type nested struct {
	q, outer *query // outer is the level around it
	lateral  bool
}

func newUnit(l *lint) *unit { return &unit{l: l, parent: map[string]string{}} }

// unit checks a query, and those that are units of their own.
func (l *lint) unit(q *query) {
	if q == nil || l.seen[q] {
		return
	}
	l.seen[q] = true
	if len(q.arms) > 0 && !l.schema.correlated(q, q) {
		for _, c := range q.ctes {
			l.cte(c)
		}
		for _, a := range q.arms {
			l.unit(a)
		}
		return
	}
	u := newUnit(l)
	u.collect(q, q, false)
	u.check()
	for _, x := range u.queries {
		l.locks(u, x)
	}
}

// cte checks a CTE that is not a part of a query.
func (l *lint) cte(c *cte) {
	if c.q != nil && (!inline(c) || c.uses == 0) {
		l.unit(c.q)
	}
}

// inline reports whether the planner may put a CTE into the query that names it.
func inline(c *cte) bool {
	return c.q != nil && !c.materialized && !c.recursive && c.uses == 1 && (c.q.kind == "select" || c.q.kind == "union")
}

// collect adds a query to the unit. probe is for looks at one level only.
func (u *unit) collect(q, level *query, probe bool) {
	u.queries = append(u.queries, q)
	u.l.seen[q] = u.l.seen[q] || !probe
	for _, c := range q.ctes {
		if !probe {
			u.l.cte(c)
		}
	}
	for _, a := range q.arms {
		u.collect(a, level, probe)
	}
	for _, x := range q.items {
		switch {
		case x.function:
		case x.cte != nil:
			if inline(x.cte) && plain(x.cte.q) {
				u.collect(x.cte.q, level, probe)
				u.tie(x, x.cte.q, x.cte.columns)
			} else if inline(x.cte) && !probe {
				u.l.unit(x.cte.q)
			}
		case x.q != nil:
			switch {
			case u.l.schema.correlated(x.q, x.q):
				if !probe {
					u.nested = append(u.nested, nested{x.q, level, true})
				}
				u.collect(x.q, x.q, probe)
				u.tie(x, x.q, nil)
			case plain(x.q):
				u.collect(x.q, level, probe)
				u.tie(x, x.q, nil)
			case !probe:
				u.l.unit(x.q)
			}
		case u.l.key(x) != "" || u.l.schema.tables[x.table] != nil:
			u.tables = append(u.tables, member{x, u.l.key(x), level})
		}
	}
	for _, s := range q.subs {
		if u.l.schema.correlated(s.q, s.q) {
			if !probe {
				u.nested = append(u.nested, nested{s.q, level, false})
			}
			u.collect(s.q, s.q, probe)
		} else if !probe {
			u.l.unit(s.q)
		}
	}
	for _, e := range q.equal {
		if l, r := u.node(q, e[0]), u.node(q, e[1]); l != "" && r != "" {
			u.join(l, r)
		}
	}
}

// plain reports whether a sub-select of FROM is only a join, which the planner unites with the query around it.
func plain(q *query) bool {
	return q.kind == "select" && !q.limit && !q.groups && !q.lock && len(q.arms) == 0
}

// tie makes the columns of a sub-select equal to those that they come from.
func (u *unit) tie(x *item, q *query, names []string) {
	arms := q.arms
	if len(arms) == 0 {
		arms = []*query{q}
	}
	if x.columns != nil {
		names = x.columns
	}
	for _, a := range arms {
		for i, c := range a.out {
			name := c.name
			if i < len(names) {
				name = names[i]
			}
			if from := u.node(a, c.from); from != "" && name != "" {
				u.join(node(x, name), from)
			}
		}
	}
}

func node(x *item, column string) string { return fmt.Sprintf("%d.%s", x.id, column) }

// check checks the tables of the unit.
func (u *unit) check() {
	has := map[*query]bool{} // levels with a distributed table
	for _, m := range u.tables {
		has[m.level] = has[m.level] || m.key != ""
	}
	if len(has) == 0 {
		return
	}
	outer := map[*query]*query{}
	for _, n := range u.nested {
		outer[n.q] = n.outer
	}
	some := false
	for _, h := range has {
		some = some || h
	}
	if !some {
		return
	}
	var first *member
	for i := range u.tables {
		m := &u.tables[i]
		above := false
		for q := outer[m.level]; q != nil; q = outer[q] {
			above = above || has[q]
		}
		_, inner := outer[m.level]
		switch {
		case m.key == "" && inner:
			u.l.add(Local, "a correlated sub-select reads the local table %s", m.x.table)
		case m.key == "":
		case inner && !above:
			u.nestedBreak(m, "no distributed table is around it")
		case first == nil:
			first = m
		case first.key != m.key && !u.same(first, m):
			u.l.add(Join, "%s (by %s) with %s (by %s)", first.x.table, first.key, m.x.table, m.key)
		case !u.same(first, m) && inner:
			u.nestedBreak(m, "not tied by "+m.key)
		case !u.same(first, m):
			u.l.add(Join, "%s with %s, not on %s", first.x.table, m.x.table, m.key)
		case first.key != m.key:
			u.l.add(Join, "%s (by %s) with %s (by %s)", first.x.table, first.key, m.x.table, m.key)
		}
	}
}

func (u *unit) same(a, b *member) bool { return u.root(node(a.x, a.key)) == u.root(node(b.x, b.key)) }

func (u *unit) nestedBreak(m *member, why string) {
	for _, n := range u.nested {
		if n.q == m.level && n.lateral && n.q.limit {
			u.l.add(Limit, "LATERAL with LIMIT over %s: %s", m.x.table, why)
			return
		}
	}
	u.l.add(Correlated, "a correlated sub-select over %s: %s", m.x.table, why)
}

// locks checks FOR UPDATE.
func (l *lint) locks(u *unit, q *query) {
	if !q.lock {
		return
	}
	for _, x := range q.items {
		key := l.key(x)
		if key == "" || len(q.lockOf) > 0 && !slices.Contains(q.lockOf, x.alias) {
			continue
		}
		if !u.fixed(node(x, key)) {
			l.add(Lock, "FOR UPDATE of %s by another condition than %s = $n", x.table, key)
		}
	}
}
