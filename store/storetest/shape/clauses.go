package shape

var clauses = []string{"from", "where", "group", "having", "window", "order", "limit", "offset", "fetch", "for", "returning", "using", "set", "on"}

func (p *reader) single(q *query, lo, hi int) {
	switch {
	case p.is(lo, "select"):
		q.kind = "select"
		p.selectQuery(q, lo+1, hi)
	case p.is(lo, "values"):
		q.kind = "values"
		p.expression(q, lo+1, hi, "values")
	case p.is(lo, "insert"):
		q.kind = "insert"
		p.insert(q, p.find(lo, hi, "into")+1, hi)
	case p.is(lo, "update"):
		q.kind = "update"
		set := p.find(lo, hi, "set")
		p.target(q, lo+1, set)
		q.set = p.t[set+1 : p.set(q, set+1, hi, "set")]
		p.rest(q, p.find(set+1, hi, "from", "where", "returning"), hi)
	case p.is(lo, "delete"):
		q.kind = "delete"
		from := p.find(lo, hi, "from") + 1
		end := p.find(from, hi, "using", "where", "returning")
		p.target(q, from, end)
		p.rest(q, end, hi)
	default:
		q.kind = "other"
	}
}

// target reads the table that is written.
func (p *reader) target(q *query, lo, hi int) {
	p.from(q, lo, hi)
	if len(q.items) > 0 {
		q.into = q.items[0]
	}
}

// set reads assignments and returns their end.
func (p *reader) set(q *query, lo, hi int, clause string) int {
	end := p.find(lo, hi, "from", "where", "returning")
	p.expression(q, lo, end, clause)
	return end
}

func (p *reader) insert(q *query, lo, hi int) {
	conflict, returning := hi, p.find(lo, hi, "returning")
	for i := lo; i < returning; i = p.after(i) {
		if p.is(i, "on") && p.is(i+1, "conflict") {
			conflict = i
		}
	}
	i := lo
	for i < hi && !p.sign(i, "(") && !p.selects(i) && !p.is(i, "default") && i < conflict {
		i++
	}
	p.target(q, lo, i)
	if p.sign(i, "(") && !p.selects(i) {
		i = p.after(i)
	}
	end := min(conflict, returning)
	if i < end && !p.is(i, "default") {
		q.subs = append(q.subs, &sub{p.query(i, end, q), "insert"})
	}
	if do := p.find(conflict, returning, "set"); do < returning {
		set := p.set(q, do+1, returning, "conflict")
		q.conflict = p.t[do+1 : set]
		p.rest(q, set, returning)
	}
	p.expression(q, returning, hi, "returning")
}

func (p *reader) selectQuery(q *query, lo, hi int) {
	if p.is(lo, "distinct") {
		q.groups = true
		if lo++; p.is(lo, "on") {
			lo = p.after(lo + 1)
		}
	} else if p.is(lo, "all") {
		lo++
	}
	end := p.find(lo, hi, "from", "where", "group", "having", "window", "order", "limit", "offset", "fetch", "for", "into")
	q.empty = lo == end
	p.rest(q, end, hi)
	p.targets(q, lo, end)
	for i := lo; i < end; i = p.after(i) {
		if p.sign(i+1, "(") && p.is(i, "count", "sum", "max", "min", "array_agg", "string_agg", "bool_or", "bool_and", "avg") {
			q.groups = true
		}
	}
}

// rest reads the clauses behind a target list or SET.
func (p *reader) rest(q *query, lo, hi int) {
	for lo < hi {
		end := hi
		for i := p.after(lo); i < hi; i = p.after(i) {
			if p.is(i, clauses...) && p.find(i, i+1, clauses...) == i && !p.inFrom(lo, i) {
				end = i
				break
			}
		}
		switch p.t[lo].text {
		case "from", "using":
			p.from(q, lo+1, end)
		case "where":
			q.where = p.t[lo+1 : end]
			p.expression(q, lo+1, end, "where")
			p.conditions(q, lo+1, end)
		case "limit", "offset", "fetch":
			q.limit = true
			p.expression(q, lo+1, end, "limit")
		case "group", "having", "window":
			q.groups = true
			p.expression(q, lo+1, end, "group")
		case "for":
			q.lock = true
			if of := p.find(lo, end, "of"); of < end {
				for i := of + 1; i < end && !p.is(i, "nowait", "skip"); i++ {
					if p.t[i].kind == word {
						q.lockOf = append(q.lockOf, p.t[i].text)
					}
				}
			}
		default:
			p.expression(q, lo+1, end, "other")
		}
		lo = end
	}
}

// inFrom reports whether ON or USING at i belongs to a join of the clause at lo.
func (p *reader) inFrom(lo, i int) bool {
	return p.is(i, "on", "using", "set") && p.is(lo, "from", "using")
}
