package endless

import "strings"

// A view is a pattern in which some keys of the query keep their values, as ?a=commit&h={id}: a key that names what is shown
// of a thing that has several views. A short word may be such a name. Whether it is one, the other values of its key tell:
// a key that also has values that are no words (?f=Makefile and ?f=src/main.c), or more than manyNames of them, names
// things, not views, and keeps no value.

// manyNames is the largest number of names of views that a key has.
const manyNames = 20

// view is the query of a URL, key by key. It is empty when no value may be a name, or when there is one key only.
type view struct {
	prefix string // of the pattern: the URL up to the query
	keys   []viewKey
}

type viewKey struct {
	text  string // with the character before it and its =
	value string // a name, a generalized value, or empty
	kind  valueKind
}

type valueKind int

const (
	generated valueKind = iota // a number, a digest, or no value
	name                       // it may name a view
	thing                      // any other value
)

// queryPattern returns the pattern of a query, which has its keys alone, and its view.
func queryPattern(mark byte, query string) (keys string, v view) {
	var b strings.Builder
	named := false
	for len(query) > 0 {
		end := strings.IndexAny(query, "&;")
		part := query
		if end >= 0 {
			part, query = query[:end], query[end+1:]
		} else {
			query = ""
		}
		key, value, valued := strings.Cut(part, "=")
		k := viewKey{text: string(mark) + generalize(key)}
		if valued {
			k.text += "="
		}
		mark = '&'
		switch general := generalize(value); {
		case isName(value):
			k.kind, k.value, named = name, value, true
		case general == "{n}" || general == "{id}":
			k.value = general
		case value != "":
			k.kind = thing
		}
		b.WriteString(k.text)
		v.keys = append(v.keys, k)
	}
	if len(v.keys) < 2 || !named {
		v.keys = nil
	}
	return b.String(), v
}

// isName reports whether a value of a query may be the name of a view.
func isName(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; (c < 'a' || c > 'z') && s[i] != '_' {
			return false
		}
	}
	return s != "" && len(s) <= 16
}

// pattern returns the pattern of a view in which the names of some keys are left out: bit i of without is key i. It is empty
// when no name is left.
func (v view) pattern(without uint) string {
	var b strings.Builder
	b.WriteString(v.prefix)
	named := false
	for i, k := range v.keys {
		b.WriteString(k.text)
		if k.kind == name && without&(1<<i) != 0 {
			continue
		}
		b.WriteString(k.value)
		named = named || k.kind == name
	}
	if !named {
		return ""
	}
	return b.String()
}

// patterns returns the patterns of a view with all names, with all but one, and so on. A query of many names has the first
// and the last of them only.
func (v view) patterns() (list []string) {
	var names []uint
	for i, k := range v.keys {
		if k.kind == name {
			names = append(names, 1<<i)
		}
	}
	const most = 6
	if len(names) > most {
		names = names[:most]
	}
	for left := len(names); left > 0; left-- {
		for subset := range 1 << len(names) {
			var without uint
			out := 0
			for i, bit := range names {
				if subset&(1<<i) != 0 {
					without |= bit
					out++
				}
			}
			if len(names)-out == left {
				if p := v.pattern(without); p != "" {
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// names are the values that the keys of a pattern have had.
type names []struct {
	seen   map[string]bool
	things bool // it names things, not views
}

// add adds the values of a URL, and returns the keys that name things.
func (n *names) add(v view) (things uint) {
	if *n == nil {
		*n = make(names, len(v.keys))
	}
	for i, k := range v.keys {
		if i >= len(*n) {
			break
		}
		key := &(*n)[i]
		switch {
		case key.things:
		case k.kind == thing:
			key.things = true
		case k.kind == name && !key.seen[k.value]:
			if key.seen == nil {
				key.seen = make(map[string]bool)
			}
			key.seen[k.value] = true
			key.things = len(key.seen) > manyNames
		}
		if key.things {
			key.seen = nil
			things |= 1 << i
		}
	}
	return things
}
