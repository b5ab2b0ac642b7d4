package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/testkit"
)

// agentRules are what every run has. Each text says which rule it is of.
var agentRules = map[string]string{
	"user":      "when: user_message",
	"tool":      "when: after_tool:*",
	"failed":    "when: last_tool_call_failed",
	"always":    "while: always",
	"start":     "attach: run_start",
	"turn":      "when: user_message\nattach: user_turn",
	"compacted": "when: compacted",
	"usage":     "when: context_tokens > 1000",
	"manual":    "when: manual",
}

// agentCase is an agent, what it does, and what is to fire in its conversation over all sessions; "always"
// fires on each turn and is not named.
type agentCase struct {
	name     string
	agent    string
	api      string   // of those that speak several
	flags    []string // of run.sh
	serve    []string // of aside serve
	sessions []session
	fires    map[string]int
	sub      map[string]int // the same for the subagent
	kinds    []string       // of requests that must be there beside turns
	races    bool           // how many requests it sends depends on what is faster
	tail     bool           // texts go out once
}

// once lists the firings of a conversation with the three rounds of calls of work, in which no call fails and
// nothing is compacted.
func once(more ...string) map[string]int {
	f := map[string]int{"user": 1, "tool": 3, "start": 1, "turn": 1, "usage": 1}
	for _, m := range more {
		f[m]++
	}
	return f
}

func agentCases() (cases []agentCase) {
	again := func(agent string) []string {
		return map[string][]string{
			"claude-code": {"-c"}, "codex": {"resume", "--last", "again"}, "gemini": {"--resume", "latest"},
			"opencode": {"-c"}, "qwen": {"-c"}, "copilot": {"--continue"},
		}[agent]
	}
	works := func(agent string, thinks ...item) []session {
		s := work(agent, thinks...)
		return []session{{prompt: "go", script: s}, {prompt: "again", script: s, more: again(agent)}}
	}
	two := once("user", "turn", "tool")
	failing := once("user", "turn", "tool", "failed")
	for _, model := range []string{"claude-haiku-4-5", "claude-sonnet-4-5", "claude-sonnet-4-6",
		"claude-sonnet-5", "claude-opus-4-8", "claude-opus-5", "claude-opus-5-5", "claude-fable-5-1"} {
		cases = append(cases, agentCase{name: "tool loop, resume, " + model, agent: "claude-code",
			flags: []string{"--model", model}, sessions: works("claude-code", think("hm")), fires: failing})
	}
	cases = append(cases,
		agentCase{name: "tool loop, resume", agent: "codex", sessions: works("codex", think("opaque")), fires: two},
		agentCase{name: "tool loop, resume", agent: "gemini", sessions: works("gemini"), fires: failing},
		agentCase{name: "tool loop, resume, Gemini 3", agent: "gemini", flags: []string{"--model",
			"gemini-3-pro-preview"}, sessions: works("gemini"), fires: failing},
	)
	for _, agent := range []string{"opencode", "copilot", "qwen"} {
		for _, api := range []string{"chat", "anthropic", "responses"} {
			if agent == "qwen" && api == "responses" {
				continue
			}
			fires := two
			if api == "anthropic" && agent != "copilot" { // which does not say is_error
				fires = failing
			}
			c := agentCase{name: "tool loop, resume", agent: agent, api: api, sessions: works(agent), fires: fires}
			if agent == "opencode" {
				c.kinds = []string{"title"}
			}
			cases = append(cases, c)
		}
	}
	for _, agent := range []string{"claude-code", "codex", "gemini", "opencode", "copilot", "qwen"} {
		c := agentCase{name: "subagent", agent: agent, sessions: []session{{prompt: "go", script: delegate(agent)}},
			fires: once(), races: agent == "codex",
			sub: map[string]int{"tool": 1, "start": 1, "usage": 1}}
		c.fires["tool"] = 2                       // rounds of delegate
		if agent == "gemini" || agent == "qwen" { // which do not tell a subagent from a person's conversation
			c.sub["user"], c.sub["turn"] = 1, 1
		}
		cases = append(cases, c)
		retry := work(agent)
		retry.Errors = map[string]int{"1": 529, "3": 529}
		c = agentCase{name: "retries", agent: agent, sessions: []session{{prompt: "go", script: retry}},
			fires: once(), races: agent == "opencode"}
		if agent == "claude-code" || agent == "gemini" {
			c.fires = once("failed")
		}
		cases = append(cases, c)
		// one has slash commands of its own, the other puts quotes around its argument
		if agent != "claude-code" && agent != "opencode" {
			cases = append(cases, agentCase{name: "typed /remind", agent: agent,
				sessions: []session{{prompt: "/remind manual and go on",
					script: script{Turns: [][]item{{say("all done")}}}}},
				fires: map[string]int{"user": 1, "turn": 1, "start": 1, "manual": 1}})
		}
	}
	for _, how := range []string{"anchored", "tail"} {
		cases = append(cases,
			agentCase{name: "tool loop, resume, delivery " + how, agent: "claude-code", flags: []string{"--model",
				"claude-opus-5"}, serve: []string{
				"--delivery", how}, sessions: works("claude-code", think("hm")), fires: failing, tail: how == "tail"},
			agentCase{name: "tool loop, resume, delivery " + how, agent: "codex", serve: []string{"--delivery", how},
				sessions: works("codex", think("opaque")), fires: two, tail: how == "tail"},
		)
	}
	compacts := []session{
		{prompt: "go", script: work("claude-code")}, {prompt: "/compact", script: script{}, more: []string{"-c"}},
		{prompt: "and now", script: summed("claude-code"), more: []string{"-c"}},
	}
	for _, model := range []string{"claude-haiku-4-5", "claude-opus-5", "claude-fable-5-1"} {
		cases = append(cases, agentCase{name: "compaction, resume, " + model, agent: "claude-code",
			flags: []string{"--model", model}, sessions: compacts,
			kinds: []string{"compaction"}, fires: once("user", "turn", "tool", "tool", "failed", "failed",
				"compacted")})
	}
	answer := script{Turns: [][]item{{say("all done")}}}
	cases = append(cases,
		agentCase{name: "compaction, resume", agent: "codex", kinds: []string{"compaction"},
			fires: once("user", "turn", "compacted"), sessions: []session{
				{prompt: "go", script: work("codex")},
				{prompt: "again", script: answer, more: []string{"-c", "model_auto_compact_token_limit=1000", "resume",
					"--last", "again"}},
			}},
		agentCase{name: "compaction, resume", agent: "opencode", api: "chat", kinds: []string{"title",
			"compaction"}, sessions: []session{
			{prompt: "go", script: work("opencode")}, {prompt: "again", script: crowded("opencode", 198000, 8),
				more: again("opencode")}, {prompt: "again", script: summed("opencode"), more: again("opencode")},
		}},
		agentCase{name: "compaction, resume", agent: "qwen", api: "chat", kinds: []string{"compaction"},
			fires: once("user", "user", "turn", "turn", "tool", "tool", "tool", "compacted", "compacted"),
			sessions: []session{
				{prompt: "go", script: work("qwen")}, {prompt: "again",
					script: crowded("qwen", 900000, 8).summarised(1), more: again("qwen")},
				{prompt: "again", script: summed("qwen").summarised(2), more: again("qwen")},
			}},
		agentCase{name: "compaction, resume", agent: "copilot", api: "chat", races: true,
			kinds: []string{"compaction"}, flags: []string{"--env",
				"COPILOT_PROVIDER_MAX_PROMPT_TOKENS=20000"}, sessions: []session{
				{prompt: "go", script: work("copilot")}, {prompt: "again", script: crowded("copilot", 19000, 12),
					more: again("copilot")}, {prompt: "again", script: summed("copilot"), more: again("copilot")},
			}},
		agentCase{name: "compaction, resume", agent: "gemini", races: true, kinds: []string{"compaction"},
			sessions: []session{
				{prompt: "go", script: work("gemini")}, {prompt: "/compress", script: summed("gemini"),
					more: again("gemini")},
			}},
	)
	return cases
}

// askedAgents reads ASIDE_AGENTS: which coding agents are run. It skips the test where that names none of
// those that the test needs, or none at all: they are an integration of 1.8 GB from the network.
func askedAgents(t *testing.T, needs ...string) (asked func(agent string) bool) {
	t.Helper()
	which := strings.Split(os.Getenv("ASIDE_AGENTS"), ",")
	asked = func(agent string) bool { return slices.Contains(which, "all") || slices.Contains(which, agent) }
	if which[0] == "" || len(needs) > 0 && !slices.ContainsFunc(needs, asked) {
		t.Skip("ASIDE_AGENTS names no coding agent that this test runs: all, or names with commas between them")
	}
	return asked
}

// TestAgents runs coding agents, as people install them, through "aside serve" to a fake of their model's
// API. The proxy's requests are held against those of the agent, against the rules of the API, against
// law I4 and against the proxy's own log; what the agent says and returns must be what it says and returns
// without a proxy.
//
// ASIDE_AGENTS says which: all, or names with commas between them; -run picks among them. It takes Node 20,
// the network for the first installation of each, and about two minutes for each agent. ASIDE_AGENTS_KEEP
// names a directory where the requests stay, for looking at; they hold the vendors' prompts.
func TestAgents(t *testing.T) {
	asked := askedAgents(t)
	for _, a := range strings.Split(os.Getenv("ASIDE_AGENTS"), ",") {
		if a != "all" && !slices.ContainsFunc(agentCases(), func(c agentCase) bool { return c.agent == a }) {
			t.Fatalf("ASIDE_AGENTS: %q is no agent that is known", a)
		}
	}
	t.Parallel()
	sh := testkit.Data(t, "agents", "run.sh")
	few := make(chan struct{}, 3) // they are heavy
	bare := &baselines{}
	words := strings.NewReplacer(" ", "-", ",", "", "/", "")
	var mu sync.Mutex
	var table []string
	t.Cleanup(func() {
		slices.Sort(table)
		t.Logf("\n| agent | API | what it does | sessions | requests | turns | fired | most texts in a request | "+
			"result |\n|---|---|---|---|---|---|---|---|---|\n%s", strings.Join(table, "\n"))
	})
	for _, c := range agentCases() {
		if !asked(c.agent) {
			continue
		}
		t.Run(c.agent+"/"+cmp.Or(c.api, "its-own")+"/"+words.Replace(c.name), func(t *testing.T) {
			t.Parallel()
			few <- struct{}{}
			defer func() { <-few }()
			row := c.run(t, sh, bare)
			mu.Lock()
			defer mu.Unlock()
			table = append(table, row)
		})
	}
}

// run runs the sessions twice, with the proxy and without, and returns a row of the table.
func (c agentCase) run(t *testing.T, sh string, bare *baselines) string {
	dir := t.TempDir()
	rules := map[string]string{}
	for id, when := range agentRules {
		rules[id] = "---\n" + when + "\n---\n" + probe + id + ": a fact about the project.\n"
	}
	flags := c.flags
	if c.api != "" {
		flags = append([]string{"--api", c.api}, flags...)
	}
	if keep := os.Getenv("ASIDE_AGENTS_KEEP"); keep != "" {
		dir = filepath.Join(keep, strings.ReplaceAll(t.Name(), "/", "_"))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s := newStation(t, dir, rules, c.serve...)
	var got [][]hop
	var version string
	alone := bare.of(t, c.agent, flags, c.sessions, func() (os []outcome) {
		for _, ss := range c.sessions {
			os = append(os, ss.run(t, sh, c.agent, filepath.Join(dir, "bare"), address{}, flags))
		}
		return os
	})
	for i, ss := range c.sessions {
		with := ss.run(t, sh, c.agent, filepath.Join(dir, "with"), address{s.port, s.url}, flags)
		bare := alone[i]
		if with.code != bare.code || varying(with.out) != varying(bare.out) {
			t.Errorf("session %d: exit code %d and %q, without the proxy %d and %q\n%s", i+1, with.code, with.out,
				bare.code, bare.out, with.stderr)
		}
		if len(with.got) != len(bare.got) && !c.races {
			t.Errorf("session %d: %d requests, without the proxy %d", i+1, len(with.got), len(bare.got))
		}
		got = append(got, with.got)
		lines := strings.Split(strings.TrimSpace(with.stderr), "\n")
		version, _, _ = strings.Cut(lines[len(lines)-1], ":") // "codex 0.169.0: rc 0, …"
	}
	s.stop()
	xs := s.trips(t, got)
	if os.Getenv("ASIDE_AGENTS_KEEP") != "" {
		process.Put(t, dir, "serve.log", s.text())
		for _, x := range xs {
			process.Put(t, dir, fmt.Sprintf("trips/%02d-in.json", x.in.n), string(x.in.body))
			process.Put(t, dir, fmt.Sprintf("trips/%02d-out.json", x.in.n), string(x.out.body))
		}
	}
	return c.judge(t, version, xs, s.log)
}

// decided puts requests into the order in which they were decided. An agent that sums up beside its next call
// sends two requests at once: the one for the summary was decided second if it holds the texts of the other.
func decided(xs []trip) {
	texts := func(x trip) map[string]int {
		ids, _ := found(x.out.body)
		return often(ids)
	}
	holds := func(summary, turn trip) bool {
		have, all := texts(summary), texts(turn)
		return !slices.ContainsFunc(turn.log.Put, func(id string) bool { return have[id] < all[id] })
	}
	for i := 1; i < len(xs); i++ {
		a, b := xs[i-1], xs[i]
		late := a.log.Kind == "turn" && b.log.Kind == "compaction" && !holds(b, a)
		early := a.log.Kind == "compaction" && b.log.Kind == "turn" && holds(a, b)
		if late || early {
			xs[i-1], xs[i] = b, a
		}
	}
}

// varying takes away the parts that differ from one run to the next: ids, times, counts, and the order of
// what runs side by side.
func varying(s string) string {
	s = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\d+[.\d]*(ms|s|m|k)?\b`).ReplaceAllString(s, "N")
	lines := strings.Split(s, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// judge holds the requests against everything that must be true of them.
func (c agentCase) judge(t *testing.T, version string, xs []trip, log []logged) string {
	for _, l := range log {
		if l.Level == "WARN" || l.Level == "ERROR" {
			t.Errorf("the log says: %+v", l)
		}
	}
	var root, sub []trip
	kinds, runs := map[string]int{}, map[string]map[string]bool{"root": {}, "sub": {}}
	requests, turns := 0, 0
	if len(xs) == 0 {
		t.Fatal("no request came out of the proxy")
	}
	for _, x := range xs {
		requests++
		permitted(t, x)
		intact(t, x)
		if x.log == nil {
			if x.api() != "" && x.in.method == "POST" {
				t.Errorf("request %d (%s, %d bytes in, %d out, %d) is not in the log", x.in.n, x.in.path, len(x.in.body),
					len(x.out.body), x.out.status)
			}
			continue
		}
		if x.log.Pass != "" || x.log.Why != "" {
			t.Errorf("request %d was passed through: %s %s", x.in.n, x.log.Pass, x.log.Why)
		}
		kinds[x.log.Kind]++
		if x.log.Kind == "turn" {
			turns++
		}
		if isSub(x) {
			sub, runs["sub"][x.log.Run] = append(sub, x), true
		} else {
			root, runs["root"][x.log.Run] = append(root, x), true
		}
	}
	for run := range runs["sub"] {
		if runs["root"][run] {
			t.Errorf("the subagent is of its parent's run %q", run)
		}
	}
	if (len(sub) > 0) != (c.sub != nil) {
		t.Errorf("%d requests of a subagent", len(sub))
	}
	for _, k := range c.kinds {
		if kinds[k] == 0 {
			t.Errorf("no request was told to be a %s: %v", k, kinds)
		}
	}
	total := map[string]int{}
	longest := 0
	for name, part := range map[string][]trip{"root": root, "sub": sub} {
		if len(part) == 0 {
			continue
		}
		if c.races {
			decided(part)
		}
		strictly(t, part, c.tail)
		var fired map[string]int
		var texts int
		if c.tail {
			fired, texts = atTheEnd(t, part)
		} else {
			stable(t, part)
			fired, texts = counted(t, part)
		}
		longest = max(longest, texts)
		want := map[string]map[string]int{"root": c.fires, "sub": c.sub}[name]
		always := 0
		for _, x := range part {
			if x.log.Kind == "turn" && !x.log.Again {
				always++
			}
		}
		if fired["always"] != always {
			t.Errorf("%s: always fired %d times on %d turns", name, fired["always"], always)
		}
		for id, n := range fired {
			total[id] += n
		}
		delete(fired, "always")
		if want != nil && !maps.Equal(fired, want) {
			t.Errorf("%s: fired %v, want %v", name, fired, want)
		}
	}
	var fires []string
	for _, id := range slices.Sorted(maps.Keys(total)) {
		fires = append(fires, fmt.Sprintf("%s %d", id, total[id]))
	}
	result := "ok"
	if t.Failed() {
		result = "FAIL"
	}
	return fmt.Sprintf("| %s | %s | %s | %d | %d | %d | %s | %d | %s |", version, xs[0].api(), c.name,
		len(c.sessions), requests, turns, strings.Join(fires, ", "), longest, result)
}
