package shape

import "slices"

var joinWords = []string{"join", "left", "right", "full", "inner", "cross", "natural", "outer"}

// joins reports whether a join begins at i. left and right are functions, too.
func (p *reader) joins(i int) bool {
	return p.is(i, joinWords...) && !p.sign(i+1, "(") || p.is(i, "join")
}

// from reads the items of FROM and the conditions of their joins.
func (p *reader) from(q *query, i, hi int) {
	for i < hi {
		switch {
		case p.sign(i, ",") || p.joins(i):
			i++
		case p.is(i, "on"):
			end := i + 1
			for end < hi && !p.sign(end, ",") && !p.joins(end) {
				end = p.after(end)
			}
			p.expression(q, i+1, end, "on")
			p.conditions(q, i+1, end)
			i = end
		case p.is(i, "using") && p.sign(i+1, "("):
			names, end := p.names(i + 1)
			this := q.items[len(q.items)-1]
			for _, name := range names {
				for _, x := range q.items[:len(q.items)-1] {
					if p.has(x, name) {
						q.equal = append(q.equal, [2]operand{{alias: x.alias, column: name}, {alias: this.alias, column: name}})
						break
					}
				}
			}
			i = end
		default:
			i = p.item(q, i, hi)
		}
	}
}

// item reads one item of FROM and returns the place behind it.
func (p *reader) item(q *query, i, hi int) int {
	p.items++
	x := &item{id: p.items}
	if p.is(i, "lateral") {
		x.lateral = true
		i++
	}
	if p.is(i, "only") {
		i++
	}
	switch {
	case p.opens(i):
		x.q = p.query(i+1, p.match[i], q)
		i = p.after(i)
	case p.sign(i, "("): // joins in parentheses
		p.from(q, i+1, p.match[i])
		if i = p.after(i); p.is(i, "as") {
			i++
		}
		if i < hi && p.t[i].kind == word && !p.joins(i) && !p.is(i, "on", "using") {
			i++
		}
		return i
	case i < hi && p.t[i].kind == word:
		for p.sign(i+1, ".") {
			i += 2
		}
		x.table = p.t[i].text
		if i++; i < hi && p.sign(i, "(") {
			x.function = true
			p.expression(q, i+1, p.match[i], "from")
			i = p.after(i)
		} else if c := q.lookUp(x.table); c != nil {
			x.cte = c
			c.uses++
		} else if text, ok := p.schema.views[x.table]; ok {
			x.q = parse(text, p.schema)
		} else {
			x.table = tableName(x.table)
		}
		x.alias = x.table
	default:
		return p.after(i)
	}
	q.items = append(q.items, x)
	if p.is(i, "with") { // ORDINALITY
		i += 2
	}
	if p.is(i, "as") {
		i++
	}
	if i < hi && p.t[i].kind == word && !p.joins(i) && !p.is(i, "on", "using", "set", "where") {
		x.alias = p.t[i].text
		i++
	}
	if i < hi && p.sign(i, "(") {
		x.columns, i = p.names(i)
	}
	return i
}

// lookUp finds the CTE of a name.
func (q *query) lookUp(name string) *cte {
	for ; q != nil; q = q.parent {
		for _, c := range q.ctes {
			if c.name == name {
				return c
			}
		}
	}
	return nil
}

// has reports whether an item has a column.
func (p *reader) has(x *item, column string) bool {
	if x.columns != nil {
		return slices.Contains(x.columns, column)
	}
	if x.cte != nil && x.cte.columns != nil {
		return slices.Contains(x.cte.columns, column)
	}
	of := x.q
	if x.cte != nil {
		of = x.cte.q
	}
	switch {
	case of != nil:
		return slices.ContainsFunc(of.out, func(c outColumn) bool { return c.name == column })
	case x.function:
		return x.alias == column
	}
	t := p.schema.tables[x.table]
	return t != nil && slices.Contains(t.columns, column)
}
