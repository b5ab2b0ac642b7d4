package report_test

import (
	"encoding/json"

	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"

	"github.com/aside-go/aside/cmd/internal/report"
	"github.com/aside-go/aside/cmd/internal/test/browser"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestBrowserDress holds light and dark: as the system has it, and as the button says.
func TestBrowserDress(t *testing.T) {
	t.Parallel()
	page := gaugePage(t)
	paper := `getComputedStyle(document.documentElement).backgroundColor`
	const light, dark = "rgb(250, 249, 246)", "rgb(21, 22, 24)"
	for _, c := range []struct {
		system bool
		papers [4]string // at first, then after each press: light, dark, system
	}{{false, [4]string{light, light, dark, light}}, {true, [4]string{dark, light, dark, dark}}} {
		x := opened(t, page, looks{Looks: browser.Looks{Dark: c.system}})
		is[any](x, `void localStorage.removeItem('aside-theme')`)
		for i, want1 := range c.papers {
			if i > 0 {
				x.Do(chromedp.Click(chromedp.CSS("#theme")))
			}
			want(x, paper, want1)
		}
		want(x, text("#theme"), "Colours: System")
	}
}

// TestBrowserPrint holds what is on paper: the whole timeline in light, all rows, nothing to press.
func TestBrowserPrint(t *testing.T) {
	t.Parallel()
	x := opened(t, pageOf(t, gaugeRules(t), map[string]*session{"long.jsonl": long(1500)}),
		looks{Looks: browser.Looks{Dark: true, Still: true}})
	x.Do(chromedp.Click(chromedp.CSS("#z-in")))
	rows := is[int](x, `document.querySelectorAll('#fire-table tbody tr').length`)
	x.Dress(browser.Looks{Dark: true, Still: true, Media: "print"})
	want(x, `getComputedStyle(document.documentElement).backgroundColor`, "rgb(255, 255, 255)")
	want(x, `['.filters', '.zoom', '#theme', '.keys', '#fire-more', '.skip'].filter((s) => getComputedStyle(document.querySelector(s)).display !== 'none').join(' ')`, "")
	want(x, `document.querySelector('.axis text').textContent`, "1")
	if got := is[int](x, `document.querySelectorAll('#fire-table tbody tr').length`); got <= rows {
		t.Errorf("%d rows on paper, %d on the screen", got, rows)
	}
	x.Dress(browser.Looks{Dark: true, Still: true})
	want(x, `document.querySelectorAll('#fire-table tbody tr').length`, rows)
	want(x, `document.getElementById('z-out').disabled`, false)
	pdf, err := chromedp.Run(x.Ctx, chromedp.PrintToPDF())
	if err != nil || len(pdf) < 20_000 {
		t.Errorf("%d bytes, %v", len(pdf), err)
	}
}

// TestBrowserNarrow holds that nothing is wider than a small screen, down to 380 pixels.
func TestBrowserNarrow(t *testing.T) {
	t.Parallel()
	for name, page := range testkit.Few(map[string]string{"sample": samplePage(t), "gauge": gaugePage(t),
		"hostile": hostile(t)}, 1) {
		x := opened(t, page, looks{Looks: browser.Looks{Width: 2200, Height: 800}})
		for _, width := range []int64{2200, 1000, 700, 380} {
			x.Do(chromedp.EmulateViewport(width, 800))
			want(x, `document.documentElement.scrollWidth`, int(width))
			if t.Failed() {
				t.Fatalf("%s at %d: %v is wide", name, width, is[[]string](x,
					`[...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest('svg')).slice(0, 5).map((e) => e.outerHTML.slice(0, 120))`))
			}
		}
	}
}

// TestBrowserTree holds what a screen reader is told: headings in order, names for all that can be used,
// tables as tables also where they look like cards.
func TestBrowserTree(t *testing.T) {
	t.Parallel()
	for _, width := range []int64{380, 1280}[:testkit.Repeat(1, 2)] {
		x := opened(t, gaugePage(t), looks{Looks: browser.Looks{Width: width, Height: 900}})
		tree, err := chromedp.Call(x.Ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err != nil {
			t.Fatal(err)
		}
		var nodes []string
		for _, n := range tree.Nodes {
			if n.Ignored || n.Role == nil {
				continue
			}
			role, name := plain(n.Role), plain(n.Name)
			nodes = append(nodes, role+": "+name)
			if name == "" && slices.Contains([]string{"button", "link", "slider", "combobox", "searchbox", "table",
				"region", "heading", "form"}, role) {
				t.Errorf("at %d: a %s has no name", width, role)
			}
		}
		for _, want := range []string{
			"RootWebArea: Replay of gauge-1", "main: ", "banner: ", "contentinfo: ",
			"heading: Replay of Fix the gauge, please.",
			"heading: Timeline", "heading: Reminders", "heading: Every firing", "heading: run-tests",
			"heading: Why it fired", "heading: Never fired, and why",
			"form: Filters", "combobox: Reminder", "combobox: Tier", "combobox: Tool", "searchbox: Search",
			"button: Zoom in", "button: Whole run", "slider: Turns of the run",
			"group: Timeline of gauge-1, 24 turns", "group: run-tests, guidance, 2 firings", "group: User messages, " +
				"2", "button: run-tests fired, turn 2, because after_tool:Edit",
			"button: nearly-full held back, turn 15: not armed: it has fired, and waits for " +
				"context_usage " +
				"< 40%", "button: User message, turn 12: And the needle.",
			"region: run-tests", "table: Reminders that fired", "table: Every firing of the run, in " +
				"order", "rowheader: run-tests when: after_tool: Edit, Write", map[bool]string{true: "cell: guidance",
				false: "cell: tier guidance"}[width > 720], "image: true", "image: false", "status: ",
		} {
			if !slices.Contains(nodes, want) {
				t.Errorf("at %d: %q is not in the tree", width, want)
			}
		}
		if t.Failed() {
			t.Log(strings.Join(nodes, "\n"))
		}
		levels := is[[]string](x, `[...document.querySelectorAll('h1, h2, h3, h4')].filter((e) => e.checkVisibility()).map((e) => e.localName)`)
		for i := 1; i < len(levels); i++ {
			if levels[i] > levels[i-1] && levels[i][1] != levels[i-1][1]+1 {
				t.Errorf("after %s comes %s: %v", levels[i-1], levels[i], levels)
			}
		}
	}
}

func plain(v *accessibility.Value) string {
	var s string
	if v != nil {
		_ = json.Unmarshal(v.Value, &s) // what is not text has no name
	}
	return s
}

// TestBrowserHostile holds that texts which would be scripts are texts.
func TestBrowserHostile(t *testing.T) {
	t.Parallel()
	x := opened(t, hostile(t), looks{})
	want(x, `typeof window.hacked`, "undefined")
	want(x, `document.querySelectorAll('img, iframe, script:not(#data)').length`, 1)
	is[any](x, `void [...document.querySelectorAll('.mark-hit, .link, summary')].forEach((e) => { if (e.isConnected) e.dispatchEvent(new MouseEvent('click', { bubbles: true })); })`)
	want(x, `typeof window.hacked`, "undefined")
	want(x, `document.querySelectorAll('img, iframe, b b').length`, 0)
	if got := is[string](x, text("#timeline")); !strings.Contains(got, "[U+202E]") || !strings.Contains(got,
		"<img src=x onerror=window.hacked=6>") {
		t.Error("the texts are not shown as they were written")
	}
}

// TestBrowserLittle holds that a page of nothing, of one turn, and one without rules are drawn.
func TestBrowserLittle(t *testing.T) {
	t.Parallel()
	x := opened(t, written(t, report.New(compiled(t))), looks{})
	want(x, text("h1"), "Nothing to replay")
	if got := is[string](x, text("main")); !strings.Contains(got, "the recording holds no call of a model") {
		t.Error(got)
	}
	one := newSession("one")
	one.says("Hello.")
	one.calls(1000)
	x = opened(t, pageOf(t, compiled(t), map[string]*session{"one.jsonl": one}), looks{})
	want(x, `document.querySelectorAll('.mark-hit').length`, 1)
	if got := is[string](x, text("#timeline")); !strings.Contains(got, "No rules were given.") ||
		!strings.Contains(got, "does not say how full the context was") {
		t.Error(got)
	}
	is[any](x, `void document.querySelector('.mark-hit').dispatchEvent(new MouseEvent('click', { bubbles: true }))`)
	want(x, text("#h-detail"), "Turn 1")
}

// TestBrowserLong holds that a run of 20,000 turns is drawn with few elements, and can be looked at closely.
func TestBrowserLong(t *testing.T) {
	t.Parallel()
	x := opened(t, pageOf(t, starters(t), map[string]*session{"long.jsonl": long(testkit.Repeat(4_000,
		20_000))}), looks{Looks: browser.Looks{Still: true}})
	t.Logf("drawn after %.0f ms",
		is[float64](x, `performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd`))
	if n := is[int](x, `document.querySelectorAll('*').length`); n > 8000 {
		t.Errorf("%d elements", n)
	}
	if n := is[int](x, `Math.max(...[...document.querySelectorAll('path')].map((p) => p.getAttribute('d').length))`); n > 60_000 {
		t.Errorf("a path of %d characters", n)
	}
	is[bool](x, `document.getElementById('turns').dispatchEvent(new WheelEvent('wheel', { deltaY: -9000, ctrlKey: true, bubbles: true, cancelable: true, clientX: 700 }))`)
	want(x, `document.getElementById('z-in').disabled`, true)
	x.Do(chromedp.Focus(chromedp.CSS("#turns")))
	x.Press("0")
	want(x, `document.getElementById('z-out').disabled`, true)
}

// TestBrowserReal opens the page of a recorded session, and of two long ones.
func TestBrowserReal(t *testing.T) {
	t.Parallel()
	t.Run("short", func(t *testing.T) {
		browserReal(t, testkit.DataGlob(t, "transcripts", "claude-code", "*-*-*.jsonl"), 2)
	})
	t.Run("long", func(t *testing.T) {
		browserReal(t, testkit.BesideGlob(t, "transcripts", "claude-code", "*-*-*.jsonl"), 4)
	})
}

func browserReal(t *testing.T, paths []string, runs int) {
	set := starters(t)
	x := opened(t, written(t, played(t, report.New(set), set, nil, paths...)), looks{})
	want(x, `document.querySelectorAll('.run').length`, runs)
	t.Logf("drawn after %.0f ms",
		is[float64](x, `performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd`))
}
