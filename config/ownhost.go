package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// ownHosts refuses Robots no for hosts that need not be the operator's own: those that AllowHost does not name and that are no
// private or loopback address.
func ownHosts(c *Config, errs *Errors) {
	for _, s := range c.Sets.Servers {
		host := hostOf(s.URL)
		if !s.IgnoreRobots || OwnHost(host, c.Spider.AllowHosts) {
			continue
		}
		remedy := "write in spider.cnf: AllowHost " + host
		if _, err := netip.ParseAddr(host); err == nil {
			remedy = "it is for private and loopback addresses"
		}
		errs.add(Error{File: s.File, Line: s.Line, Keyword: "Server", Reason: fmt.Sprintf(
			"Robots no is for hosts of your own, which %s is not known to be; %s", host, remedy)})
	}
}

// OwnHost reports whether a host in lower case may have Robots no: it is named by AllowHost, or a private or loopback address.
func OwnHost(host string, allowed []string) bool {
	return isOwnAddress(host) || slices.Contains(allowed, strings.TrimSuffix(host, "."))
}

// hostOf returns the host of a start URL in lower case, without port and brackets.
func hostOf(start string) string {
	u, err := url.Parse(start)
	if err != nil { // the spider refuses it
		return start
	}
	return strings.ToLower(u.Hostname())
}

// isOwnAddress reports whether a host is an address that only its own network reaches.
func isOwnAddress(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && (a.Unmap().IsPrivate() || a.Unmap().IsLoopback() || a.Unmap().IsLinkLocalUnicast())
}
