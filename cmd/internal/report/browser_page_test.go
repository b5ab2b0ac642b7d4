package report_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/aside-go/aside/cmd/internal/test/browser"
	"github.com/aside-go/aside/internal/test/testkit"
)

// gauge is a session of which the tests know every turn: edits on turns 2, 6 and 20, a failure on 8, a full
// context before the compaction on 16, messages on 1 and 12.
func gauge() *session {
	s := newSession("gauge-1")
	full := 20_000
	for i := 1; i <= 24; i++ {
		full += 8000
		switch i {
		case 1:
			s.says("Fix the gauge, please.")
		case 12:
			s.says("And the needle.")
		case 16:
			s.compacts()
			full = 20_000
		}
		switch i {
		case 1, 5, 19:
			s.calls(full, "Edit", "Bash")
		case 7:
			s.calls(full, "Bash!")
		case 9:
			s.calls(full, "Read", "Read", "Grep")
		default:
			s.calls(full, "Read")
		}
	}
	return s
}

func gaugePage(t testing.TB) string {
	return pageOf(t, gaugeRules(t), map[string]*session{"gauge.jsonl": gauge()})
}

// TestBrowserDays holds that the heading names the first day and the last, whatever the order of the runs.
func TestBrowserDays(t *testing.T) {
	t.Parallel()
	late, early := newSession("late-1"), newSession("early-1")
	early.at = late.at.AddDate(0, 0, -2)
	early.calls(1000, "Read")
	late.calls(1000, "Read")
	x := opened(t, pageOf(t, gaugeRules(t), map[string]*session{"a.jsonl": late, "b.jsonl": early}), looks{})
	want(x, text(`#lead`), "2 runs · 28 February – 2 March 2026")
}

// TestBrowserOpens holds what is on the page when it opens: the sums, a lane for each reminder that fired,
// the first firing.
func TestBrowserOpens(t *testing.T) {
	t.Parallel()
	x := opened(t, gaugePage(t), looks{})
	want(x, `document.title`, "Replay of gauge-1")
	want(x, `document.querySelector('h1').textContent`, "Replay of Fix the gauge, please.")
	want(x, `[...document.querySelectorAll('#stats div')].map((d) => d.lastChild.textContent + ' ' + d.firstChild.textContent).join(', ')`,
		"4 Firings, 29 Tokens, 3of 4 Reminders that fired, 24 Turns, 2 User messages, 281 failed Tool calls, "+
			"1 Compaction")
	want(x, `[...document.querySelectorAll('.lane.fired .label')].map((l) => l.textContent).join(', ')`,
		"nearly-full1, each-message1, run-tests2")
	want(x, `[...document.querySelectorAll('.tool .label')].map((l) => l.textContent).join(', ')`,
		"Read20 calls, Bash4 calls, 1 failed, Edit3 calls, Grep1 call")
	want(x, `document.querySelectorAll('.cut').length`, 1)
	want(x, `document.querySelector('#runs').hidden`, true)
	want(x, text(`#h-detail`), "run-tests")
	want(x, text(`#never`), "Never fired, and why never-deploys when: after_tool:Deploy after_tool:Deploy (never used)")
	want(x, text(`#rule-table tbody`),
		"run-tests when: after_tool:Edit,Write guidance 2 2 20 18 1 each-message while: user_message "+
			"and turn_gt:3 "+
			"correctness 1 12 12 8 0 "+
			"nearly-full when: context_usage > 60% safety 1 14 14 3 1")
	want(x, text(`#fire-table tbody`),
		"2 09:01 14% run-tests after_tool:Edit Files have changed. Run the tests. 9 "+
			"12 09:07 54% each-message user_message and turn_gt:3 The user said: And the needle. 8 14 09:08 62% "+
			"nearly-full context_usage > 60% 62% full. 3 "+
			"20 09:10 22% run-tests after_tool:Edit Files have changed. Run the tests. 9")
}

// text is what is to be read in an element, on one line.
func text(selector string) string {
	return "document.querySelector('" + selector + "').innerText.trim().replace(/\\s+/g, ' ')"
}

// TestBrowserDetail holds what a mark tells when it is clicked, for each kind of mark.
func TestBrowserDetail(t *testing.T) {
	t.Parallel()
	x := opened(t, gaugePage(t), looks{Looks: browser.Looks{Still: true}})
	for _, c := range []struct {
		mark, title string
		says        []string
	}{
		{"run-tests fired, turn 20, because after_tool:Edit", "run-tests", []string{"Fired, guidance",
			"Turn 20 of 24 · 09:10 · context 22%", "asks for tests", "Why it fired after_tool:Edit,Write " +
				"tool_used is " +
				"[Edit, Bash] after_tool:Edit after_tool:Write",
			"What the model would have read Files have changed. Run the tests. 9 " +
				"tokens", "tools before Edit, Bash", "context 22% of 200,000 tokens", "cooldown 10 turns"}},
		{"nearly-full fired, turn 14, because context_usage > 60%", "nearly-full", []string{"Fired, safety",
			"context_usage > 60% context_usage is 62%", "62% full.", "rearm context_usage < 40%"}},
		{"nearly-full held back, turn 15: not armed: it has fired, and waits for context_usage < 40%",
			"nearly-full",
			[]string{"Its trigger was true, and it was held back by not armed: it has fired, and waits for " +
				"context_usage < 40%."}},
		{"run-tests held back, turn 6: cooldown: 10 turns", "run-tests",
			[]string{"cooldown: 10 turns"}},
		{"User message, turn 12: And the needle.", "Turn 12", []string{"And the needle.",
			"Fired on this turn each-message, because user_message and turn_gt:3"}},
	} {
		x.Do(chromedp.Click(chromedp.CSS(`[aria-label="` + c.mark + `"]`)))
		want(x, text(`#h-detail`), c.title)
		got := is[string](x, text(`#detail`))
		for _, s := range c.says {
			if !strings.Contains(got, s) {
				t.Errorf("%s: %q is not in\n%s", c.mark, s, got)
			}
		}
	}
	want(x, `location.hash`, "#1.12")
	// A place on the curve shows the turn; the arrows walk to its neighbours.
	x.Do(chromedp.Click(chromedp.CSS("#turns")))
	want(x, text(`#h-detail`), "Turn 13")
	x.Do(chromedp.Click(chromedp.CSS("#d-next")), chromedp.Click(chromedp.CSS("#d-next")),
		chromedp.Click(chromedp.CSS("#d-next")))
	want(x, text(`#h-detail`), "Turn 16")
	if got := is[string](x, text(`#detail`)); !strings.Contains(got, "history compacted before this turn") {
		t.Error(got)
	}
}

// TestBrowserPlace holds that an address names a firing, or a turn.
func TestBrowserPlace(t *testing.T) {
	t.Parallel()
	x := opened(t, gaugePage(t), looks{hash: "#1.14.nearly-full"})
	want(x, text(`#h-detail`), "nearly-full")
	for hash, title := range testkit.Few(map[string]string{
		"#1.7": "Turn 7", "#1.14.gone": "Turn 14", "#9.9": "run-tests", "": "run-tests", "#1.99": "run-tests",
		"#%": "run-tests", "#<b>": "run-tests",
	}, 3) {
		x.Do(chromedp.Navigate(x.file+hash), chromedp.Reload(),
			chromedp.WaitReady(chromedp.CSS("html[data-ready]")))
		want(x, text(`#h-detail`), title)
	}
}

// TestBrowserFilters holds each filter, all at once, and how they go away.
func TestBrowserFilters(t *testing.T) {
	t.Parallel()
	x := opened(t, gaugePage(t), looks{Looks: browser.Looks{Still: true}})
	lanes := `[...document.querySelectorAll('.lane.fired .label .link')].map((l) => l.textContent).join(' ')`
	set := func(id, value string) {
		t.Helper()
		is[bool](x, `(() => { const e = document.getElementById('`+id+`'); e.value = '`+value+`'; e.dispatchEvent(new Event('input', { bubbles: true })); return true; })()`)
	}
	place := func(id, label string) string {
		t.Helper()
		return is[string](x, `[...document.getElementById('`+id+`').options].find((o) => o.textContent.startsWith('`+label+`')).value`)
	}
	want(x, `document.getElementById('f-reset').hidden`, true)
	set("f-tier", "safety")
	want(x, lanes, "nearly-full")
	want(x, text("#f-count"), "1 of 4 firings")
	want(x, `document.querySelectorAll('#fire-table tbody tr').length`, 1)
	set("f-tier", "")
	set("f-rule", place("f-rule", "run-tests"))
	want(x, lanes, "run-tests")
	want(x, text("#f-count"), "2 of 4 firings")
	set("f-rule", "")
	set("f-tool", place("f-tool", "Bash"))
	want(x, text("#f-count"), "2 of 4 firings")
	want(x, `document.querySelectorAll('.tool.faded').length`, 3)
	set("f-query", "NEEDLE")
	want(x, text("#f-count"), "0 of 4 firings")
	want(x, `document.querySelector('#fire-table').hidden`, true)
	set("f-tool", "")
	want(x, lanes, "each-message")
	want(x, `document.querySelectorAll('.lane.said .mark-hit').length`, 1)
	set("f-query", "after_tool")
	want(x, text("#f-count"), "2 of 4 firings")
	set("f-query", "nothing like it")
	if got := is[string](x, text("#rows")); !strings.Contains(got, "No firing fits these filters.") {
		t.Error(got)
	}
	x.Do(chromedp.Click(chromedp.CSS("#f-reset")))
	want(x, lanes, "nearly-full each-message run-tests")
	want(x, text("#f-count"), "")
	want(x, `document.activeElement.id`, "f-rule")
	// The name of a lane narrows to it, and back; Enter in the search goes to the first that it finds.
	x.Do(chromedp.Click(chromedp.CSS(`[aria-label="Show only each-message"]`)))
	want(x, lanes, "each-message")
	x.Do(chromedp.Click(chromedp.CSS(`[aria-label="Show all reminders, not only each-message"]`)))
	want(x, lanes, "nearly-full each-message run-tests")
	x.Do(chromedp.SendKeys(chromedp.CSS("#f-query"), "62%"+kb.Enter))
	want(x, text(`#h-detail`), "nearly-full")
}

// TestBrowserZoom holds how a stretch of the timeline is looked at: by buttons, by dragging, by the wheel.
func TestBrowserZoom(t *testing.T) {
	t.Parallel()
	x := opened(t, gaugePage(t), looks{Looks: browser.Looks{Still: true}})
	span := `(() => { // turns that are in view, by two of the ticks
		const n = [...document.querySelectorAll('.axis text')].map((e) => +e.textContent), at = [...document.querySelectorAll('.axis line')].map((e) => +e.getAttribute('x1'));
		return Math.round(document.querySelector('.axis svg').clientWidth / ((at[1] - at[0]) / (n[1] - n[0])));
	})()`
	want(x, span, 24)
	want(x, `document.getElementById('z-out').disabled`, true)
	x.Do(chromedp.Click(chromedp.CSS("#z-in")))
	want(x, span, 12)
	want(x, `document.querySelectorAll('.overview').length`, 1)
	x.Do(chromedp.Click(chromedp.CSS("#z-in")))
	want(x, span, 6)
	want(x, `document.getElementById('z-in').disabled`, true)
	x.Do(chromedp.Click(chromedp.CSS("#z-all")))
	want(x, span, 24)
	box := is[[]float64](x, `(() => { const r = document.getElementById('turns').getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; })()`)
	y := box[1] + box[3]/2
	x.Do(chromedp.DragAndDropXY(box[0]+box[2]/4, y, box[0]+box[2]*3/4, y))
	want(x, span, 12)
	is[bool](x, `document.getElementById('turns').dispatchEvent(new WheelEvent('wheel', { deltaY: 2000, ctrlKey: true, bubbles: true, cancelable: true, clientX: 600 }))`)
	want(x, span, 24)
}

// TestBrowserTime: by time, marks stand as far apart as their turns were in time, and a place that is clicked
// is that turn.
func TestBrowserTime(t *testing.T) {
	t.Parallel()
	x := opened(t, samplePage(t), looks{Looks: browser.Looks{Still: true}})
	want(x, text(".axis .label"), "Turn")
	x.Do(chromedp.Click(chromedp.CSS("#z-time")))
	want(x, text(".axis .label"), "Time (UTC)")
	want(x, `[...document.querySelectorAll('.axis text')].every((e) => /^\d\d:\d\d$/.test(e.textContent))`, true)
	off := is[float64](x, `(() => {
		const r = JSON.parse(document.getElementById('data').textContent).runs[0];
		let now = 0;
		const times = r.waits.map((w) => (now += w)), fired = r.fires.map((f) => times[f[1]]).sort((a, b) => a - b);
		const at = [...document.querySelectorAll('.lane.fired circle.ring')].map((e) => +e.getAttribute('cx')).sort((a, b) => a - b);
		if (at.length !== fired.length || at.length < 4) return 1;
		const part = (list) => list.map((v) => (v - list[0]) / (list[list.length - 1] - list[0])), a = part(at), f = part(fired);
		return Math.max(...a.map((v, i) => Math.abs(v - f[i])));
	})()`)
	if off > 0.01 {
		t.Errorf("marks are %g of the scale away from their times", off)
	}
	x.Do(chromedp.Click(chromedp.CSS(`.lane.fired .mark-hit`)))
	where := is[string](x, `document.querySelector('.chosen').getAttribute('x1')`)
	want(x, `document.querySelector('.lane.fired circle.ring').getAttribute('cx')`, where)
	x.Do(chromedp.Click(chromedp.CSS("#z-time")))
	want(x, text(".axis .label"), "Turn")
}

var sampleRuns = regexp.MustCompile(`^\S.* \(\), Explore \(from turn \d+\), `)

// TestBrowserRuns holds the choice between runs.
func TestBrowserRuns(t *testing.T) {
	t.Parallel()
	x := opened(t, samplePage(t), looks{Looks: browser.Looks{Still: true}})
	want(x, `document.querySelectorAll('.run').length`, 3)
	want(x, `[...document.querySelectorAll('.run')].map((r) => r.getAttribute('aria-current')).join(' ')`,
		"true  ")
	before := is[string](x, text("#run-facts"))
	x.Do(chromedp.Click(chromedp.CSS(`.run[data-run="1"]`)))
	want(x, `[...document.querySelectorAll('.run')].map((r) => r.getAttribute('aria-current')).join(' ')`,
		" true ")
	if after := is[string](x, text("#run-facts")); after == before {
		t.Errorf("still %s", after)
	}
	if said := is[string](x, `document.getElementById('live').textContent`); !strings.HasPrefix(said,
		"Run Explore, ") {
		t.Error(said)
	}
	// A session is known by its first message, a subagent by its kind and the turn that began it, which leads
	// back.
	named := `[...document.querySelectorAll('.run')].map((r) => r.querySelector('b').textContent + ' (' + (r.classList.contains('below') ? r.querySelector('small').textContent.split(' · ').pop() : '') + ')').join(', ')`
	if got := is[string](x, named); !sampleRuns.MatchString(got) {
		t.Error(got)
	}
	x.Do(chromedp.Click(chromedp.CSS(`#run-facts .link`)))
	want(x, `document.querySelector('.run[aria-current]').dataset.run`, "0")
	want(x, `[...document.querySelectorAll('#detail h4')].some((e) => e.textContent.startsWith('Subagents that began'))`,
		true)
	// A reminder of the table leads to its first firing, in whatever run that is.
	x.Do(chromedp.Click(chromedp.CSS(`#rule-table tbody tr:first-child .link`)))
	want(x, `document.activeElement.id`, "detail")
	want(x, text("#h-detail")+` === `+text("#rule-table tbody tr:first-child .link"), true)
}
