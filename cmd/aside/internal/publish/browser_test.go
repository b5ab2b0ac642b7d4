package publish_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	clog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/aside-go/aside/internal/testkit"
)

// tab is a page of the site in a browser.
type tab struct {
	t      testing.TB
	ctx    context.Context
	at     string
	faults []string
}

const patience = 60 * time.Second

// browse serves a site and opens a browser for it. Whatever a page writes to the console fails the test.
func browse(t testing.TB, site http.Handler) *tab {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/favicon.ico" { // which browsers ask for by themselves
			site.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	path := testkit.Program(t, "chromium", "chromium-browser", "google-chrome")
	ctx, stop := chromedp.NewContext(context.Background(),
		chromedp.WithAllocatorOptions(chromedp.ExecPath(path), chromedp.NoSandbox))
	t.Cleanup(stop)
	ctx, cancel := context.WithTimeout(ctx, patience)
	t.Cleanup(cancel)
	x := &tab{t: t, ctx: ctx, at: server.URL + "/"}
	x.do(chromedp.EmulateViewport(1280, 900))
	if err := chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *runtime.EventConsoleAPICalled:
			x.faults = append(x.faults, fmt.Sprint(ev.Args))
		case *runtime.EventExceptionThrown:
			x.faults = append(x.faults, ev.ExceptionDetails.Text)
		case *clog.EventEntryAdded: // such as what a policy has refused
			x.faults = append(x.faults, ev.Entry.Text+" "+ev.Entry.URL)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, clog.Enable, struct{}{}); err != nil {
		t.Fatal(err)
	}
	return x
}

func (x *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	x.t.Helper()
	if err := chromedp.Do(x.ctx, steps...); err != nil {
		x.t.Fatal(err)
	}
}

func is[T any](x *tab, js string) T {
	x.t.Helper()
	v, err := chromedp.Run(x.ctx, chromedp.Evaluate[T](js))
	if err != nil {
		x.t.Fatalf("%s: %v", js, err)
	}
	return v
}

// until waits for an expression of the page to become true.
func (x *tab) until(js string) {
	x.t.Helper()
	for x.ctx.Err() == nil {
		if is[bool](x, js) {
			return
		}
		x.do(chromedp.Sleep(20 * time.Millisecond)) // a timer of the page, or the program that loads
	}
	x.t.Fatalf("%s stays false: %v", js, x.ctx.Err())
}

func (x *tab) media(scheme, media string) {
	x.t.Helper()
	_, err := chromedp.Call(x.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: media,
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
	if err != nil {
		x.t.Fatal(err)
	}
}

// TestBrowser: the site on a wide and a narrow screen, in the dark, on paper, by keyboard, and its search.
func TestBrowser(t *testing.T) {
	t.Parallel()
	dir := written(t, "")
	x := browse(t, http.FileServer(http.Dir(dir)))
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(pages) < 20 {
		t.Fatal(pages, err)
	}
	x.do(chromedp.EmulateViewport(380, 800))
	for _, p := range pages {
		x.do(chromedp.Navigate(x.at + filepath.Base(p)))
		if wide := is[int](x, `document.documentElement.scrollWidth`); wide > 380 {
			t.Errorf("%s is %d wide on a screen of 380", filepath.Base(p), wide)
		}
	}
	x.do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(x.at+"index.html"))
	x.media("dark", "")
	if got := is[string](x, `getComputedStyle(document.body).backgroundColor`); got != "rgb(21, 22, 24)" {
		t.Errorf("dark is %s", got)
	}
	x.media("light", "print")
	if !is[bool](x, `['header', 'nav'].every(s => getComputedStyle(document.querySelector(s)).display === 'none')`) {
		t.Error("the frame is on paper")
	}
	x.media("light", "")
	x.do(chromedp.KeyEvent("/"))
	x.until(`document.activeElement.id === 'query'`)
	is[any](x, `void (document.activeElement.value = '')`) // the protocol types it all the same
	for _, key := range "cooldown" {
		x.do(chromedp.KeyEvent(string(key)))
	}
	x.until(`document.querySelectorAll('#hits a').length > 0 && document.querySelector('#hits a').textContent.includes('cooldown')`)
	x.do(chromedp.KeyEvent(kb.ArrowDown))
	x.until(`document.activeElement === document.querySelector('#hits a')`)
	x.do(chromedp.KeyEvent(kb.Enter))
	x.until(`!location.pathname.endsWith('index.html') && document.readyState === 'complete'`)
	x.do(chromedp.Navigate("file://" + filepath.ToSlash(filepath.Join(dir, "index.html"))))
	is[any](x, `(query.value = 'cooldown', void query.dispatchEvent(new Event('input')))`)
	x.until(`document.querySelectorAll('#hits a').length > 0`)
	if len(x.faults) > 0 {
		t.Errorf("the console: %q", x.faults)
	}
}

// packedMost is the budget of the playground's program as browsers fetch it, in bytes.
const packedMost = 3_500_000

// TestPlayground: the program is small enough, a rule runs in the browser, its mistakes are told as it is
// typed, and its link brings it back.
func TestPlayground(t *testing.T) {
	if !testkit.Thorough() {
		t.Skip("builds the program for the browser; -long and CI=true run it")
	}
	t.Parallel()
	testkit.Program(t, "chromium", "chromium-browser", "google-chrome")
	dir := t.TempDir()
	build := exec.Command("go", "build", "-gcflags=all=-l", "-ldflags", "-s -w", "-o",
		filepath.Join(dir, "playground.wasm"),
		"github.com/aside-go/aside/cmd/aside/playground")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "wasm_exec.js"), glue, 0o600); err != nil {
		t.Fatal(err)
	}
	site := written(t, dir)
	if packed, err := os.Stat(filepath.Join(site, "playground.bin")); err != nil || packed.Size() > packedMost {
		t.Errorf("the packed program: %v, %v bytes", err, packed.Size())
	}
	x := browse(t, http.FileServer(http.Dir(site)))
	x.do(chromedp.Navigate(x.at + "playground.html"))
	x.until(`document.querySelectorAll('#turns .mark').length > 0`)
	t.Logf("the first mark after %.0f ms",
		is[float64](x, `performance.getEntriesByName('first mark')[0].startTime`))
	if got := is[string](x, `document.querySelector('#findings').textContent`); got != "No findings." {
		t.Errorf("findings of the first rule: %s", got)
	}
	write := func(rule string) {
		x.do(chromedp.SetValue(chromedp.CSS("#rule"), rule))
		is[any](x, `void document.querySelector('#rule').dispatchEvent(new Event('input'))`)
	}
	write("---\nwhen: context_usage > 75\n---\nx\n")
	x.until(`document.querySelector('#findings').textContent.includes('did you mean 75%?')`)
	is[any](x, `void document.querySelector('#findings button').click()`)
	x.until(`document.activeElement.id === 'rule' && document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd) === '75'`)
	write("---\nwhen: after_tool:Edit\n---\nKür\n")
	x.until(`[...document.querySelectorAll('#turns .mark')].some(m => m.textContent.includes('because after_tool:Edit'))`)
	link := is[string](x, `location.href`)
	x.do(chromedp.Navigate("about:blank"), chromedp.EmulateViewport(380, 800), chromedp.Navigate(link))
	x.until(`document.querySelectorAll('#turns .mark').length > 0`)
	if got := is[string](x, `document.querySelector('#rule').value`); got != "---\nwhen: after_tool:Edit\n---\nKür\n" {
		t.Errorf("the link brings %q", got)
	}
	if wide := is[int](x, `document.documentElement.scrollWidth`); wide > 380 {
		t.Errorf("%d wide on a screen of 380", wide)
	}
	if len(x.faults) > 0 {
		t.Errorf("the console: %q", x.faults)
	}
}
