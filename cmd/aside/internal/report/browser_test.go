package report_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	clog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/aside-go/aside/internal/testkit"
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

func TestMain(m *testing.M) {
	code := m.Run()
	if started.stop != nil {
		started.stop()
	}
	os.Exit(code)
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

// tab is a page that is open in the browser. What it writes to the console or asks of the network fails the
// test.
type tab struct {
	t    testing.TB
	ctx  context.Context
	file string

	mu       sync.Mutex
	asked    []string
	messages []string
}

// looks are what a tab is opened with.
type looks struct {
	width, height int64
	dark, still   bool
	media         string
	hash          string
}

const patience = 60 * time.Second

// opened opens a page and waits until it has drawn itself.
func opened(t testing.TB, page string, l looks) *tab {
	t.Helper()
	parent := browser(t)
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(parent)
	t.Cleanup(cancel)
	ctx, stop := context.WithTimeout(ctx, patience)
	t.Cleanup(stop)
	x := &tab{t: t, ctx: ctx, file: "file://" + filepath.ToSlash(file)}
	if l.width == 0 {
		l.width, l.height = 1280, 900
	}
	x.do(chromedp.EmulateViewport(l.width, l.height))
	if err := chromedp.Listen(ctx, x.heard); err != nil {
		t.Fatal(err)
	}
	x.called(network.Enable.Method, second(chromedp.Call(ctx, network.Enable, network.EnableParams{})))
	x.called(clog.Enable.Method, second(chromedp.Call(ctx, clog.Enable, struct{}{})))
	x.dress(l)
	x.do(chromedp.Navigate(x.file+l.hash), chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
	t.Cleanup(x.quiet)
	return x
}

// dress sets what the page can ask of its surroundings.
func (x *tab) dress(l looks) {
	x.t.Helper()
	scheme, motion := "light", "no-preference"
	if l.dark {
		scheme = "dark"
	}
	if l.still {
		motion = "reduce"
	}
	_, err := chromedp.Call(x.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: l.media,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme},
			{Name: "prefers-reduced-motion", Value: motion}}})
	x.called("media", err)
}

func second[T any](_ T, err error) error { return err }

func (x *tab) called(what string, err error) {
	x.t.Helper()
	if err != nil {
		x.t.Fatalf("%s: %v", what, err)
	}
}

// heard notes what the page did that it should not.
func (x *tab) heard(ev any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch ev := ev.(type) {
	case *network.EventRequestWillBeSent:
		if url, _, _ := strings.Cut(ev.Request.URL, "#"); url != x.file && !strings.HasPrefix(url,
			"data:image/svg+xml,") {
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

// quiet fails the test for anything heard.
func (x *tab) quiet() {
	x.t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.asked) > 0 || len(x.messages) > 0 {
		x.t.Errorf("the page asked for %q and said %q", x.asked, x.messages)
	}
}

func (x *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	x.t.Helper()
	if err := chromedp.Do(x.ctx, steps...); err != nil {
		x.t.Fatal(err)
	}
}

// is returns what an expression of the page comes to.
func is[T any](x *tab, js string) T {
	x.t.Helper()
	v, err := chromedp.Run(x.ctx, chromedp.Evaluate[T](js))
	if err != nil {
		x.t.Fatalf("%s: %v", js, err)
	}
	return v
}

// want holds an expression of the page to a value, which it may take a moment to come to.
func want[T comparable](x *tab, js string, value T) {
	x.t.Helper()
	var got T
	for range 100 {
		if got = is[T](x, js); got == value {
			return
		}
		x.do(chromedp.Sleep(20 * time.Millisecond)) // an animation, or a timer of the page
	}
	x.t.Errorf("%s is %v, want %v", js, got, value)
}

// press sends keys to what has the focus.
func (x *tab) press(keys ...string) {
	x.t.Helper()
	for _, k := range keys {
		x.do(chromedp.KeyEvent(k))
	}
}

// focus says what has the focus: its name and its role.
func (x *tab) focus() string {
	x.t.Helper()
	return is[string](x, `(() => { const e = document.activeElement; return (e.getAttribute('aria-label') || e.textContent).trim().replace(/\s+/g, ' ') + ' (' + (e.getAttribute('role') || e.localName) + ')'; })()`)
}
