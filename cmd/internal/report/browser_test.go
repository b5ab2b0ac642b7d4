package report_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/browser"
)

func TestMain(m *testing.M) { os.Exit(browser.Main(m)) }

// tab is a page of a replay in the browser.
type tab struct {
	*browser.Tab
	file string
}

// looks are what a page is opened with, and the place in it.
type looks struct {
	browser.Looks
	hash string
}

// opened opens a page and waits until it has drawn itself.
func opened(t testing.TB, page string, l looks) *tab {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	address := "file://" + filepath.ToSlash(file)
	return &tab{browser.Open(t, address+l.hash, address, l.Looks), address}
}

func is[T any](x *tab, js string) T { x.T.Helper(); return browser.Is[T](x.Tab, js) }

func want[T comparable](x *tab, js string, value T) { x.T.Helper(); browser.Want(x.Tab, js, value) }
