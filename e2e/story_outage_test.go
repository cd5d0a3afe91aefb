package e2e

import (
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgseek/pgseek/spider/spidertest"
)

// The shop has twelve pages: enough for the safety gate to apply MaxLostShare.
const (
	shopPages = "/ /a /b /c /d /e /f /g /h /i /j /k"
	shopIndex = `
		found
			front welcome: /
			apple: /a
			product: /a /b /c /d /e /f /g /h /i /j /k
			banana: /b
			cherry: /c
			date: /d
			elder: /e
			fig: /f
			grape: /g
			hazel: /h
			ivy: /i
			juniper: /j
			kiwi: /k
		cited
			/a /b /c /d /e /f /g /h /i /j /k: by /
			/: by /a /b /c /d /e /f /g /h /i /j /k`
)

// stock fills the shop with its usual pages.
func (s *scenario) stock() {
	s.page("/", "front", "welcome", strings.Fields(shopPages)[1:]...)
	for _, fruit := range strings.Fields("apple banana cherry date elder fig grape hazel ivy juniper kiwi") {
		s.page("/"+fruit[:1], "product", fruit, "/")
	}
}

// openShop is the first step of the stories about the shop.
func (s *scenario) openShop() {
	s.stock()
	s.later(0)
	s.sees("the shop is found", `
		asked
			/robots.txt: 404
			`+shopPages+`: 200
		rules
			`+shopPages+`: T-01 200, 0 -> 200
		pages
			`+shopPages+`: 200; 2 words; answered now; due in 7d: period 7d; dates now, now`, shopIndex)
}

// conditional marks paths as requested conditionally, as the section asked of a step shows them.
func conditional(paths string) string { return "~" + strings.ReplaceAll(paths, " ", " ~") }

// TestStorySiteDownForThreeRuns: the program behind the shop fails, so that every page answers 500.
// robots.txt is a file, and still missing with 404. The front page fails first, and with it all start URLs:
// the safety gate puts the site on hold, and no document is lost, however long the outage lasts. The operator
// sees one row about it, and every page can be found all the time. When the shop recovers, all state is as
// before, and the hold has ended by itself.
func TestStorySiteDownForThreeRuns(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "", "")
	s.openShop()

	s.fails(strings.Fields(shopPages)...)
	s.later(8 * day)
	s.sees("down, first run", `
		asked
			/robots.txt: 404
			`+conditional(shopPages)+`: 500
		rules
			`+shopPages+`: T-10 500, 200 -> 200, site on hold: answered 500
		pages
			`+shopPages+`: 200; 2 words; answered 8d ago; due in 5h: unreachable error 1: 5h; unreachable 1; dates 8d ago, 8d ago`, shopIndex, `
		site
			gate: h; 0 of 12 live turned lost, 1 of 1 start URLs failed
			hold: start URLs; / (answered 500); 0 of 12 turned lost; begun now; lasts`)
	if out := s.index("-S"); !strings.Contains(out, "hold") {
		t.Errorf("-S does not tell of the hold:\n%s", out)
	}

	s.later(6 * time.Hour)
	s.sees("down, second run", `
		asked
			/robots.txt: 404
			`+conditional(shopPages)+`: 500
		rules
			`+shopPages+`: T-10 500, 200 -> 200, site on hold: answered 500
		pages
			`+shopPages+`: 200; 2 words; answered 8d6h ago; due in 1d: unreachable error 2: 1d; unreachable 2; dates 8d6h ago, 8d6h ago`, shopIndex, `
		site
			gate: h; 0 of 12 live turned lost, 1 of 1 start URLs failed
			hold: start URLs; / (answered 500); 0 of 12 turned lost; begun 6h ago; lasts`)

	s.later(25 * time.Hour)
	s.sees("down, third run", `
		asked
			/robots.txt: 404
			`+conditional(shopPages)+`: 500
		rules
			`+shopPages+`: T-10 500, 200 -> 200, site on hold: answered 500
		pages
			`+shopPages+`: 200; 2 words; answered 9d7h ago; due in 5d: unreachable error 3: 5d; unreachable 3; dates 9d7h ago, 9d7h ago`, shopIndex, `
		site
			gate: h; 0 of 12 live turned lost, 1 of 1 start URLs failed
			hold: start URLs; / (answered 500); 0 of 12 turned lost; begun 1d7h ago; lasts`)
	s.explains(t, "/c", "down")

	s.stock()
	s.later(6 * day)
	s.sees("back", `
		asked
			/robots.txt: 404
			`+conditional(shopPages)+`: 304
		rules
			`+shopPages+`: T-02 304, 200 -> 200
		pages
			`+shopPages+`: 200; 2 words; answered now; due in 7d: period 7d; dates 15d7h ago, 15d7h ago`, shopIndex, `
		site
			hold: start URLs; / (answered 500); 0 of 12 turned lost; begun 7d7h ago; recovered now`)
	s.explains(t, "/c", "down-and-back")
}

// TestStorySiteDownBehindItsFrontPage: the same, but the front page is served from a cache and answers. Three
// products turn lost as they should. The fourth would exceed MaxLostShare of twelve, so the gate closes
// before it. The errors of lost documents are not counted on either. After the recovery the lost ones are
// ordinary documents.
func TestStorySiteDownBehindItsFrontPage(t *testing.T) {
	t.Parallel()
	const lost, held = "/a /b /c", "/d /e /f /g /h /i /j /k"
	s := newScenario(t, "", "")
	s.openShop()

	s.fails(strings.Fields(lost + " " + held)...)
	s.later(8 * day)
	s.sees("down, first run", `
		asked
			/robots.txt: 404
			~/: 304
			`+conditional(lost+" "+held)+`: 500
		rules
			/: T-02 304, 200 -> 200
			`+lost+`: T-07 500, 200 -> 200 lost 500 x1
			`+held+`: T-10 500, 200 -> 200, site on hold: answered 500
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 8d ago, 8d ago
			`+lost+`: 200 lost 500 x1; 2 words; answered now; due in 1d: server error 1: 1d; server 1; dates 8d ago, 8d ago
			`+held+`: 200; 2 words; answered 8d ago; due in 5h: unreachable error 1: 5h; unreachable 1; dates 8d ago, 8d ago`, shopIndex, `
		site
			gate: h; 3 of 12 live turned lost, 0 of 1 start URLs failed
			hold: share; /d (answered 500); 3 of 12 turned lost; begun now; lasts`)

	s.later(6 * time.Hour)
	s.sees("down, second run: the lost ones are not due", `
		asked
			/robots.txt: 404
			~/: 304
			`+conditional(held)+`: 500
		rules
			/: T-02 304, 200 -> 200
			`+held+`: T-10 500, 200 -> 200, site on hold: answered 500
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 8d6h ago, 8d6h ago
			`+lost+`: 200 lost 500 x1; 2 words; answered 6h ago; due in 18h: server error 1: 1d; server 1; dates 8d6h ago, 8d6h ago
			`+held+`: 200; 2 words; answered 8d6h ago; due in 1d: unreachable error 2: 1d; unreachable 2; dates 8d6h ago, 8d6h ago`, shopIndex, `
		site
			gate: h; 3 of 12 live turned lost, 0 of 1 start URLs failed
			hold: share; /d (answered 500); 3 of 12 turned lost; begun 6h ago; lasts`)

	s.later(25 * time.Hour)
	s.sees("down, third run", `
		asked
			/robots.txt: 404
			~/: 304
			`+conditional(lost+" "+held)+`: 500
		rules
			/: T-02 304, 200 -> 200
			`+lost+`: T-10 500, 200 lost 500 x1 -> 200 lost 500 x1, site on hold: answered 500
			`+held+`: T-10 500, 200 -> 200, site on hold: answered 500
		pages
			/: 200; 2 words; answered now; due in 7d: period 7d; dates 9d7h ago, 9d7h ago
			`+lost+`: 200 lost 500 x1; 2 words; answered 1d7h ago; due in 5h: unreachable error 1: 5h; unreachable 1; dates 9d7h ago, 9d7h ago
			`+held+`: 200; 2 words; answered 9d7h ago; due in 5d: unreachable error 3: 5d; unreachable 3; dates 9d7h ago, 9d7h ago`, shopIndex, `
		site
			gate: h; 0 of 12 live turned lost, 0 of 1 start URLs failed
			hold: share; /d (answered 500); 3 of 12 turned lost; begun 1d7h ago; lasts`)
	s.explains(t, "/a", "down-lost")

	s.stock()
	s.later(6 * day)
	s.sees("back", `
		asked
			/robots.txt: 404
			`+conditional(shopPages)+`: 304
		rules
			/: T-02 304, 200 -> 200
			`+lost+`: T-02 304, 200 lost 500 x1 -> 200
			`+held+`: T-02 304, 200 -> 200
		pages
			`+shopPages+`: 200; 2 words; answered now; due in 7d: period 7d; dates 15d7h ago, 15d7h ago`, shopIndex, `
		site
			hold: share; /d (answered 500); 3 of 12 turned lost; begun 7d7h ago; recovered now`)
}

// TestStoryConnectionRefusedForThreeRuns: the web server is not running, and the machine refuses connections.
// The request for robots.txt fails first, so nothing else is tried: no page changes. The start URL has failed
// as well, so the site is on hold until it answers.
func TestStoryConnectionRefusedForThreeRuns(t *testing.T) {
	t.Parallel()
	site := spidertest.NewSite(t)
	open, shut := toggledAddress(t, site)
	open()
	s := newScenarioOf(t, site, "", "ConnectivityInterval 0\n")
	s.openShop()
	shut()

	const (
		refused = "T-10 702, 200 -> 200, robots.txt: dial tcp HOST: connect: connection refused"
		hold    = "hold: start URLs; / (robots.txt: dial tcp HOST: connect: connection refused); 0 of 12 turned lost; begun "
	)
	for _, run := range []struct {
		what       string
		wait       time.Duration
		ago, next  string
		errorCount string
		held       string
	}{
		{"refused, first run", 8 * day, "8d", "in 5h: unreachable error 1: 5h", "1", "now"},
		{"refused, second run", 6 * time.Hour, "8d6h", "in 1d: unreachable error 2: 1d", "2", "6h ago"},
		{"refused, third run", 25 * time.Hour, "9d7h", "in 5d: unreachable error 3: 5d", "3", "1d7h ago"},
	} {
		s.later(run.wait)
		s.sees(run.what, `
			rules
				`+shopPages+`: `+refused+`
			pages
				`+shopPages+`: 200; 2 words; answered `+run.ago+` ago; due `+run.next+`; unreachable `+run.errorCount+`; dates `+
			run.ago+` ago, `+run.ago+" ago", shopIndex, `
			site
				gate: h; 0 of 12 live turned lost, 1 of 1 start URLs failed
				`+hold+run.held+"; lasts")
	}
	s.explains(t, "/c", "refused")

	open()
	s.later(6 * day)
	s.sees("back", `
		asked
			/robots.txt: 404
			`+conditional(shopPages)+`: 304
		rules
			`+shopPages+`: T-02 304, 200 -> 200
		pages
			`+shopPages+`: 200; 2 words; answered now; due in 7d: period 7d; dates 15d7h ago, 15d7h ago`, shopIndex, `
		site
			`+hold+"7d7h ago; recovered now")
}

// toggledAddress gives a site an address of its own and returns functions that open and close it. A socket that
// does not listen reserves the address, so that no other program gets it while connections are refused.
func toggledAddress(t *testing.T, site *spidertest.Site) (open, shut func()) {
	t.Helper()
	socket, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(socket) })
	if err := syscall.SetsockoptInt(socket, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(socket, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(socket)
	if err != nil {
		t.Fatal(err)
	}
	address := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: name.(*syscall.SockaddrInet4).Port}
	site.URL = "http://" + address.String()

	var server *http.Server
	shut = func() {
		if server != nil {
			_ = server.Close()
		}
		server = nil
	}
	t.Cleanup(func() { shut() })
	return func() {
		listener, err := net.ListenTCP("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		server = &http.Server{Handler: site, ReadHeaderTimeout: time.Minute}
		go func() { _ = server.Serve(listener) }() // ends with Close
	}, shut
}
