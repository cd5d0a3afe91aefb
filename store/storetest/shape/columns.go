package shape

import (
	"slices"
	"strings"
)

// node returns the node of an operand, empty when it is no column or parameter.
func (u *unit) node(q *query, o operand) string {
	if o.param != "" {
		return o.param
	}
	if x, _ := u.l.schema.resolve(q, o); x != nil {
		return node(x, o.column)
	}
	return ""
}

func (u *unit) root(n string) string {
	for u.parent[n] != "" {
		n = u.parent[n]
	}
	return n
}

func (u *unit) join(a, b string) {
	if a, b = u.root(a), u.root(b); a != b {
		if strings.HasPrefix(a, "$") { // a parameter stays the root
			a, b = b, a
		}
		u.parent[a] = b
	}
}

// fixed reports whether a column equals a parameter.
func (u *unit) fixed(n string) bool { return strings.HasPrefix(u.root(n), "$") }

// resolve finds the item that a column belongs to, and the query in which that is.
func (s *Schema) resolve(q *query, o operand) (*item, *query) {
	if o.column == "" {
		return nil, nil
	}
	p := &reader{schema: s}
	for ; q != nil; q = q.parent {
		for _, x := range q.items {
			if o.alias == x.alias || o.alias == "" && p.has(x, o.column) {
				return x, q
			}
		}
	}
	return nil, nil
}

// correlated reports whether q, which is in top, names columns of queries around top.
func (s *Schema) correlated(q, top *query) bool {
	outside := func(o operand) bool {
		x, at := s.resolve(q, o)
		return x != nil && !at.within(top)
	}
	for _, e := range q.equal {
		if outside(e[0]) || outside(e[1]) {
			return true
		}
	}
	for _, x := range q.items {
		if x.q != nil && s.correlated(x.q, top) {
			return true
		}
	}
	return slices.ContainsFunc(q.refs, outside) ||
		slices.ContainsFunc(q.arms, func(a *query) bool { return s.correlated(a, top) }) ||
		slices.ContainsFunc(q.subs, func(b *sub) bool { return s.correlated(b.q, top) })
}

func (q *query) within(top *query) bool {
	for ; q != nil; q = q.parent {
		if q == top {
			return true
		}
	}
	return false
}
