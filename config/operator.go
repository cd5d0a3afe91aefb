package config

import (
	"net"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strings"
)

// An Operator has the settings of the pages for the operator.
type Operator struct {
	Password string   // a bcrypt hash; "" = the pages are closed
	Listen   string   // host:port of the administration pages of a continuous crawl; "" = there are none
	Hosts    []string // names under which a proxy serves them, in lower case
}

// operatorKeys are the directives of an Operator.
var operatorKeys = []key[Spider]{
	{name: "AdminPassword", listed: true, set: setAdminPassword},
	scalar("ApiListen", "", apiListen, func(s *Spider) *string { return &s.Operator.Listen }),
	{name: "AdminHost", list: true, listed: true, set: setAdminHosts},
}

// bcryptHash matches a hash whose check takes from some milliseconds to two seconds.
var bcryptHash = regexp.MustCompile(`^\$2[aby]\$(0[6-9]|1[0-5])\$[./A-Za-z0-9]{53}$`)

// setAdminPassword reads a hash, or the file that has it. No reason repeats the value, which may be a password.
func setAdminPassword(s *Spider, d directive) error {
	value, err := one(d)
	if err != nil {
		return err
	}
	if value != "" && !strings.HasPrefix(value, "$") && strings.ContainsRune(value, '/') {
		if value, err = hashInFile(inDir(d.dir, value)); err != nil {
			return err
		}
	}
	if !bcryptHash.MatchString(value) {
		return reasonf("the value is neither a bcrypt hash nor the path of a file with one; index --hash-password makes a hash")
	}
	s.Operator.Password = value
	return nil
}

// hashInFile reads a file that only its owner may read.
func hashInFile(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", reasonf("%s: %s", printable(path), cause(err))
	case !info.Mode().IsRegular():
		return "", reasonf("%s is not a regular file", printable(path))
	case info.Mode().Perm()&0o077 != 0:
		return "", reasonf("%s can be read by others; write: chmod 600 %s", printable(path), printable(path))
	case info.Size() > 1000:
		return "", reasonf("%s is too long for a bcrypt hash; index --hash-password makes one", printable(path))
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", reasonf("%s: %s", printable(path), cause(err))
	}
	return strings.TrimSpace(string(b)), nil
}

// apiListen accepts an address of this machine only: the password travels in clear text.
func apiListen(s string) (string, error) {
	if s == "" {
		return "", nil
	}
	if _, err := listenAddress(s); err != nil {
		return "", err
	}
	host, port, _ := net.SplitHostPort(s)
	if addr, err := netip.ParseAddr(host); strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback() {
		return s, nil
	}
	return "", reasonf("%s can be reached from other machines, and the password would travel in clear text; write: ApiListen 127.0.0.1:%s, and let a web server with TLS pass requests on to it (AdminHost names it)", quote(s), port)
}

// setAdminHosts reads names of hosts, without a port.
func setAdminHosts(s *Spider, d directive) error {
	if len(d.args) == 0 {
		return reasonf("a value is missing")
	}
	for _, a := range d.args {
		name := strings.ToLower(a)
		if !isHostName(name) {
			return reasonf("%s is not the name of a host such as admin.example.org", quote(a))
		}
		if !slices.Contains(s.Operator.Hosts, name) {
			s.Operator.Hosts = append(s.Operator.Hosts, name)
		}
	}
	return nil
}
