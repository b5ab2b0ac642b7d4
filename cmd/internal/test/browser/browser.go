// Package browser opens pages of ours in a browser, for tests: one browser for all tests of a package, a tab
// for each page. What a page writes to the console, and what it asks of another host than its own, fails the
// test. A Tab belongs to one test.
package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	clog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/aside-go/aside/internal/test/testkit"
)

// browsers are the programs that the tests of the page run in, the first that there is.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
	"headless_shell", "headless-shell"}

// started is the one browser of all tests.
var started struct {
	once sync.Once
	ctx  context.Context
	stop context.CancelFunc
	err  error
}

// Main runs the tests of a package, and ends the browser after them. It is for TestMain.
func Main(m *testing.M) int {
	code := m.Run()
	if started.stop != nil {
		started.stop()
	}
	return code
}

// browser returns the context of the browser.
func browser(t testing.TB) context.Context {
	t.Helper()
	path := testkit.Program(t, browsers...)
	started.once.Do(func() {
		started.ctx, started.stop = chromedp.NewContext(context.Background(),
			chromedp.WithAllocatorOptions(chromedp.ExecPath(path), chromedp.NoSandbox))
		started.err = chromedp.Do(started.ctx)
	})
	if started.err != nil {
		t.Fatal(started.err)
	}
	return started.ctx
}

// Tab is a page that is open in the browser.
type Tab struct {
	T   testing.TB
	Ctx context.Context

	own      []string // what the page may ask for begins so
	mu       sync.Mutex
	asked    []string
	messages []string
}

// Looks are what a tab is opened with. The zero Looks are a wide screen in light colours.
type Looks struct {
	Width, Height int64
	Dark, Still   bool
	Media         string // "": screen
}

const patience = 60 * time.Second

// Open opens an address and waits until the page says that it is ready, by html[data-ready]. The page may ask
// for addresses that begin with own.
func Open(t testing.TB, address, own string, l Looks) *Tab {
	t.Helper()
	x := Blank(t, l, own)
	x.Do(chromedp.Navigate(address), chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
	return x
}

// Blank opens an empty tab, for pages that may ask for addresses that begin with one of own.
func Blank(t testing.TB, l Looks, own ...string) *Tab {
	t.Helper()
	parent := browser(t)
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, patience)
	t.Cleanup(stop)
	x := &Tab{T: t, Ctx: ctx, own: append(own, "data:image/svg+xml,", "data:,")}
	if l.Width == 0 {
		l.Width, l.Height = 1280, 900
	}
	x.Do(chromedp.EmulateViewport(l.Width, l.Height))
	if err := chromedp.Listen(ctx, x.heard); err != nil {
		t.Fatal(err)
	}
	x.called(network.Enable.Method, second(chromedp.Call(ctx, network.Enable, network.EnableParams{})))
	x.called(clog.Enable.Method, second(chromedp.Call(ctx, clog.Enable, struct{}{})))
	x.Dress(l)
	t.Cleanup(x.quiet)
	return x
}

// Dress sets what the page can ask of its surroundings.
func (x *Tab) Dress(l Looks) {
	x.T.Helper()
	scheme, motion := "light", "no-preference"
	if l.Dark {
		scheme = "dark"
	}
	if l.Still {
		motion = "reduce"
	}
	_, err := chromedp.Call(x.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: l.Media,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: motion}}})
	x.called("media", err)
}

func second[T any](_ T, err error) error { return err }

func (x *Tab) called(what string, err error) {
	x.T.Helper()
	if err != nil {
		x.T.Fatalf("%s: %v", what, err)
	}
}

// heard notes what the page did that it should not.
func (x *Tab) heard(ev any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		url, _, _ := strings.Cut(ev.Request.URL, "#")
		if !slices.ContainsFunc(x.own, func(own string) bool { return strings.HasPrefix(url, own) }) {
			x.asked = append(x.asked, ev.Request.URL)
		}
	case *runtime.EventConsoleAPICalled:
		x.messages = append(x.messages, fmt.Sprintf("%s %v", ev.Type, ev.Args))
	case *runtime.EventExceptionThrown:
		x.messages = append(x.messages, fmt.Sprintf("%s %v", ev.ExceptionDetails.Text,
			ev.ExceptionDetails.Exception))
	case *clog.EventEntryAdded:
		x.messages = append(x.messages, ev.Entry.Text)
	}
}

// Forgive drops what the page has said to the console so far that holds a text: the browser itself tells
// there of each answer that is an error.
func (x *Tab) Forgive(part string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.messages = slices.DeleteFunc(x.messages, func(m string) bool { return strings.Contains(m, part) })
}

// quiet fails the test for anything heard.
func (x *Tab) quiet() {
	x.T.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.asked) > 0 || len(x.messages) > 0 {
		x.T.Errorf("the page asked for %q and said %q", x.asked, x.messages)
	}
}

// Do does steps.
func (x *Tab) Do(steps ...chromedp.Action[chromedp.Void]) {
	x.T.Helper()
	if err := chromedp.Do(x.Ctx, steps...); err != nil {
		x.T.Fatal(err)
	}
}

// Is returns what an expression of the page comes to.
func Is[T any](x *Tab, js string) T {
	x.T.Helper()
	v, err := chromedp.Run(x.Ctx, chromedp.Evaluate[T](js))
	if err != nil {
		x.T.Fatalf("%s: %v", js, err)
	}
	return v
}

// Want holds an expression of the page to a value, which it may take a while to come to, on a busy machine a
// long one.
func Want[T comparable](x *Tab, js string, value T) {
	x.T.Helper()
	var got T
	for end := time.Now().Add(patience / 3); time.Now().Before(end); {
		if got = Is[T](x, js); got == value {
			return
		}
		x.Do(chromedp.Sleep(20 * time.Millisecond)) // an animation, or a timer of the page
	}
	x.T.Errorf("%s is %v, want %v", js, got, value)
}

// Press sends keys to what has the focus.
func (x *Tab) Press(keys ...string) {
	x.T.Helper()
	for _, k := range keys {
		x.Do(chromedp.KeyEvent(k))
	}
}

// Focus says what has the focus: its name and its role.
func (x *Tab) Focus() string {
	x.T.Helper()
	return Is[string](x, `(() => { const e = document.activeElement; return (e.getAttribute('aria-label') || e.textContent).trim().replace(/\s+/g, ' ') + ' (' + (e.getAttribute('role') || e.localName) + ')'; })()`)
}
