package site_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/aside-go/aside/cmd/internal/test/browser"
	"github.com/aside-go/aside/internal/test/testkit"
)

func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }

// browse serves a site and opens an empty tab for it, whose pages may ask for its files, and those of dir.
func browse(t testing.TB, site http.Handler, dir ...string) (x *browser.Tab, at string) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/favicon.ico" { // which browsers ask for by themselves
			site.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return browser.Blank(t, browser.Looks{}, append(dir, server.URL+"/")...), server.URL + "/"
}

// TestBrowser: the site on a wide and a narrow screen, in the dark, on paper, by keyboard, and its search.
func TestBrowser(t *testing.T) {
	t.Parallel()
	dir := written(t, "")
	files := "file://" + filepath.ToSlash(dir) + "/"
	x, at := browse(t, http.FileServer(http.Dir(dir)), files)
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(pages) < 20 {
		t.Fatal(pages, err)
	}
	x.Do(chromedp.EmulateViewport(380, 800))
	for _, p := range pages[:testkit.Repeat(5, len(pages))] {
		x.Do(chromedp.Navigate(at + filepath.Base(p)))
		if wide := browser.Is[int](x, `document.documentElement.scrollWidth`); wide > 380 {
			t.Errorf("%s is %d wide on a screen of 380", filepath.Base(p), wide)
		}
	}
	x.Do(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(at+"index.html"))
	x.Dress(browser.Looks{Dark: true})
	if got := browser.Is[string](x, `getComputedStyle(document.body).backgroundColor`); got != "rgb(21, 22, 24)" {
		t.Errorf("dark is %s", got)
	}
	x.Dress(browser.Looks{Media: "print"})
	if !browser.Is[bool](x, `['header', 'nav'].every(s => getComputedStyle(document.querySelector(s)).display === 'none')`) {
		t.Error("the frame is on paper")
	}
	x.Dress(browser.Looks{})
	x.Do(chromedp.KeyEvent("/"))
	browser.Want(x, `document.activeElement.id === 'query'`, true)
	browser.Is[any](x, `void (document.activeElement.value = '')`) // the protocol types it all the same
	for _, key := range "cooldown" {
		x.Do(chromedp.KeyEvent(string(key)))
	}
	browser.Want(x, `document.querySelectorAll('#hits a').length > 0 && document.querySelector('#hits a').textContent.includes('cooldown')`, true)
	x.Do(chromedp.KeyEvent(kb.ArrowDown))
	browser.Want(x, `document.activeElement === document.querySelector('#hits a')`, true)
	x.Do(chromedp.KeyEvent(kb.Enter))
	browser.Want(x, `!location.pathname.endsWith('index.html') && document.readyState === 'complete'`, true)
	x.Do(chromedp.Navigate(files + "chat.html"))
	browser.Want(x, `document.querySelectorAll('#talk aside-reminder').length === 1 && document.body.innerText.includes('<system-reminder>Obey')`, true)
	x.Do(chromedp.Navigate(files + "index.html"))
	browser.Is[any](x, `(query.value = 'cooldown', void query.dispatchEvent(new Event('input')))`)
	browser.Want(x, `document.querySelectorAll('#hits a').length > 0`, true)
}

// packedMost is the budget of the playground's program as browsers fetch it, in bytes.
const packedMost = 3_750_000

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
		"github.com/aside-go/aside/cmd/playground")
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
	x, at := browse(t, http.FileServer(http.Dir(site)))
	x.Do(chromedp.Navigate(at + "playground.html"))
	browser.Want(x, `document.querySelectorAll('#turns .mark').length > 0`, true)
	t.Logf("the first mark after %.0f ms",
		browser.Is[float64](x, `performance.getEntriesByName('first mark')[0].startTime`))
	if got := browser.Is[string](x, `document.querySelector('#findings').textContent`); got != "No findings." {
		t.Errorf("findings of the first rule: %s", got)
	}
	write := func(rule string) {
		x.Do(chromedp.SetValue(chromedp.CSS("#rule"), rule))
		browser.Is[any](x, `void document.querySelector('#rule').dispatchEvent(new Event('input'))`)
	}
	write("---\nwhen: context_usage > 75\n---\nx\n")
	browser.Want(x, `document.querySelector('#findings').textContent.includes('did you mean 75%?')`, true)
	browser.Is[any](x, `void document.querySelector('#findings button').click()`)
	browser.Want(x, `document.activeElement.id === 'rule' && document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd) === '75'`, true)
	write("---\nwhen: after_tool:Edit\n---\nKür\n")
	browser.Want(x, `[...document.querySelectorAll('#turns .mark')].some(m => m.textContent.includes('because after_tool:Edit'))`, true)
	link := browser.Is[string](x, `location.href`)
	long := "---\nwhen: " + strings.Repeat("turn_count > 3 and ", 20_000) + "always\n---\nx\n"
	write(long) // which no address takes
	browser.Want(x, `document.querySelector('#findings').textContent.includes('are allowed') && !location.hash`, true)
	browser.Is[any](x, `void document.querySelector('#share').click()`)
	browser.Want(x, `document.querySelector('#shared').textContent.includes('too long')`, true)
	x.Do(chromedp.Navigate("about:blank"), chromedp.EmulateViewport(380, 800), chromedp.Navigate(link))
	browser.Want(x, `document.querySelectorAll('#turns .mark').length > 0`, true)
	if y := browser.Is[float64](x, `document.querySelector('#turns .mark').getBoundingClientRect().bottom`); y > 800 {
		t.Errorf("the first firing ends %.0f pixels below the top of a screen of 800", y)
	}
	if got := browser.Is[string](x, `document.querySelector('#rule').value`); got != "---\nwhen: after_tool:Edit\n---\nKür\n" {
		t.Errorf("the link brings %q", got)
	}
	if wide := browser.Is[int](x, `document.documentElement.scrollWidth`); wide > 380 {
		t.Errorf("%d wide on a screen of 380", wide)
	}
}
