package report_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/aside-go/aside/cmd/internal/test/browser"
)

// TestBrowserKeyboard walks through the page without a pointer: from its top to the marks, along and across
// the lanes, into the detail.
func TestBrowserKeyboard(t *testing.T) {
	t.Parallel()
	x := opened(t, gaugePage(t), looks{Looks: browser.Looks{Still: true}})
	var walk []string
	for range 14 {
		x.Press(kb.Tab)
		walk = append(walk, x.Focus())
	}
	for i, want := range []string{"Skip to the timeline (a)", "Colours: System (button)", "All reminders",
		"All tiers", "Any tool", " (input)", "By time (button)", "Zoom in (button)", "Turns of the run (slider)",
		"Show only nearly-full (button)", "Show only each-message " +
			"(button)", "Show only run-tests (button)", "run-tests fired, turn 2, because after_tool:Edit " +
			"(button)", "Keyboard and mouse (summary)"} {
		if !strings.HasPrefix(walk[i], want) {
			t.Errorf("tab %d leads to %q, want %q", i+1, walk[i], want)
		}
	}
}

// TestBrowserTurnKeys walks over the turns.
func TestBrowserTurnKeys(t *testing.T) {
	t.Parallel()
	x := opened(t, gaugePage(t), looks{Looks: browser.Looks{Still: true}})
	now := `document.getElementById('turns').getAttribute('aria-valuenow') + ' ' + document.getElementById('turns').getAttribute('aria-valuetext')`
	is[any](x, `void document.getElementById('turns').focus()`)
	for _, c := range []struct{ key, want string }{
		{kb.Home, "1 turn 1, 09:01, context unknown, a message of the user"},
		{kb.ArrowRight, "2 turn 2, 09:01, context 14%, Edit, Bash, 1 reminder fired"},
		{kb.PageUp, "12 turn 12, 09:07, context 54%, Read, 1 reminder fired, a message of the user"},
		{kb.ArrowLeft, "11 turn 11, 09:05, context 50%, Read"},
		{kb.End, "24 turn 24, 09:12, context 38%, Read"},
		{kb.PageDown, "14 turn 14, 09:08, context 62%, Read, 1 reminder fired"},
		{kb.Home + kb.PageUp + kb.ArrowLeft + kb.ArrowLeft + kb.ArrowLeft,
			"8 turn 8, 09:04, context 38%, Bash failed"},
		{kb.ArrowRight + kb.ArrowRight, "10 turn 10, 09:05, context 46%, Read ×2, Grep"},
		{kb.End + kb.PageDown + kb.ArrowRight + kb.ArrowRight,
			"16 turn 16, 09:08, context unknown, history compacted, Read"},
	} {
		x.Press(c.key)
		want(x, now, c.want)
		want(x, `document.activeElement.id`, "turns")
	}
	x.Press(kb.Enter)
	want(x, text("#h-detail"), "Turn 16")
	want(x, `document.getElementById('live').textContent`,
		"turn 16, 09:08, context unknown, history compacted, Read")
	want(x, `document.activeElement.id`, "turns")
	x.Press("+", "+", "+")
	want(x, `document.getElementById('z-in').disabled`, true)
	want(x, `document.activeElement.id`, "turns")
	x.Press(kb.Home) // what is walked to comes into view
	want(x, `document.querySelector('.axis text').textContent`, "1")
	x.Press("0")
	want(x, `document.getElementById('z-out').disabled`, true)
}

// TestBrowserMarkKeys walks from mark to mark: one of them is in the order of Tab, the arrows do the rest.
func TestBrowserMarkKeys(t *testing.T) {
	t.Parallel()
	x := opened(t, gaugePage(t), looks{Looks: browser.Looks{Still: true}})
	want(x, `document.querySelectorAll('.mark-hit[tabindex="0"]').length`, 1)
	is[any](x, `void document.querySelector('.mark-hit[tabindex="0"]').focus()`)
	const (
		edit  = "run-tests fired, turn 2, because after_tool:Edit (button)"
		held  = "run-tests held back, turn 6: cooldown: 10 turns (button)"
		again = "run-tests fired, turn 20, because after_tool:Edit (button)"
		said  = "User message, turn 1: Fix the gauge, please. (button)"
	)
	for _, c := range []struct{ key, want string }{
		{kb.Home, edit}, {kb.ArrowRight, held}, {kb.ArrowRight, again}, {kb.ArrowRight, again}, {kb.ArrowLeft,
			held}, {kb.Home, edit},
		{kb.ArrowUp, "each-message fired, turn 12, because user_message and turn_gt:3 (button)"},
		{kb.ArrowUp, "nearly-full fired, turn 14, because context_usage > 60% (button)"},
		{kb.ArrowRight, "nearly-full held back, turn 15: not armed: it has fired, and waits for " +
			"context_usage < 40% (button)"},
		{kb.ArrowUp, "User message, turn 12: And the needle. (button)"}, {kb.ArrowLeft, said}, {kb.ArrowUp,
			said}, {kb.ArrowDown + kb.ArrowDown +
			kb.ArrowDown, "run-tests held back, turn 6: cooldown: 10 turns (button)"},
		{kb.End, again},
	} {
		x.Press(c.key)
		if got := x.Focus(); got != c.want {
			t.Errorf("%q leads to %q, want %q", c.key, got, c.want)
		}
		want(x, `document.querySelectorAll('.mark-hit[tabindex="0"]').length`, 1)
	}
	x.Press(kb.Enter)
	want(x, text("#h-detail"), "run-tests")
	want(x, `document.getElementById('live').textContent`,
		"run-tests fired, turn 20, because after_tool:Edit. Text: Files have changed. Run the tests.")
	want(x, `document.querySelector('.mark-hit[aria-current]').getAttribute('aria-label') + ' (button)'`, again)
	if got := x.Focus(); got != again {
		t.Errorf("after Enter the focus is at %q", got)
	}
	x.Press("+", "+")
	if got := x.Focus(); got != again {
		t.Errorf("closer, the focus is at %q", got)
	}
	x.Press(kb.ArrowLeft + kb.ArrowLeft) // out of what is in view
	if got := x.Focus(); got != edit {
		t.Errorf("from close by, the first is %q", got)
	}
}

// TestBrowserGroups holds that marks which would touch are one, with their number, and come apart when it is
// opened.
func TestBrowserGroups(t *testing.T) {
	t.Parallel()
	set := gaugeRules(t)
	page := pageOf(t, set, map[string]*session{"long.jsonl": long(2000)})
	x := opened(t, page, looks{Looks: browser.Looks{Still: true}})
	label := `document.activeElement.getAttribute('aria-label')`
	is[any](x, `void document.querySelector('.lane.fired .mark-hit.fire[aria-label*="firings"]').focus()`)
	first := is[string](x, label)
	if !strings.Contains(first, " firings, turns ") {
		t.Fatal(first)
	}
	marks := is[int](x, `document.querySelectorAll('.mark-hit').length`)
	for i := 0; strings.Contains(is[string](x, label), " firings, "); i++ {
		if i > 12 {
			t.Fatalf("still %q", is[string](x, label))
		}
		x.Press(kb.Enter)
	}
	x.Press(kb.Enter)
	if said := is[string](x, `document.getElementById('live').textContent`); !strings.Contains(said,
		" fired, turn ") {
		t.Errorf("said %q", said)
	}
	if marks > 1500 {
		t.Errorf("%d marks are drawn of a long run", marks)
	}
}
