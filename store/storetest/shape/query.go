package shape

import "slices"

// query is one SELECT, INSERT, UPDATE or DELETE, or several SELECTs that UNION and the like connect (arms).
type query struct {
	kind   string
	parent *query
	ctes   []*cte
	arms   []*query
	items  []*item // FROM and USING, and the table that is written
	into   *item   // the table that is written
	subs   []*sub  // sub-selects in expressions
	equal  [][2]operand
	refs   []operand // columns that expressions name
	out    []outColumn

	set, conflict []lexeme // SET, and DO UPDATE SET
	where         []lexeme
	empty         bool // an empty target list
	limit, groups bool
	lock          bool     // FOR UPDATE or FOR SHARE
	lockOf        []string // the aliases that it locks, empty for all
	t             []lexeme
}

type cte struct {
	name         string
	q            *query
	columns      []string
	materialized bool
	recursive    bool
	uses         int
}

// item is a table, a sub-select, a CTE or a function in FROM.
type item struct {
	table, alias string
	q            *query // of a sub-select
	cte          *cte
	function     bool
	lateral      bool
	columns      []string // names that the alias gives
	id           int
}

// sub is a sub-select in an expression.
type sub struct {
	q      *query
	clause string
}

// operand is a column, a parameter or something else.
type operand struct {
	alias, column string
	param         string
}

// outColumn is a column of a result.
type outColumn struct {
	name string
	from operand // where it is a plain column
}

type reader struct {
	t      []lexeme
	match  map[int]int
	schema *Schema
	items  int
}

// parse reads a statement. It is nil for one that is neither SELECT nor INSERT, UPDATE or DELETE.
func parse(sql string, s *Schema) *query {
	p := &reader{t: tokens(sql), match: map[int]int{}, schema: s}
	for len(p.t) > 0 && p.t[len(p.t)-1].text == ";" {
		p.t = p.t[:len(p.t)-1]
	}
	var open []int
	for i, t := range p.t {
		switch {
		case t.kind != sign:
		case t.text == "(" || t.text == "[":
			open = append(open, i)
		case (t.text == ")" || t.text == "]") && len(open) > 0:
			p.match[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
	return p.query(0, len(p.t), nil)
}

func (p *reader) is(i int, words ...string) bool {
	return i < len(p.t) && i >= 0 && p.t[i].kind == word && slices.Contains(words, p.t[i].text) && (i == 0 || p.t[i-1].text != ".")
}

func (p *reader) sign(i int, s string) bool {
	return i < len(p.t) && i >= 0 && p.t[i].kind == sign && p.t[i].text == s
}

// after returns the place behind a token, or behind the group that it opens.
func (p *reader) after(i int) int {
	if m, ok := p.match[i]; ok {
		return m + 1
	}
	return i + 1
}

// find returns the place of the first of some keywords outside of parentheses.
func (p *reader) find(lo, hi int, words ...string) int {
	for i := lo; i < hi; i = p.after(i) {
		if p.is(i, words...) && !p.is(i-1, "distinct", "within", "as") {
			return i
		}
		if p.is(i, words...) && p.is(i, "from") && p.is(i-1, "distinct") && !p.is(i-2, "is", "not") {
			return i
		}
	}
	return hi
}

// selects reports whether a query begins at i.
func (p *reader) selects(i int) bool {
	for p.sign(i, "(") {
		i++
	}
	return p.is(i, "select", "with", "values", "insert", "update", "delete")
}

// opens reports whether a query in parentheses is at i. Several in a list of arguments are no query.
func (p *reader) opens(i int) bool {
	if !p.sign(i, "(") || p.match[i] == 0 {
		return false
	}
	if next := p.after(i + 1); p.sign(i+1, "(") && !p.is(next, "union", "intersect", "except", "order", "limit") && next != p.match[i] {
		return false
	}
	return p.selects(i + 1)
}

func (p *reader) query(lo, hi int, parent *query) *query {
	q := &query{parent: parent, t: p.t[lo:hi]}
	if p.is(lo, "with") {
		lo = p.ctes(q, lo+1)
	}
	start := lo
	for i := lo; ; {
		end := p.find(i, hi, "union", "intersect", "except")
		if end == hi && start == lo && !p.sign(lo, "(") {
			p.single(q, lo, hi)
			return q
		}
		a, b := start, end
		if p.sign(a, "(") {
			tail := p.match[a] + 1
			if tail < b {
				q.limit = true // LIMIT or ORDER BY of the whole
			}
			a, b = a+1, tail-1
		}
		if start == lo && end == hi { // a query in parentheses
			q.kind = "union"
		}
		q.arms = append(q.arms, p.query(a, b, q))
		if end == hi {
			break
		}
		if start = end + 1; p.is(start, "all", "distinct") {
			start++
		}
		i = start
	}
	q.kind = "union"
	q.out = q.arms[0].out
	return q
}

// ctes reads the queries of WITH and returns the place behind them.
func (p *reader) ctes(q *query, i int) int {
	recursive := p.is(i, "recursive")
	if recursive {
		i++
	}
	for {
		c := &cte{name: p.t[i].text, recursive: recursive}
		if i++; p.sign(i, "(") {
			c.columns, i = p.names(i)
		}
		i++ // AS
		if p.is(i, "not") {
			i += 2
		} else if p.is(i, "materialized") {
			c.materialized = true
			i++
		}
		if recursive { // it names itself
			q.ctes = append(q.ctes, c)
		}
		if end, ok := p.match[i]; ok {
			c.q = p.query(i+1, end, q)
			i = end + 1
		}
		if !recursive {
			q.ctes = append(q.ctes, c)
		}
		if !p.sign(i, ",") {
			return i
		}
		i++
	}
}

// names reads a list of names in parentheses.
func (p *reader) names(i int) (list []string, after int) {
	for k := i + 1; k < p.match[i]; k++ {
		if p.t[k].kind == word && (k == i+1 || p.sign(k-1, ",")) {
			list = append(list, p.t[k].text)
		}
	}
	return list, p.match[i] + 1
}
