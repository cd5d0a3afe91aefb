package config

import "strings"

// DuplicateHost is a line of sets.cnf: the hosts have the same pages as the first one.
type DuplicateHost struct {
	Canonical  string
	Duplicates []string
	File       string
	Line       int
}

// duplicateHost reads `DuplicateHost canonical dup...`. Hosts are names or addresses without scheme and port, which stay as they are.
func (r *setsReader) duplicateHost(d directive) error {
	if len(d.args) < 2 {
		return reasonf("want a host and its duplicates; write: DuplicateHost www.example.org example.org")
	}
	hosts := make([]string, len(d.args))
	for i, raw := range d.args {
		host := strings.ToLower(strings.TrimSuffix(raw, "."))
		if _, after, ok := strings.Cut(host, "://"); ok {
			host, _, _ = strings.Cut(after, "/")
			return reasonf("%s is a URL, no host; write: %s", quote(raw), host)
		}
		if bare := strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]"); host == "" || strings.ContainsAny(host, `/\?#@* `) ||
			strings.Contains(host, ":") && !bare {
			return reasonf("%s is no host: want a name or an address, without scheme, port and path", quote(raw))
		}
		hosts[i] = host
	}
	for i, host := range hosts {
		for _, l := range r.sets.DuplicateHosts {
			for _, dup := range l.Duplicates {
				if host == dup {
					return reasonf("%s is a duplicate of %s already (line %d)", host, l.Canonical, l.Line)
				}
			}
			if i > 0 && host == l.Canonical {
				return reasonf("%s has duplicates of its own (line %d); name them all in one line", host, l.Line)
			}
		}
		for _, before := range hosts[:i] {
			if host == before {
				return reasonf("%s stands twice in the line", host)
			}
		}
	}
	r.sets.DuplicateHosts = append(r.sets.DuplicateHosts, DuplicateHost{hosts[0], hosts[1:], d.file, d.line})
	return nil
}
