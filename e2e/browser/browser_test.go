// Package browser_test drives the pages of searchd with chromium, as people use them. It is a separate
// module, so that only those who run it need chromedp.
//
// The tests do not import the module under test. They start TestServeBrowser of search/web as a process,
// which serves sample pages or an index of 25 documents. PGSEEK_BROWSER=1 fails the tests if there is no
// chromium.
package browser_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	networkevents "github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browserPatience is the time limit of one step in the browser, on a busy machine.
const browserPatience = 3 * time.Minute

// A browser is a tab of a headless chromium that can reach 127.0.0.1 only. It records the requests and
// console messages of the pages.
type browser struct {
	t    *testing.T
	ctx  context.Context
	base string // of the server, without a slash at the end

	mu       sync.Mutex
	requests []string
	messages []string
}

// startBrowser starts a browser and the server whose URL serve returns. It skips the test if there is no
// chromium in PATH, unless PGSEEK_BROWSER=1 requires one.
func startBrowser(t *testing.T, serve func() string) *browser {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("PGSEEK_BROWSER") == "1" {
			t.Fatal("PGSEEK_BROWSER=1, but there is no chromium in PATH (Debian: apt-get install chromium)")
		}
		t.Skip("no chromium in PATH: the pages are not tried in a browser (Debian: apt-get install chromium)")
	}
	b := &browser{t: t, base: serve()}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.UserDataDir(t.TempDir()),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-gpu", true),
		// A page from the back/forward cache does not load, but chromedp waits for the load event.
		chromedp.Flag("disable-features", "Translate,BlinkGenPropertyTrees,BackForwardCache"),
		chromedp.Flag("font-render-hinting", "none"),
	)
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // required to run as root
	}
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(func() {
		end, stop := context.WithTimeout(ctx, browserPatience)
		defer stop()
		if err := chromedp.Cancel(end); err != nil {
			t.Logf("close the browser: %v", err)
		}
		cancel()
	})
	b.ctx = ctx
	if err := chromedp.Listen(ctx, b.event); err != nil {
		t.Fatalf("start %s: %v", program, err)
	}
	callBrowser(b, networkevents.Enable, networkevents.EnableParams{})
	callBrowser(b, runtime.Enable, cdp.Empty{})
	callBrowser(b, log.Enable, cdp.Empty{})
	callBrowser(b, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	return b
}

func (b *browser) event(ev any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch ev := ev.(type) {
	case *networkevents.EventRequestWillBeSent:
		// The icon of a date field is a data: URL of the browser itself; the policy allows none to pages.
		if !strings.HasPrefix(ev.Request.URL, "data:") {
			b.requests = append(b.requests, ev.Request.URL)
		}
	case *log.EventEntryAdded:
		b.messages = append(b.messages, string(ev.Entry.Level)+": "+ev.Entry.Text+" "+ev.Entry.URL)
	case *runtime.EventConsoleAPICalled:
		b.messages = append(b.messages, "console."+string(ev.Type))
	case *runtime.EventExceptionThrown:
		b.messages = append(b.messages, "exception: "+ev.ExceptionDetails.Text)
	}
}

func callBrowser[P, R any](b *browser, command cdp.Command[P, R], params P) R {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserPatience)
	defer cancel()
	r, err := chromedp.Call(ctx, command, params)
	if err != nil {
		b.t.Fatalf("%s: %v", command.Method, err)
	}
	return r
}

func inBrowser[T any](b *browser, what string, a chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserPatience)
	defer cancel()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
	return v
}

// open loads a page and waits for the focus: a key before the browser has set it would prevent it.
func (b *browser) open(path string) {
	b.t.Helper()
	inBrowser(b, "open "+path, chromedp.Navigate(b.base+path))
	b.until(`(box => box === null || box === document.activeElement)(document.querySelector("[autofocus]"))`)
}

// js evaluates an expression in the page for the tests. The page itself may run no scripts.
func js[T any](b *browser, expression string) T {
	b.t.Helper()
	return inBrowser(b, expression, chromedp.Evaluate[T](expression))
}

// until waits until an expression is true in the page.
func (b *browser) until(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserPatience)
	defer cancel()
	for {
		_, err := chromedp.Run(ctx, chromedp.Poll[bool](expression))
		switch {
		case err == nil:
			return
		case ctx.Err() == nil && (strings.Contains(err.Error(), "Cannot find context") || strings.Contains(err.Error(), "target navigated")):
			continue // the page has just been replaced
		}
		b.t.Fatalf("until %s: %v", expression, err)
	}
}

func (b *browser) keys(keys string) {
	b.t.Helper()
	inBrowser(b, "keys "+keys, chromedp.KeyEvent(keys))
}

// loads performs an action that opens another page, and returns the path and query of that page.
func (b *browser) loads(what string, do chromedp.Action[chromedp.Void]) string {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, browserPatience)
	defer cancel()
	r, err := chromedp.RunResponse(ctx, do)
	if err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
	return strings.TrimPrefix(r.URL, b.base)
}

func (b *browser) size(width, height int64) {
	b.t.Helper()
	inBrowser(b, "size", chromedp.EmulateViewport(width, height))
}

func (b *browser) scheme(name string) {
	b.t.Helper()
	callBrowser(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
	})
}

// get reads JSON from the server without the browser.
func (b *browser) get(path string, into any) {
	b.t.Helper()
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, b.base+path, http.NoBody)
	if err != nil {
		b.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		b.t.Fatalf("%s: %v", path, err)
	}
}

// quiet fails the test if a page sent requests elsewhere or the browser reported anything.
func (b *browser) quiet() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.requests) == 0 {
		b.t.Error("the browser asked for nothing")
	}
	for _, r := range b.requests {
		if !strings.HasPrefix(r, b.base+"/") {
			b.t.Errorf("a request beyond the server: %s", r)
		}
	}
	for _, m := range b.messages {
		b.t.Errorf("a message in the console: %s", m)
	}
}
