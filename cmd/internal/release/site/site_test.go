package site_test

import (
	"bytes"
	"encoding/json"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/manual"
	"github.com/aside-go/aside/cmd/internal/release/site"
)

// commands are two of the commands.
var commands = []site.Command{
	{Program: "aside", Name: "check", Help: "Usage: aside check [<path> ...] [flags]\n\n" +
		"Find mistakes in\nrule files.\n\nFlags:\n  --fix"},
	{Program: "asided", Name: "why", Help: "Usage: asided why <id>\n\nSay why.\n\nMore <of> it."},
}

// written writes a site and returns its directory.
func written(t testing.TB, playground string) string {
	t.Helper()
	dir := t.TempDir()
	c := site.Content{Commands: commands,
		Sample:     []byte("<!doctype html><link rel=icon href=data:,><title>sample</title>"),
		Playground: playground}
	if err := site.Write(dir, c); err != nil {
		t.Fatal(err)
	}
	return dir
}

// programs writes a directory as --playground takes it, without a program in it that works.
func programs(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"playground.wasm", "wasm_exec.js"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestLinks: each link of the site leads to a file of the site, and to a place in it where it names one.
func TestLinks(t *testing.T) {
	t.Parallel()
	dir := written(t, programs(t))
	links, seen := regexp.MustCompile(`(?:href|src)="([^"]*)"`), 0
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(pages) < 20 {
		t.Fatal(pages, err)
	}
	for _, p := range pages {
		b, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range links.FindAllStringSubmatch(string(b), -1) {
			file, place, _ := strings.Cut(m[1], "#")
			if strings.HasPrefix(file, "https://") || strings.HasPrefix(file, "data:") {
				continue
			}
			seen++
			if file == "" {
				file = filepath.Base(p)
			}
			to, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil || place != "" && !strings.Contains(string(to), `id="`+place+`"`) {
				t.Errorf("%s: %s leads nowhere: %v", filepath.Base(p), m[1], err)
			}
		}
	}
	if seen < 500 {
		t.Errorf("only %d links", seen)
	}
}

// TestSearchLeads: each hit of the search leads to the place where its words stand.
func TestSearchLeads(t *testing.T) {
	t.Parallel()
	dir := written(t, "")
	b, err := os.ReadFile(filepath.Join(dir, "search.js"))
	if err != nil {
		t.Fatal(err)
	}
	var hits []struct{ F, T string }
	b = bytes.TrimSuffix(bytes.TrimPrefix(b, []byte("const sections = ")), []byte(";\n"))
	if err := json.Unmarshal(b, &hits); err != nil || len(hits) < 400 {
		t.Fatal(len(hits), err)
	}
	pages, placed := map[string]string{}, 0
	for _, h := range hits {
		file, place, _ := strings.Cut(h.F, "#")
		if pages[file] == "" {
			b, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Fatal(err)
			}
			pages[file] = html.UnescapeString(string(b))
		}
		place, err := url.PathUnescape(place)
		if err != nil {
			t.Error(err)
		}
		if place != "" && strings.Count(pages[file], ` id="`+place+`"`) != 1 {
			t.Errorf("%q leads to %s, which has no such place, or two", h.T, h.F)
		}
		if place != "" {
			placed++
		}
	}
	if placed < 400 || !strings.Contains(pages["words.html"], `id="word-R0410"`) {
		t.Errorf("%d hits lead to a place", placed)
	}
}

// TestSite: a page for each topic, which the first page links; words and commands are found by the search.
func TestSite(t *testing.T) {
	t.Parallel()
	dir := written(t, "")
	for _, topic := range manual.Topics() {
		if topic == "topics" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, topic+".html"))
		if err != nil || !strings.Contains(string(b), "<h1>") || !strings.Contains(string(b),
			`aria-current="page"`) {
			t.Errorf("%s: %v", topic, err)
		}
	}
	words, err := os.ReadFile(filepath.Join(dir, "search.js"))
	if err != nil || !strings.Contains(string(words), `"t":"cooldown: 10m"`) ||
		!strings.Contains(string(words), `commands.html#asided-why`) {
		t.Errorf("%v: %.300s", err, words)
	}
	all, _ := os.ReadFile(filepath.Join(dir, "commands.html"))
	if !strings.Contains(string(all), "More &lt;of&gt; it.") {
		t.Errorf("%s", all)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "playground.html")); err == nil {
		t.Errorf("a playground without a program: %s", b)
	}
	if err := site.Write(dir, site.Content{Playground: t.TempDir()}); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// TestMan: a page for each command and each topic, and one that lists them.
func TestMan(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := site.Man(dir, commands); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"aside.1": "aside-check", "aside-check.1": "Find mistakes in rule files", "asided-why.1": "More <of> it.",
		"aside-rules.7": ".SH", "aside-facts.7": "context_usage", "aside-glossary.7": "call pattern",
	} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		plain := strings.ReplaceAll(string(b), `\-`, "-")
		if err != nil || !strings.Contains(plain, ".TH") || !strings.Contains(plain, want) {
			t.Errorf("%s: %v\n%.500s", name, err, b)
		}
	}
}
