package shape

// Words that are no columns.
var keywords = map[string]bool{}

func init() {
	for _, w := range []string{
		"and", "or", "not", "null", "is", "true", "false", "case", "when", "then", "else", "end", "in", "any", "all", "some", "exists", "between", "like", "ilike",
		"as", "asc", "desc", "nulls", "first", "last", "distinct", "from", "by", "order", "partition", "rows", "range", "over", "filter", "where", "interval",
		"array", "row", "collate", "at", "time", "zone", "group", "having", "limit", "offset", "default", "on", "conflict", "do", "update", "nothing",
		"ordinality", "similar", "escape", "current_timestamp", "current_date", "excluded", "constraint", "for", "select", "only", "within",
	} {
		keywords[w] = true
	}
}

// expression collects the sub-selects and the columns of an expression.
func (p *reader) expression(q *query, lo, hi int, clause string) {
	for i := lo; i < hi && i < len(p.t); i++ {
		if p.opens(i) {
			q.subs = append(q.subs, &sub{p.query(i+1, p.match[i], q), clause})
			i = p.match[i]
			continue
		}
		if o, n := p.column(i, hi); n > 0 {
			q.refs = append(q.refs, o)
			i += n - 1
		}
	}
}

// column reads the name of a column and returns how many tokens it has, 0 when there is none.
func (p *reader) column(i, hi int) (o operand, n int) {
	if i >= hi || p.t[i].kind != word || p.sign(i-1, "::") || p.sign(i-1, ".") || p.is(i-1, "as") {
		return o, 0
	}
	if p.sign(i+1, ".") && i+2 < hi {
		switch {
		case p.sign(i+3, "(") || p.sign(i+3, "."): // a function of a schema
			return o, 0
		case p.sign(i+2, "*"):
			return operand{alias: p.t[i].text, column: "*"}, 3
		}
		return operand{alias: p.t[i].text, column: p.t[i+2].text}, 3
	}
	if keywords[p.t[i].text] || p.sign(i+1, "(") {
		return o, 0
	}
	return operand{column: p.t[i].text}, 1
}

// conditions collects the equations that a condition requires.
func (p *reader) conditions(q *query, lo, hi int) {
	if lo < hi && p.sign(lo, "(") && p.match[lo] == hi-1 && !p.selects(lo+1) {
		p.conditions(q, lo+1, hi-1)
		return
	}
	if p.find(lo, hi, "or") < hi {
		return
	}
	for start := lo; start < hi; {
		end := p.find(start, hi, "and")
		if p.find(start, end, "between") < end && end < hi {
			end = p.find(end+1, hi, "and")
		}
		p.condition(q, start, end)
		start = end + 1
	}
}

func (p *reader) condition(q *query, lo, hi int) {
	if lo < hi && p.sign(lo, "(") && p.match[lo] == hi-1 && !p.selects(lo+1) {
		p.conditions(q, lo, hi)
		return
	}
	for i := lo; i < hi; i = p.after(i) {
		if !p.sign(i, "=") {
			continue
		}
		if p.sign(lo, "(") && p.match[lo] == i-1 && p.sign(i+1, "(") && p.match[i+1] == hi-1 { // rows
			l, r := p.operands(lo+1, i-1), p.operands(i+2, hi-1)
			for k := range min(len(l), len(r)) {
				q.equal = append(q.equal, [2]operand{l[k], r[k]})
			}
			return
		}
		q.equal = append(q.equal, [2]operand{p.operand(lo, i), p.operand(i+1, hi)})
		return
	}
}

// operands reads a list of operands.
func (p *reader) operands(lo, hi int) (list []operand) {
	for start := lo; start <= hi; {
		end := start
		for end < hi && !p.sign(end, ",") {
			end = p.after(end)
		}
		list = append(list, p.operand(start, end))
		start = end + 1
	}
	return list
}

// operand reads a column or a parameter, perhaps with a cast. Anything else is the zero value.
func (p *reader) operand(lo, hi int) operand {
	for i := lo; i < hi; i++ {
		if p.sign(i, "::") {
			hi = i
			break
		}
	}
	if hi-lo == 1 && p.t[lo].kind == param {
		return operand{param: p.t[lo].text}
	}
	if o, n := p.column(lo, hi); n > 0 && n == hi-lo {
		return o
	}
	return operand{}
}

// targets reads a target list.
func (p *reader) targets(q *query, lo, hi int) {
	p.expression(q, lo, hi, "select")
	for start := lo; start < hi; {
		end := start
		for end < hi && !p.sign(end, ",") {
			end = p.after(end)
		}
		p.targetColumn(q, start, end)
		start = end + 1
	}
}

func (p *reader) targetColumn(q *query, lo, hi int) {
	c := outColumn{}
	last := hi - 1
	if hi-lo == 1 && p.sign(lo, "*") || hi-lo == 3 && p.sign(hi-1, "*") {
		for _, x := range q.items {
			if hi-lo == 3 && x.alias != p.t[lo].text {
				continue
			}
			for _, name := range p.columnsOf(x) {
				q.out = append(q.out, outColumn{name, operand{alias: x.alias, column: name}})
			}
		}
		return
	}
	if last > lo && p.is(last-1, "as") {
		c.name, hi = p.t[last].text, last-1
	} else if p.t[last].kind == word && !p.is(last, "end") {
		c.name = p.t[last].text
	} else if p.t[lo].kind == word && p.sign(lo+1, "(") && p.match[lo+1] == last {
		c.name = p.t[lo].text // a function
	}
	c.from = p.operand(lo, hi)
	q.out = append(q.out, c)
}

func (p *reader) columnsOf(x *item) (names []string) {
	of := x.q
	switch {
	case x.columns != nil:
		return x.columns
	case x.cte != nil && x.cte.columns != nil:
		return x.cte.columns
	case x.cte != nil:
		of = x.cte.q
	}
	if of != nil {
		for _, c := range of.out {
			names = append(names, c.name)
		}
	} else if t := p.schema.tables[x.table]; t != nil {
		names = t.columns
	}
	return names
}
