package inspector_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/aside-go/aside/cmd/internal/inspector"
	"github.com/aside-go/aside/cmd/internal/test/browser"
	"github.com/aside-go/aside/cmd/internal/webpage"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/test/testkit"
)

// opened opens the page, at a run or at none.
func opened(w *world, hash string, l browser.Looks) *browser.Tab {
	w.t.Helper()
	l.Still = true
	return browser.Open(w.t, w.url+"/"+hash, w.url+"/", l)
}

// text is what is to be read in an element, on one line.
func text(selector string) string {
	return "document.querySelector('" + selector + "').innerText.trim().replace(/\\s+/g, ' ')"
}

// block is what is to be read in a part of one of the reminders in their places, open or not, on one line.
func block(at int, part string) string {
	return fmt.Sprintf(`[...[...document.querySelectorAll('aside-reminder')].at(%d)`+
		`.shadowRoot.querySelector('[part=%s]').children].map((e) => e.textContent).join(' ').trim()`, at, part)
}

// drawn waits until the page has drawn a run with its reminders' states.
func drawn(x *browser.Tab, reminders int) {
	x.T.Helper()
	browser.Want(x, `document.querySelectorAll('#state-table tbody tr').length`, reminders)
}

// types writes a rule into the box.
func types(x *browser.Tab, rule string) {
	x.T.Helper()
	b, _ := json.Marshal(rule)
	browser.Is[any](x, `void (document.querySelector('#rule').value = `+string(b)+
		`, document.querySelector('#rule').dispatchEvent(new Event('input')))`)
}

// TestBrowserLive: a run appears in the list while the page is open, and goes on in its view; a reminder is
// toggled, another fired by hand; a trigger is typed.
func TestBrowserLive(t *testing.T) {
	t.Parallel()
	lines := func() []string { return []string{"of 3 requests", "passed: 1"} }
	w := open(t, inspector.Options{Coverage: lines}, rules)
	x := opened(w, "", browser.Looks{})
	browser.Want(x, text("#link"), "live")
	browser.Want(x, text("#coverage"), "of 3 requests passed: 1")
	browser.Want(x, `document.querySelector('#runs-note').textContent.startsWith('No run has had a turn')`, true)
	w.edits("r-1", 3)
	browser.Want(x, text("#live-runs"), "r-1 claude-sonnet-4-5 09:03:00 3 turns 1 firing")
	browser.Want(x, `document.querySelector('#live-runs svg path[stroke]').getAttribute('d').match(/v6/g).length`, 1)
	browser.Want(x, `document.querySelector('#live-runs a').getAttribute('href')`, "#r-1")
	x.Do(chromedp.Click(chromedp.CSS("#live-runs .run")))
	drawn(x, 3)
	browser.Want(x, `location.hash`, "#r-1")
	browser.Want(x, text("#lead"), "3 turns, 1 firing, 9 tokens.")
	browser.Want(x, text("#state-table tbody tr .state"), "cooldown, 9 turns left")
	browser.Want(x, `document.querySelectorAll('#turn-list > li').length`, 3)

	// a reminder in its place, folded; its words, its file and its reason
	browser.Want(x, block(0, "summary"), "Reminder run-tests")
	browser.Want(x, `document.querySelector('aside-reminder').open`, false)
	browser.Is[any](x, `void document.querySelector('aside-reminder').focus()`)
	x.Press(kb.Enter)
	browser.Want(x, `document.querySelector('aside-reminder').open`, true)
	browser.Want(x, text("aside-reminder"), "Files have changed. Run the tests.")
	browser.Want(x, block(0, "facts"), "Why after_tool:Edit Turn 2 Tokens 9 Rule rules.yaml")

	// the next turns, while the reminder stays open, and keeps the focus
	w.turn("r-1", map[string]any{"tool_used": []string{"Bash"}})
	browser.Want(x, text("#lead"), "4 turns, 1 firing, 9 tokens.")
	browser.Want(x, `document.querySelectorAll('#turn-list > li').length`, 4)
	browser.Want(x, `document.activeElement.localName + ' ' + document.activeElement.open`, "aside-reminder true")
	browser.Want(x, block(0, "summary"), "Reminder run-tests heeded on turn 4")
	browser.Want(x, `document.querySelector('#state-table tbody').innerText.includes('1 of 1 heeded')`, true)
	browser.Want(x, text("#live-runs .heeded"), "1 heeded, 0 ignored")
	browser.Want(x, text("#latest"), "Last fired: run-tests on turn 2. Firings so far: 1 heeded, 0 ignored.")

	// by hand
	x.Do(chromedp.Click(chromedp.CSS("#tab-reminders")))
	browser.Want(x, `document.querySelector('#state-table tbody').innerText.includes('context_usage > 60% (never above 19%)')`, true)
	x.Do(chromedp.Click(chromedp.CSS(`[aria-label="Fire plan by hand"]`)))
	browser.Want(x, `document.querySelector('#live').textContent`,
		"plan goes out with the next turn of this run.")
	w.turn("r-1", map[string]any{})
	browser.Want(x, text("#lead"), "5 turns, 2 firings, 14 tokens.")
	browser.Want(x, block(-1, "summary"), "Reminder plan")
	browser.Want(x, block(-1, "facts"), "Why by hand Turn 5 Tokens 5 Rule rules.yaml")

	// a trigger that is typed: a finding at its place, then marks on the turns
	x.Do(chromedp.Click(chromedp.CSS("#tab-try")))
	types(x, "context_tokens > 75%")
	browser.Want(x, `document.querySelectorAll('#findings .error').length > 0`, true)
	x.Do(chromedp.Click(chromedp.CSS("#findings button")))
	browser.Want(x, `document.activeElement.id`, "rule")
	types(x, "after_tool:Bash")
	browser.Want(x, text("#tried"), "rule would have fired 2 times on 5 turns.")
	browser.Want(x, `document.querySelectorAll('.lane.trial .mark-hit').length`, 2)
	browser.Want(x, text(".where"), "rule on turn 2, 4")
	x.Do(chromedp.Click(chromedp.CSS(".where a")))
	browser.Want(x, text("#h-detail"), "Turn 2")
	browser.Want(x, text("#turn-list .on .would"), "rule would fire: after_tool:Bash")
	x.Do(chromedp.Click(chromedp.CSS(".lane.trial .mark-hit")))
	browser.Want(x, text("#h-detail"), "rule")
	types(x, "after_tool:Edt")
	browser.Want(x, text("#findings"), `warning 1:12 no tool "Edt" was called here did you mean Edit?`)
	browser.Want(x, text("#tried"), "rule would have fired 0 times on 5 turns: after_tool:Edt (never used). "+
		"This run has called Bash, Edit, Read.")
	types(x, "prompt contains \"x\"")
	browser.Want(x, `document.querySelector('#tried').textContent.includes('which this host has not told')`, true)
	browser.Want(x, `document.querySelector('#tried').textContent.includes('words of turns are not kept')`, true)
	w.turn("r-1", map[string]any{"tool_used": []string{"Bash"}})
	types(x, "after_tool:Bash")
	browser.Want(x, text("#tried"), "rule would have fired 3 times on 6 turns.")

	// rows stay where they are, though plan has fired as often, and a new run waits for the focus to go
	browser.Want(x, `[...document.querySelectorAll('#state-table tbody tr')].map((tr) => tr.dataset.key).join(' ')`,
		"run-tests nearly-full plan")
	browser.Is[any](x, `void document.querySelector('#live-runs a').focus()`)
	w.edits("r-2", 1)
	browser.Want(x, text("#runs-note"), "2 runs, 1 of them new")
	browser.Want(x, `document.querySelector('#live-runs a').getAttribute('href')`, "#r-1")
	browser.Is[any](x, `void document.activeElement.blur()`)
	browser.Want(x, `document.querySelector('#live-runs a').getAttribute('href')`, "#r-2")
}

// TestBrowserWords: with --keep-bodies what was said stands beside the reminders, through the proxy.
func TestBrowserWords(t *testing.T) {
	t.Parallel()
	c := &clock{at: time.Now()}
	w := open(t, inspector.Options{Keep: time.Hour, Now: c.now, After: c.after},
		`{reminders: [{id: greet, when: user_message, content: Be kind.}]}`)
	w.says("r 1/ü.%", said("Fix the gauge <b>now</b>."))
	w.answers("r 1/ü.%", said("I look."), map[string]any{"type": "tool_use", "id": "t1", "name": "Bash",
		"input": map[string]any{"command": "go test ./... <script>"}})
	w.says("r 1/ü.%", map[string]any{"type": "tool_result", "tool_use_id": "t1", "is_error": true,
		"content": "FAIL " + strings.Repeat("long ", 2<<20)})
	x := opened(w, "", browser.Looks{})
	browser.Is[any](x, `(() => { // the timer of the page's words is the test's
		const soon = setTimeout;
		setTimeout = (do_, ms) => ms < 3e5 ? soon(do_, ms) : (forgets = do_, later = ms, 1);
	})()`)
	x.Do(chromedp.Click(chromedp.CSS("#live-runs .run")))
	drawn(x, 1)
	browser.Want(x, `document.querySelector('#turn-list > li').innerText.includes('Fix the gauge <b>now</b>.')`,
		true)
	browser.Want(x, `document.querySelector('#turn-list > li:nth-child(2)').innerText.replace(/\s+/g, ' ').includes('Bash go test ./... <script> failed FAIL long')`, true)
	browser.Want(x, `document.querySelector('#turn-list > li:nth-child(2)').innerText.includes('I look.')`, true)
	if n := browser.Is[int](x, `document.body.innerHTML.length`); n > 100_000 {
		t.Errorf("%d characters of page for a result of 10 MB", n)
	}
	types(x, `prompt contains "gauge"`)
	browser.Want(x, text("#tried"), "rule would have fired 1 time on 2 turns.")
	// What the server drops goes from the page, which shows no run where nobody answers.
	const gauge = `document.querySelector('#chosen').innerText.includes('Fix the')`
	browser.Want(x, `window.later > 3e6 && `+gauge, true)
	c.move(2 * time.Hour)
	browser.Is[any](x, `void forgets()`)
	browser.Want(x, gauge, false)
	browser.Want(x, `document.querySelector('#turn-list > li:nth-child(2)').innerText.includes('Bash')`, true)
	w.says("r 1/ü.%", said("Fix the gauge again."))
	browser.Want(x, gauge, true)
	browser.Is[any](x, `(fetch = async () => { throw 0 }, void forgets())`)
	browser.Want(x, `document.querySelector('#chosen').hidden`, true)
}

// TestBrowserFast: firings without a pause arrive in a long run. The page asks far less often than they come,
// and each answer holds only the turns that the page lacks.
func TestBrowserFast(t *testing.T) {
	t.Parallel()
	w := open(t, inspector.Options{}, `{reminders: [{id: each, while: turn_count > 0, content: Now.}]}`)
	for range 4000 {
		w.turn("r", map[string]any{})
	}
	x := opened(w, "#r", browser.Looks{})
	drawn(x, 1)
	const asked = `performance.getEntriesByType('resource').filter((e) => e.name.includes('/aside/runs/'))`
	const told = asked + `.reduce((n, e) => n + e.decodedBodySize, 0)`
	whole := browser.Is[int](x, told)
	for range 1000 {
		w.turn("r", map[string]any{})
	}
	browser.Want(x, `document.querySelector('#lead').textContent.startsWith('5,000 turns, 5,000 firings')`, true)
	browser.Want(x, block(-1, "facts"), "Why turn_count > 0 Turn 5,000 Tokens 1 Rule rules.yaml")
	if n := browser.Is[int](x, asked+`.length`); n < 2 || n > 200 {
		t.Errorf("%d questions for 1,000 turns", n)
	}
	if n := browser.Is[int](x, told) - whole; whole < 50_000 || n > whole {
		t.Errorf("%d bytes for 1,000 turns, after %d for 4,000", n, whole)
	}
}

// TestExtend: what a page makes of the parts in which it is told of a run is what it is told of all of it at
// once, wherever the parts end; other rules make it ask for all of it.
func TestExtend(t *testing.T) {
	t.Parallel()
	w := open(t, inspector.Options{Keep: time.Hour}, rules+
		"  - {id: last, when: stopping, rearm: turn_count > 0, content: Wait.}\n"+
		"  - {id: often, while: turn_count > 2, content: \"{{.prompt}}\", cooldown: 2 turns}\n")
	i := 0
	turns := func(n int) {
		for range n {
			i++
			facts := map[string]any{"context_tokens": 20_000 + 9_000*(i%18), "context_window": 200_000 + i/40,
				"tool_used": []string{"Read", []string{"Edit", "Bash", "Write"}[i%3]}, "last_tool_call_failed": i%7 == 3,
				"compacted": i%11 == 0, "resumed": i%13 == 0, "model": "m" + strings.Repeat("x", i/25),
				"response": fmt.Sprint("I say ", i)}
			if i%5 == 0 {
				facts["user_message"], facts["prompt"] = true, fmt.Sprint("Please ", i/10)
			}
			w.turn("r", facts)
			if i%3 == 0 {
				if _, err := w.ev.Decide(t.Context(), "r", eval.Turn{Moment: fact.Stopping, At: w.at}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	type told struct {
		Edition uint64            `json:"edition"`
		From    int               `json:"from"`
		Results []json.RawMessage `json:"results"`
		Data    json.RawMessage   `json:"data"`
	}
	ask := func(query string) (out told) {
		t.Helper()
		_, body := w.get("/aside/runs/r" + query)
		if err := json.Unmarshal([]byte(body), &out); err != nil {
			t.Fatal(err, body)
		}
		return out
	}
	var steps [][2]told // a part, and the whole
	var edition uint64
	have, results := 0, 0
	for k, n := range []int{1, 1, 0, 1, 3, 1, 0, 7, 1, 1, 40, 2, 1, 1} {
		turns(n)
		part, whole := ask(fmt.Sprintf("?edition=%d&turns=%d&results=%d", edition, have, results)), ask("")
		if (part.From > 0) != (k > 1) {
			t.Errorf("step %d is told from turn %d on", k, part.From)
		}
		if part.From == 0 {
			results = 0
		}
		edition, have = part.Edition, i
		if results += len(part.Results); results != len(whole.Results) {
			t.Errorf("step %d: %d results of %d", k, results, len(whole.Results))
		}
		steps = append(steps, [2]told{part, whole})
	}
	for _, column := range strings.Fields("prompts answers compact resumed held errors did windows") {
		if whole := string(steps[len(steps)-1][1].Data); !strings.Contains(whole, `"`+column+`":`) || results < 5 {
			t.Errorf("no %s, or only %d results, in\n%s", column, results, whole)
		}
	}
	all, err := json.Marshal(steps)
	if err != nil {
		t.Fatal(err)
	}
	x := opened(w, "", browser.Looks{})
	if got := browser.Is[string](x, `(() => {`+webpage.Asset("base.js")+webpage.Asset("data.js")+inspector.Extend+`
		const seen = (data) => {
			adopt(data);
			const r = open(runs[0]), parts = (i) => { const [shape, truths, ...values] = D.parts[i]; return [D.shapes[shape], truths, values.map(text)]; };
			const sorted = (list) => list.map(({ rule, turn, last, why }) => [rule, turn, last, why]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
			return JSON.stringify([r.n, r.usage, r.context, r.times, r.compact, r.resumed, r.windows, (r.models || []).map(([turn, i]) => [turn, text(i)]),
				r.said.map((m) => [m.turn, m.text]), [...Array(r.n).keys()].map((t) => called(r, t).map((c) => [c.name, c.n, c.failed])),
				r.ranked.map((t) => [t.name, t.calls, t.failed, t.turns]), sorted(r.held), sorted(r.errors),
				r.fires.map((f) => [f.rule, f.turn, f.tokens, f.text, f.why, parts(f.parts), f.manual]),
				(r.did || []).map(([turn, tool, subject, failed, output]) => [turn, text(tool), text(subject), failed, text(output)]),
				(r.answers || []).map(([turn, i]) => [turn, text(i)]), rules.map((q) => q.id)]);
		};
		let has;
		for (const [k, [part, whole]] of `+string(all)+`.entries()) {
			has = part.from > 0 ? extend(has, part.data, part.from) : part.data;
			const got = seen(has), want = seen(whole.data);
			if (got !== want) return 'step ' + k + '\n' + got + '\n' + want;
		}
		return '';
	})()`); got != "" {
		t.Error(got)
	}
}

// TestBrowserLong: 5,000 turns are drawn with few elements, 100 runs are listed.
func TestBrowserLong(t *testing.T) {
	t.Parallel()
	w := open(t, inspector.Options{}, rules)
	for i := range 99 {
		w.edits(fmt.Sprintf("run-%d", i), 2)
	}
	w.edits("long", 5000)
	x := opened(w, "", browser.Looks{})
	browser.Want(x, `document.querySelectorAll('#live-runs .run').length`, 100)
	t.Logf("the page after %.0f ms, the runs after %.0f ms",
		browser.Is[float64](x, `performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd`),
		browser.Is[float64](x, `performance.getEntriesByName('runs')[0].startTime`))
	// before the first runs are on the screen: one look, one script, and the stream of events, which has an
	// entry when it ends; then the coverage
	asked := browser.Is[string](x,
		`performance.getEntriesByType('resource').filter((e) => !e.name.startsWith('data:')).map((e) => new URL(e.name).pathname).sort().join(' ')`)
	if strings.NewReplacer("/aside/events ", "", "/aside/coverage ", "").Replace(asked) !=
		"/aside/inspector.css /aside/inspector.js" {
		t.Errorf("the page asks for %s", asked)
	}
	if n := browser.Is[int](x, `performance.getEntriesByType('resource').reduce((n, e) => n + e.decodedBodySize, 0)`); n > 150_000 {
		t.Errorf("%d bytes before the first runs", n)
	}
	x.Do(chromedp.Click(chromedp.CSS("#live-runs .run")))
	drawn(x, 3)
	browser.Want(x, `document.querySelector('#lead').textContent.startsWith('5,000 turns')`, true)
	browser.Want(x, `document.querySelectorAll('#turn-list > li').length`, 30)
	x.Do(chromedp.Click(chromedp.CSS("#earlier")))
	browser.Want(x, `document.querySelectorAll('#turn-list > li').length`, 60)
	if n := browser.Is[int](x, `document.querySelectorAll('*').length`); n > 6000 {
		t.Errorf("%d elements", n)
	}
	browser.Is[any](x, `void (document.querySelector('#run-query').value = 'run-7', document.querySelector('#run-query').dispatchEvent(new Event('input')))`)
	browser.Want(x, `document.querySelectorAll('#live-runs li:not([hidden])').length`, 11)
}

// TestBrowserAttack: texts that would be scripts are texts, whoever says them.
func TestBrowserAttack(t *testing.T) {
	t.Parallel()
	const evil = `"'><img src=x onerror=window.hacked=1><script>window.hacked=2</script></script><svg onload=window.hacked=3>` +
		"\u202e javascript:window.hacked=4 ${1}"
	w := open(t, inspector.Options{Keep: time.Hour},
		fmt.Sprintf("reminders:\n  - id: each\n    description: %q\n"+
			"    when: user_message or tool_calls > 0\n    rearm: turn_count > 0\n    content: "+
			"%q\n", evil, evil+" {{.model}}"))
	w.says(evil, said(evil))
	w.answers(evil, said(evil), map[string]any{"type": "tool_use", "id": "t1", "name": evil,
		"input": map[string]any{"command": evil, "file_path": evil}})
	w.says(evil, map[string]any{"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": evil})
	x := opened(w, "#%3Cimg%20src=x%3E.1.%3Cb%3E", browser.Looks{})
	browser.Want(x, `document.querySelector('#notice').hidden`, false)
	x.Do(chromedp.Click(chromedp.CSS("#live-runs .run")))
	drawn(x, 1)
	types(x, "---\nwhen: user_message\ndescription: "+`<img src=x onerror=window.hacked=5>`+"\n---\n"+evil)
	browser.Want(x, `document.querySelectorAll('.lane.trial .mark-hit').length > 0`, true)
	browser.Is[any](x, `void [...document.querySelectorAll('.mark-hit, .link, summary, aside-reminder, .findings button')].forEach((e) => { if (e.isConnected) e.dispatchEvent(new MouseEvent('click', { bubbles: true })); })`)
	browser.Is[any](x, `void document.querySelector('#unfold').click()`)
	browser.Want(x, `document.querySelectorAll('aside-reminder[open]').length > 0`, true)
	browser.Want(x, `typeof window.hacked`, "undefined")
	browser.Want(x, `document.querySelectorAll('img, iframe, object, embed, script:not([src="/aside/inspector.js"]), [onerror], [onload]').length`, 0)
	browser.Want(x, `document.querySelector('#turn-list').innerText.includes('<img src=x onerror=window.hacked=1>')`, true)
	browser.Want(x, `document.querySelector('#turn-list').innerText.includes('[U+202E]')`, true)
}

// TestBrowserToken: a server with tokens shows nothing of runs to whoever has none.
func TestBrowserToken(t *testing.T) {
	t.Parallel()
	w := open(t, inspector.Options{Guard: guarded(t)}, rules)
	w.edits("r-1", 3)
	x := opened(w, "#r-1", browser.Looks{})
	browser.Want(x, `document.querySelector('#gate').checkVisibility()`, true)
	browser.Want(x, `document.querySelectorAll('#live-runs .run').length`, 0)
	x.Do(chromedp.Focus(chromedp.CSS("#token")))
	for _, k := range "reader" {
		x.Press(string(k))
	}
	x.Press(kb.Enter)
	browser.Want(x, `document.querySelectorAll('#live-runs .run').length`, 1)
	drawn(x, 3)
	browser.Want(x, `document.querySelector('#gate').checkVisibility()`, false)
	x.Do(chromedp.Click(chromedp.CSS("#tab-reminders")))
	x.Do(chromedp.Click(chromedp.CSS(`[aria-label="Fire plan by hand"]`)))
	browser.Want(x, `document.querySelector('#notice').textContent.includes('has not the scope remind')`, true)
	x.Forgive("status of 401")
	x.Forgive("status of 403")
}

// TestBrowserDress: nothing is wider than the screen, down to 380 pixels, in light and dark; every control
// has a name, headings are in order, and Tab goes through the page from its beginning to its end.
func TestBrowserDress(t *testing.T) {
	t.Parallel()
	w := open(t, inspector.Options{}, rules)
	w.edits("r-1", 40)
	w.edits(strings.Repeat("a-long-name-", 12), 3)
	x := opened(w, "#r-1", browser.Looks{Dark: true})
	drawn(x, 3)
	types(x, "after_tool:Read")
	browser.Want(x, `document.querySelectorAll('.lane.trial').length`, 1)
	browser.Want(x, `getComputedStyle(document.documentElement).backgroundColor`, "rgb(21, 22, 24)")
	browser.Want(x, `getComputedStyle(document.querySelector('aside-reminder').shadowRoot.querySelector('button')).color`,
		browser.Is[string](x, `getComputedStyle(document.querySelector('#h-talk + p')).color`)) // soft, as all notes
	for _, width := range []int64{1280, 700, 380} {
		x.Do(chromedp.EmulateViewport(width, 800))
		browser.Want(x, `document.documentElement.scrollWidth`, int(width))
	}
	levels := browser.Is[[]string](x,
		`[...document.querySelectorAll('h1, h2, h3, h4')].filter((e) => e.checkVisibility()).map((e) => e.localName)`)
	for i := 1; i < len(levels); i++ {
		if levels[i] > levels[i-1] && levels[i][1] != levels[i-1][1]+1 {
			t.Errorf("after %s comes %s: %v", levels[i-1], levels[i], levels)
		}
	}
	tree, err := chromedp.Call(x.Ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range tree.Nodes {
		var role, name string
		if n.Ignored || n.Role == nil || n.Name == nil {
			continue
		}
		_, _ = json.Unmarshal(n.Role.Value, &role), json.Unmarshal(n.Name.Value, &name)
		if name == "" && slices.Contains([]string{"button", "link", "slider", "combobox", "searchbox",
			"textbox", "table",
			"region", "heading", "form", "DisclosureTriangle"}, role) {
			t.Errorf("a %s has no name", role)
		}
	}
	x.Do(chromedp.EmulateViewport(1280, 900))
	browser.Is[any](x, `void (document.activeElement.blur(), scrollTo(0, 0))`)
	var order []string
	for range 60 {
		x.Press(kb.Tab)
		id := browser.Is[string](x,
			`(document.activeElement.closest('section, header, .skip') || document.body).id || document.activeElement.className || document.activeElement.localName`)
		if len(order) == 0 || order[len(order)-1] != id {
			order = append(order, id)
		}
		if id == "talk" {
			break
		}
	}
	if got := strings.Join(order, " "); got != "skip link quiet a runs timeline detail timeline talk" {
		t.Errorf("Tab goes %s", got)
	}
}

// TestPicture: the picture on the manual's page is the page as it looks now. Fonts differ between machines,
// so that three pixels in a hundred may.
func TestPicture(t *testing.T) {
	t.Parallel()
	w := open(t, inspector.Options{}, rules)
	w.edits("r-1", 40)
	x := opened(w, "#r-1", browser.Looks{Width: 1000, Height: 900})
	drawn(x, 3)
	browser.Is[any](x, `void (document.querySelector('#timeline').scrollIntoView())`)
	got, err := chromedp.Run(x.Ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	const file = "../release/site/asset/inspector.png"
	if testkit.Update() {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := differing(t, got, want); n > 0.03 {
		t.Errorf("%.1f %% of the picture look otherwise now: -update takes it again", 100*n)
	}
}

// differing returns the share of the pixels that differ between two pictures, 1 where their sizes do.
func differing(t *testing.T, a, b []byte) float64 {
	t.Helper()
	one, err := png.Decode(bytes.NewReader(a))
	other, err2 := png.Decode(bytes.NewReader(b))
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	size := one.Bounds()
	if size != other.Bounds() {
		return 1
	}
	n := 0
	for y := range size.Dy() {
		for x := range size.Dx() {
			if one.At(x, y) != other.At(x, y) {
				n++
			}
		}
	}
	return float64(n) / float64(size.Dx()*size.Dy())
}
