package search

// formsAtOnce is the number of written forms up to which a formsCursor is faster than an anyCursor.
const formsAtOnce = 24

// A formsCursor iterates over the documents that have a word in any of a few written forms. It is an anyCursor without the
// heap: it compares the places of all forms.
type formsCursor struct {
	of   []*wordCursor
	at   place
	part score // of one of them
}

func (c *formsCursor) seek(p place) place {
	if c.at >= p {
		return c.at
	}
	c.at = noPlace
	for _, w := range c.of {
		at := w.at
		if at < p {
			at = w.seek(p)
		}
		c.at = min(c.at, at)
	}
	return c.at
}

func (c *formsCursor) size() (n int64) {
	for _, w := range c.of {
		n += w.size()
	}
	return n
}

// score is that of an anyCursor.
func (c *formsCursor) score(best *score) {
	count, found := int32(0), false
	for _, w := range c.of {
		if w.at != c.at {
			continue
		}
		w.score(&c.part)
		count += c.part.count
		if !found || c.part.compare(*best) > 0 {
			*best, found = c.part, true
		}
	}
	best.count = count
}

func (c *formsCursor) weighted(norm float64) (x float64) {
	for _, w := range c.of {
		if w.at == c.at {
			x += w.weighted(norm)
		}
	}
	return x
}

func (c *formsCursor) appendOffsets(dst []offset) []offset {
	from, several := len(dst), false
	for _, w := range c.of {
		if w.at == c.at {
			several = several || len(dst) > from
			dst = w.appendOffsets(dst)
		}
	}
	if several {
		return sortOffsets(dst, from)
	}
	return dst
}

func (c *formsCursor) scan() {
	for _, w := range c.of {
		w.scan()
	}
}
