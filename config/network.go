package config

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/idna"
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

// international maps names beyond ASCII as the addresses of URLs are mapped (spider/weburl), so that AllowHost and Server
// take the same spellings.
var international = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.VerifyDNSLength(false), idna.StrictDomainName(false),
	idna.ValidateLabels(true), idna.CheckHyphens(false), idna.CheckJoiners(true), idna.Transitional(false))

// asciiHost returns a host name as it stands in URLs: in lower case, without a final dot, international labels as xn--. A name
// that has no such form is returned as it is, and is no host name then.
func asciiHost(name string) string {
	lower := strings.TrimSuffix(strings.ToLower(name), ".")
	if strings.IndexFunc(lower, func(r rune) bool { return r > '~' }) < 0 {
		return lower
	}
	ascii, err := international.ToASCII(name)
	if err != nil {
		return name
	}
	return strings.TrimSuffix(ascii, ".")
}

func setAllowHosts(s *Spider, d directive) error {
	if len(d.args) == 0 {
		return reasonf("a value is missing")
	}
	for _, a := range d.args {
		name := asciiHost(a)
		if _, err := netip.ParseAddr(name); err == nil {
			return reasonf("%s is an address; it belongs in AllowNetwork", quote(a))
		}
		if !isHostName(name) {
			return reasonf("%s is not a host name; write it without scheme, port and path", quote(a))
		}
		if !slices.Contains(s.AllowHosts, name) {
			s.AllowHosts = append(s.AllowHosts, name)
		}
	}
	return nil
}
