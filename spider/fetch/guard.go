package fetch

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// connectTimeOut bounds the look-up of a name and the connecting to all its addresses together.
const connectTimeOut = 10 * time.Second

// Guard decides which addresses the crawler may connect to (docs/reference/promises.md, Security rules 1 and
// 2). The web names the hosts, so without it any page could make the crawler read the operator's own network
// and publish it by search. It is safe for concurrent use.
type Guard struct {
	allow, deny []netip.Prefix
	hosts       map[string]bool
	lookup      func(ctx context.Context, host string) ([]netip.Addr, error)

	mu     sync.RWMutex
	starts map[netip.AddrPort]bool
	met    map[string]bool // names that were connected to: whether the address was a reserved one
}

// DeniedError says that a connection was refused before it was made. Nothing but another configuration
// changes that, so it is never retried.
type DeniedError struct {
	Addr   netip.Addr // zero when the address is no IP address
	Reason string     // "loopback", "DenyNetwork 10.6.0.0/16"
}

func (e *DeniedError) Error() string {
	if !e.Addr.IsValid() {
		return "address denied: " + e.Reason
	}
	return "address " + e.Addr.String() + " denied: " + e.Reason
}

// special are the networks that are denied unless something opens them: what IANA's registries of
// special-purpose addresses do not call globally reachable. The first that holds an address names the reason.
var special = []struct {
	net    netip.Prefix
	reason string
}{
	{netip.MustParsePrefix("0.0.0.0/8"), "this network"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private"},
	{netip.MustParsePrefix("100.64.0.0/10"), "carrier-grade NAT"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private"},
	{netip.MustParsePrefix("192.0.0.0/24"), "reserved"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation"},
	{netip.MustParsePrefix("192.88.99.0/24"), "reserved"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},
	{netip.MustParsePrefix("::/128"), "unspecified"},
	{netip.MustParsePrefix("::1/128"), "loopback"},
	{netip.MustParsePrefix("fc00::/7"), "private"},
	{netip.MustParsePrefix("fe80::/10"), "link-local"},
	{netip.MustParsePrefix("fec0::/10"), "site-local"},
	{netip.MustParsePrefix("ff00::/8"), "multicast"},
	{netip.MustParsePrefix("2001::/23"), "reserved"}, // Teredo, ORCHID, benchmarking
	{netip.MustParsePrefix("2001:db8::/32"), "documentation"},
	{netip.MustParsePrefix("3fff::/20"), "documentation"},
}

var (
	globalUnicast = netip.MustParsePrefix("2000::/3") // all that is handed out of IPv6; the rest is reserved
	nat64         = netip.MustParsePrefix("64:ff9b::/96")
	sixToFour     = netip.MustParsePrefix("2002::/16")

	// metadata are the services of clouds that give credentials to whoever asks.
	metadata = []netip.Addr{netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("fd00:ec2::254")}
)

// NewGuard makes a guard from the lines AllowNetwork, DenyNetwork and AllowHost. The names of hosts are in
// lower case.
func NewGuard(allowNet, denyNet []netip.Prefix, allowHosts []string) *Guard {
	g := &Guard{
		allow: plainPrefixes(allowNet), deny: plainPrefixes(denyNet),
		hosts: make(map[string]bool, len(allowHosts)), starts: make(map[netip.AddrPort]bool),
		lookup: func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		},
	}
	for _, h := range allowHosts {
		g.hosts[hostName(h)] = true
	}
	return g
}

// AllowAddrPort opens one port of one address, for a start URL whose host is that literal address. It does
// not open metadata addresses, nor addresses of a DenyNetwork.
func (g *Guard) AllowAddrPort(at netip.AddrPort) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.starts[netip.AddrPortFrom(plainAddr(at.Addr()), at.Port())] = true
}

// DialContext connects like net.Dialer's, within connectTimeOut. The check is on the address of each attempt,
// after resolution, so that a name that changes its address between a check and the use gains nothing. A
// refused address gives an error that wraps a *DeniedError.
func (g *Guard) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	host = hostName(host)
	dialer := net.Dialer{Timeout: connectTimeOut, Control: func(_, actual string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(actual)
		if err != nil {
			return &DeniedError{Reason: "not an IP address"}
		}
		if denied := g.check(host, at); denied != nil {
			return denied
		}
		g.meet(host, at.Addr())
		return nil
	}}
	return dialer.DialContext(ctx, network, address)
}

// maxMet bounds the names of which the kind of address is remembered.
const maxMet = 100_000

// meet remembers what kind of address a name has.
func (g *Guard) meet(host string, a netip.Addr) {
	local := reserved(forms(plainAddr(a))) != ""
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.met == nil || len(g.met) >= maxMet {
		g.met = make(map[string]bool)
	}
	g.met[host] = local
}

// Local reports whether a host is in a network of one's own: its address is loopback, private or otherwise not reachable from
// everywhere. Of a name that is known once it was connected to. Files have no host, and are local.
func (g *Guard) Local(host string) (local, known bool) {
	if host == "" {
		return true, true
	}
	host = hostName(host)
	g.mu.RLock()
	local, known = g.met[host]
	g.mu.RUnlock()
	if known {
		return local, known
	}
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return reserved(forms(plainAddr(a))) != "", true
	}
	return false, false
}

// CheckStart reports whether the name of a start URL leads to denied addresses only: the error names the
// directive that allows it. Literal addresses and names that cannot be resolved now are not its business.
func (g *Guard) CheckStart(ctx context.Context, host string) error {
	host = hostName(host)
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, connectTimeOut)
	defer cancel()
	addrs, err := g.lookup(ctx, host)
	if err != nil {
		return nil
	}
	var first *DeniedError
	for _, a := range addrs {
		denied := g.check(host, netip.AddrPortFrom(a, 0))
		if denied == nil {
			return nil
		}
		if first == nil {
			first = denied
		}
	}
	if first == nil {
		return nil
	}
	return fmt.Errorf("%s leads to a denied address (%s): %w", host, g.remedy(host, first.Addr), first)
}

// remedy names the lines that open an address.
func (g *Guard) remedy(host string, a netip.Addr) string {
	network := fmt.Sprintf("AllowNetwork %s/%d", a, a.BitLen())
	all := forms(a)
	switch {
	case containsAny(g.deny, all):
		return "denied by a DenyNetwork line"
	case slices.ContainsFunc(all, isMetadata):
		return network + " in spider.cnf allows it"
	default:
		return "AllowHost " + host + " or " + network + " in spider.cnf allows it"
	}
}

// check refuses an address that was found for a host; nil lets it pass.
func (g *Guard) check(host string, at netip.AddrPort) *DeniedError {
	addr := plainAddr(at.Addr())
	all := forms(addr)
	for _, p := range g.deny {
		if containsAny([]netip.Prefix{p}, all) {
			return &DeniedError{addr, "DenyNetwork " + p.String()}
		}
	}
	for _, a := range all {
		if isMetadata(a) && !slices.Contains(g.allow, netip.PrefixFrom(a, a.BitLen())) {
			return &DeniedError{addr, "metadata service"}
		}
	}
	reason := reserved(all)
	if reason == "" || g.hosts[host] || containsAny(g.allow, all) || g.isStart(addr, at.Port()) {
		return nil
	}
	return &DeniedError{addr, reason}
}

func (g *Guard) isStart(a netip.Addr, port uint16) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.starts[netip.AddrPortFrom(a, port)]
}

// reserved names why an address is denied by default; empty when it is not. An address that carries another
// is denied when either is.
func reserved(all []netip.Addr) string {
	for i, a := range all {
		for _, s := range special {
			if s.net.Contains(a) {
				if i > 0 {
					return s.reason + " (" + a.String() + ")"
				}
				return s.reason
			}
		}
		if a.Is6() && !globalUnicast.Contains(a) && !nat64.Contains(a) {
			return "reserved"
		}
	}
	return ""
}

// forms returns an address and the IPv4 address that it carries, if any: packets to the NAT64 and 6to4 forms
// end there.
func forms(a netip.Addr) []netip.Addr {
	b := a.As16()
	switch {
	case nat64.Contains(a):
		return []netip.Addr{a, netip.AddrFrom4([4]byte(b[12:16]))}
	case sixToFour.Contains(a):
		return []netip.Addr{a, netip.AddrFrom4([4]byte(b[2:6]))}
	default:
		return []netip.Addr{a}
	}
}

func containsAny(prefixes []netip.Prefix, addrs []netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return slices.ContainsFunc(addrs, p.Contains) })
}

func isMetadata(a netip.Addr) bool { return slices.Contains(metadata, a) }

// plainAddr takes away the IPv4-mapped form and the zone: netip matches neither with a prefix.
func plainAddr(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// plainPrefixes does the same for prefixes.
func plainPrefixes(list []netip.Prefix) []netip.Prefix {
	plain := make([]netip.Prefix, len(list))
	for i, p := range list {
		if p.Addr().Is4In6() && p.Bits() >= 96 {
			p = netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96)
		}
		plain[i] = p.Masked()
	}
	return plain
}

// hostName is the form in which names are compared.
func hostName(h string) string { return strings.TrimSuffix(strings.ToLower(h), ".") }
