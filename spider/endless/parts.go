package endless

// A part of a pattern is judged by partPages pages or more; one of a few, by firstPages when most of them
// are new. When less than manyParts bring nothing new and grow, they are paused instead of the whole.
const (
	partPages  = blockPages / 10
	firstPages = 3
	fewParts   = 20
	manyParts  = 3
)

// value says what a part of a pattern brings, by its pages since it was judged before.
type value int

const (
	unknown value = iota
	idle          // nothing new
	mixed
	useful // most of its pages bring something new
)

// judgeParts finds out which parts of a pattern bring something new.
func (n *node) judgeParts() {
	for _, part := range n.parts {
		switch {
		case part.seen < partPages:
			if part.value == unknown && len(n.parts) <= fewParts && part.seen >= firstPages && part.seenFresh*2 > part.seen {
				part.value = useful
			}
		case part.seenFresh*blockPages <= part.seen*freshPages:
			part.value = idle
		case part.seenFresh*2 < part.seen:
			part.value = mixed
		default:
			part.value = useful
		}
	}
}

func (n *node) endBlock() {
	n.pages, n.fresh, n.growing = 0, 0, 0
	for _, part := range n.parts {
		if part.inBlock = 0; part.seen >= partPages {
			part.seen, part.seenFresh = 0, 0
		}
	}
}

// endless adds to the list what to pause of a pattern that brings nothing new. When one or two parts that bring nothing
// new and grow make up most of it, they are paused instead of it. Else it is paused except for the parts of which most
// pages bring something new; what of these turns idle is paused later.
func (n *node) endless(list []Found) []Found {
	var pages, idles int
	var bad []*node
	for _, part := range n.parts {
		if part.seen < partPages {
			continue
		}
		pages += part.inBlock
		if part.value != idle {
			continue
		}
		idles++
		if (part.grows() || part.waits() || !part.query && !part.exact) && (!n.paused || part.excepted) {
			bad = append(bad, part)
		}
	}
	many := len(bad) >= manyParts || idles >= manyParts && len(n.parts) > fewParts
	if n.paused || pages >= blockPages/2 && !many {
		for _, part := range bad {
			list = part.endless(list)
		}
		return list
	}
	n.paused = true
	f := Found{Pattern: n.pattern, Example: n.example, Fetched: n.fetched}
	for _, part := range n.parts {
		if part.value == useful {
			part.excepted = true
			f.Except = append(f.Except, part.pattern)
		} else if part.example != "" {
			f.Example = part.example
		}
	}
	return append(list, f)
}
