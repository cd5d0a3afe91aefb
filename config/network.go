package config

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// dbPair matches the beginning of a connection string of the key=value kind.
var dbPair = regexp.MustCompile(`^\s*[a-zA-Z_]+\s*=`)

// dbAddr refuses values that cannot be a database address and leaves the rest to the driver. No reason
// repeats the value, which contains a password.
func dbAddr(s string) (string, error) {
	if s == "" {
		return "", nil // the embedded server, given explicitly
	}
	scheme, rest, isURL := strings.Cut(s, "://")
	switch {
	case isURL && (scheme == "postgres" || scheme == "postgresql"):
		if strings.ContainsAny(rest, " \t") {
			return "", reasonf("the URL contains a space; write it as %%20")
		}
		return s, nil
	case dbPair.MatchString(s):
		return s, nil
	}
	return "", reasonf("the value is neither a URL, postgres://user:password@host:5432/database, nor a connection string, \"host=... dbname=...\"")
}

// networkKey returns the key of a list of address ranges. A single address is a range of one.
func networkKey[T any](name string, field func(*T) *[]netip.Prefix) key[T] {
	return key[T]{name: name, list: true, listed: true, set: func(t *T, d directive) error {
		if len(d.args) == 0 {
			return reasonf("a value is missing")
		}
		for _, a := range d.args {
			p, err := netip.ParsePrefix(a)
			if addr, addrErr := netip.ParseAddr(a); addrErr == nil && addr.Zone() == "" {
				p, err = netip.PrefixFrom(addr, addr.BitLen()), nil
			}
			if err != nil {
				return reasonf("%s is not a network such as 10.0.0.0/8 or fd00::/8", quote(a))
			}
			if list := field(t); !slices.Contains(*list, p.Masked()) {
				*list = append(*list, p.Masked())
			}
		}
		return nil
	}}
}

var hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$`)

// isHostName reports whether a name in lower case, without a final dot, can be the host of a URL.
func isHostName(name string) bool { return len(name) <= 253 && hostName.MatchString(name) }

func setAllowHosts(s *Spider, d directive) error {
	if len(d.args) == 0 {
		return reasonf("a value is missing")
	}
	for _, a := range d.args {
		name := strings.TrimSuffix(strings.ToLower(a), ".")
		if _, err := netip.ParseAddr(name); err == nil {
			return reasonf("%s is an address; it belongs in AllowNetwork", quote(a))
		}
		if !isHostName(name) {
			return reasonf("%s is not a host name without scheme, port and path; write international names in their xn-- form", quote(a))
		}
		if !slices.Contains(s.AllowHosts, name) {
			s.AllowHosts = append(s.AllowHosts, name)
		}
	}
	return nil
}
