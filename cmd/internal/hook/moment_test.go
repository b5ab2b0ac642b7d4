package hook_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/test/testkit"
)

// asking is an agent that asks its hooks at moments beside the turn, in its own form.
type asking struct {
	agent  string
	prompt string // a person's message; %[1]q is a number
	call   string // a call about to be made; %[1]q is its command, %[2]q its id
	held   string // the answer that holds it back; %s is the text
	along  string // the answer that lets it go and carries a text; "": none does
	after  string // the result of a call, where a text has to wait for it
	stop   string // the end of the work; %t says whether an end was held back before
	back   string // the answer that keeps the agent at work
}

var askings = []asking{
	{
		agent: "claude-code",
		prompt: `{"session_id":"s","cwd":"/p","transcript_path":"/x","hook_event_name":"UserPromptSubmit",
			"prompt_id":%[1]q,"prompt":"Go on."}`,
		call: `{"session_id":"s","cwd":"/p","transcript_path":"/x","hook_event_name":"PreToolUse",
			"tool_name":"Bash","tool_input":{"command":%[1]q},"tool_use_id":%[2]q}`,
		held: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
			`"permissionDecisionReason":%q}}`,
		along: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":%q}}`,
		stop: `{"session_id":"s","cwd":"/p","transcript_path":"/x","hook_event_name":"Stop",
			"stop_hook_active":%t,"last_assistant_message":"Done."}`,
		back: `{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":%q}}`,
	},
	{
		agent: "codex",
		prompt: `{"session_id":"s","cwd":"/p","transcript_path":null,"hook_event_name":"UserPromptSubmit",
			"turn_id":%[1]q,"prompt":"Go on."}`,
		call: `{"session_id":"s","turn_id":"u","cwd":"/p","transcript_path":null,"hook_event_name":"PreToolUse",
			"tool_name":"Bash","tool_input":{"command":%[1]q},"tool_use_id":%[2]q}`,
		held: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
			`"permissionDecisionReason":%q}}`,
		along: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":%q}}`,
		stop: `{"session_id":"s","turn_id":"u","cwd":"/p","transcript_path":null,"hook_event_name":"Stop",
			"stop_hook_active":%t,"last_assistant_message":"Done."}`,
		back: `{"decision":"block","reason":%q}`,
	},
	{
		agent:  "gemini",
		prompt: `{"session_id":"s","cwd":"/p","hook_event_name":"BeforeAgent","timestamp":%[1]q,"prompt":"Go on."}`,
		call: `{"session_id":"s","cwd":"/p","hook_event_name":"BeforeTool","timestamp":%[2]q,
			"tool_name":"run_shell_command","tool_input":{"command":%[1]q}}`,
		held: `{"decision":"deny","reason":%q}`,
		after: `{"session_id":"s","cwd":"/p","hook_event_name":"AfterTool","tool_name":"run_shell_command",
			"tool_input":{"command":"ls"},"tool_response":{"llmContent":"ok"}}`,
		stop: `{"session_id":"s","cwd":"/p","hook_event_name":"AfterAgent","prompt":"Go on.",
			"prompt_response":"Done.","stop_hook_active":%t}`,
		back: `{"decision":"deny","reason":%q}`,
	},
	{
		agent: "qwen",
		prompt: `{"session_id":"s","cwd":"/p","transcript_path":"/x","hook_event_name":"UserPromptSubmit",
			"prompt_id":%[1]q,"prompt":"Go on.","submitted_prompt":"Go on."}`,
		call: `{"session_id":"s","cwd":"/p","transcript_path":"/x","hook_event_name":"PreToolUse",
			"tool_name":"run_shell_command","tool_input":{"command":%[1]q},"tool_use_id":%[2]q}`,
		held: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
			`"permissionDecisionReason":%q}}`,
		after: `{"session_id":"s","cwd":"/p","transcript_path":"/x","hook_event_name":"PostToolUse",
			"tool_name":"run_shell_command","tool_input":{"command":"ls"},"tool_response":"ok","tool_use_id":"ID"}`,
		stop: `{"session_id":"s","cwd":"/p","transcript_path":"/x","hook_event_name":"Stop",
			"stop_hook_active":%t,"last_assistant_message":"Done."}`,
		back: `{"decision":"block","reason":%q}`,
	},
	{
		agent:  "copilot",
		prompt: `{"sessionId":"s","cwd":"/p","timestamp":1790000000000,"prompt":"Go on.","source":%[1]q}`,
		call: `{"sessionId":"s","cwd":"/p","timestamp":1790000000001,"toolName":"bash","source":%[2]q,
			"toolArgs":{"command":%[1]q}}`,
		held: `{"permissionDecision":"deny","permissionDecisionReason":%q}`,
		after: `{"sessionId":"s","cwd":"/p","timestamp":1790000000001,"toolName":"bash","toolArgs":{"command":"ls"},
			"toolResult":{"resultType":"success","textResultForLlm":"ok"}}`,
		stop: `{"sessionId":"s","cwd":"/p","timestamp":1790000000001,"transcriptPath":"/x",
			"stop_hook_active":%t}`,
		back: `{"decision":"block","reason":%q}`,
	},
	{
		agent: "droid",
		prompt: `{"session_id":"s","cwd":"/p","transcript_path":"/x","hook_event_name":"UserPromptSubmit",
			"permission_mode":%[1]q,"prompt":"Go on."}`,
		call: `{"session_id":"s","cwd":"/p","transcript_path":"/x","hook_event_name":"PreToolUse",
			"permission_mode":%[2]q,"tool_name":"Execute","tool_input":{"command":%[1]q}}`,
		held: `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
			`"permissionDecisionReason":%q}}`,
		after: `{"session_id":"s","cwd":"/p","transcript_path":"/x","hook_event_name":"PostToolUse",
			"tool_name":"Execute","tool_input":{"command":"ls"},"tool_response":"ok"}`,
		stop: `{"session_id":"s","cwd":"/p","transcript_path":"/x","hook_event_name":"Stop",
			"stop_hook_active":%t}`,
		back: `{"decision":"block","reason":%q}`,
	},
}

func (a asking) run(t *testing.T, m *machine, stdin string) string {
	t.Helper()
	r := m.run(stdin, a.args(stdin)...)
	if r.code != 0 || r.stderr != "" {
		t.Errorf("it ended with %d, stderr %q", r.code, r.stderr)
	}
	return r.stdout
}

// args are the arguments of the hook of an event.
func (a asking) args(stdin string) []string {
	args := []string{"--agent", a.agent}
	if a.agent == "copilot" { // which does not name the event
		name := "userPromptSubmitted"
		switch {
		case strings.Contains(stdin, "stop_hook_active"):
			name = "agentStop"
		case strings.Contains(stdin, "toolResult"):
			name = "postToolUse"
		case strings.Contains(stdin, "Args"):
			name = "preToolUse"
		}
		args = append(args, "--event", name)
	}
	return args
}

func (a asking) asks(t *testing.T, m *machine, id string) string {
	t.Helper()
	return a.run(t, m, fmt.Sprintf(a.prompt, id))
}

func (a asking) calls(t *testing.T, m *machine, command, id string) string {
	t.Helper()
	return a.run(t, m, fmt.Sprintf(a.call, command, id))
}

// TestMoments: rules of a moment beside the turn speak each time; a call is held back once in a user turn, as
// is the end of the work; nothing is counted but the model call that follows an end which was held back, and
// nothing of a command is stored or logged.
func TestMoments(t *testing.T) {
	t.Parallel()
	for _, a := range askings[:testkit.Repeat(3, len(askings))] {
		t.Run(a.agent, func(t *testing.T) {
			t.Parallel()
			d, _ := agent.Named(a.agent)
			m := newMachine(t)
			m.now = time.Now()
			m.rule("pause", "when: before_tool:@shell(git push*)\npause: true", "Is it agreed?")
			m.rule("each", "when: before_tool:@shell(make*)", "Turn {{.turn_count}}.")
			m.rule("end", "when: stopping", "Not yet{{with .response}}, not {{.}}{{end}}.")
			end := "Not yet."
			if strings.Contains(a.stop, "Done.") { // the event tells the answer that ends the work
				end = "Not yet, not Done.."
			}
			m.rule("turns", "while: user_message", "{{.turn_count}}")
			turns := 0
			for turn := 1; turn <= 2; turn++ {
				turns++
				text := a.asks(t, m, fmt.Sprint("u", turn))
				if want := fmt.Sprint(turns); !strings.Contains(text, want) {
					t.Errorf("the prompt: %q, want turn %s: a moment has opened one", text, want)
				}
				if a.call != "" {
					a.callsOf(t, m, turn, turns)
				}
				if a.call != "" && a.along == "" { // it has waited
					later := strings.NewReplacer("ID", fmt.Sprint(turn), "1790000000001",
						fmt.Sprint(int64(1790000000001)+int64(turn)))
					text := a.run(t, m, later.Replace(a.after))
					latest := turns
					if (d.Untold || d.Rounds == agent.RoundsEnd) && turn == 1 { // that of the held call and this result
						latest++
					}
					if strings.Count(text, fmt.Sprintf("Turn %d.", latest)) != 1 {
						t.Errorf("the result: %q", text)
					}
					turns++
				}
				if !slices.Contains(d.Moments, fact.Stopping) {
					continue
				}
				a.check(t, "the end", a.run(t, m, fmt.Sprintf(a.stop, false)), fmt.Sprintf(a.back, end))
				turns++ // the model is asked once more
				a.check(t, "the end that follows", a.run(t, m, fmt.Sprintf(a.stop, true)), "")
				a.check(t, "the end again", a.run(t, m, fmt.Sprintf(a.stop, false)), "")
			}
			silent(t, m.path("state"))
			if log := m.log(); len(log) > 0 {
				t.Errorf("the log: %q", log)
			}
		})
	}
}

// callsOf holds the agent's answers to calls of a user turn; turns is the number of the run's latest turn.
func (a asking) callsOf(t *testing.T, m *machine, turn, turns int) {
	t.Helper()
	held := fmt.Sprintf(a.held, "Is it agreed?")
	if turn > 1 { // with the message a person agrees
		held = ""
	}
	id := func(n int) string { return fmt.Sprintf("call-%d-%d", turn, n) }
	a.check(t, "a call", a.calls(t, m, "cd SECRET && git push --force", id(1)), held)
	a.check(t, "the call again", a.calls(t, m, "cd SECRET && git push --force", id(2)), "")
	a.check(t, "once more", a.calls(t, m, "cd SECRET && git push --force", id(3)), "")
	a.check(t, "another call", a.calls(t, m, "git push SECRET", id(4)), held)
	a.check(t, "a call of no rule", a.calls(t, m, "ls SECRET", id(5)), "")
	along := ""
	if a.along != "" {
		along = fmt.Sprintf(a.along, fmt.Sprintf("Turn %d.", turns))
	}
	for n := range 2 {
		a.check(t, "a call with a text", a.calls(t, m, "make SECRET", id(6+n)), along)
	}
}

func (a asking) check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// TestEachAskingAgentIsTested: agents that ask at moments beside the turn are held to their answers.
func TestEachAskingAgentIsTested(t *testing.T) {
	t.Parallel()
	for _, a := range agent.WithHooks() {
		_, held := holdings[a.Name]            // TestHolds
		tested := held || a.Name == "crush" || // TestMomentThatIsATurn
			slices.ContainsFunc(askings, func(x asking) bool { return x.agent == a.Name })
		if asks := len(a.Moments) > 0; asks != tested {
			t.Errorf("%s: moments %v, tested: %t", a.Name, a.Moments, tested)
		}
	}
}

// TestNoRuleOfAMoment: where no rule is of a moment, a moment prints nothing and leaves nothing behind.
func TestNoRuleOfAMoment(t *testing.T) {
	t.Parallel()
	for _, a := range askings[:testkit.Repeat(3, len(askings))] {
		m := newMachine(t)
		m.rule("always", "while: always", "Said.")
		if d, _ := agent.Named(a.agent); d.Before { // the event is a turn, too
			continue
		}
		for _, stdin := range []string{fmt.Sprintf(a.call, "git push", "c1"),
			strings.Replace(fmt.Sprintf(a.call, "git push", "c1"), "tool", "other", 1),
			fmt.Sprintf(a.stop, false),
			fmt.Sprintf(a.stop, true)} {
			if stdin == "" || stdin[0] != '{' { // the agent has no such event
				continue
			}
			if got := a.run(t, m, stdin); got != "" {
				t.Errorf("%s: %q", a.agent, got)
			}
		}
		if runs, _ := filepath.Glob(m.path("state", "aside", "*.run")); len(runs) > 0 {
			t.Errorf("%s: %q", a.agent, runs)
		}
	}
}

// TestMomentTwice: where two configurations register the hook, each call is answered once, also at the same
// time; a call of the same command with an id of its own is another one.
func TestMomentTwice(t *testing.T) {
	t.Parallel()
	a := askings[0]
	m := newMachine(t)
	m.rule("each", "when: before_tool:Bash", "Each.")
	for round := range 4 {
		var mu sync.Mutex
		var wg sync.WaitGroup
		said := map[string]int{}
		for range 4 {
			wg.Go(func() {
				got := a.calls(t, m, "make", fmt.Sprint("call-", round))
				mu.Lock()
				defer mu.Unlock()
				said[got]++
			})
		}
		wg.Wait()
		if want := map[string]int{"": 3, fmt.Sprintf(a.along, "Each."): 1}; !maps.Equal(said, want) {
			t.Errorf("round %d: %v, want %v", round, said, want)
		}
	}
}

// TestMomentFacts: at a moment the facts of the latest turn stand, its events do not, and what the event
// tells is there.
func TestMomentFacts(t *testing.T) {
	t.Parallel()
	a := askings[0]
	m := newMachine(t)
	m.rule("told", `when: before_tool:Bash and prompt contains "Go on"`,
		`{{.user_turn_count}} {{known "prompt"}} {{.user_message}} {{.cwd}} {{.thread_type}}`)
	a.asks(t, m, "u1")
	var out struct {
		HookSpecificOutput struct{ AdditionalContext string }
	}
	if err := json.Unmarshal([]byte(a.calls(t, m, "make it", "c1")), &out); err != nil {
		t.Fatal(err)
	}
	if got, want := out.HookSpecificOutput.AdditionalContext, "1 false false /p root"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestEventsAtMoment: before a call, every agent tells the call, and the events are those of the turn that
// made it; at the end they are those of the user turn.
func TestEventsAtMoment(t *testing.T) {
	t.Parallel()
	for _, a := range askings {
		m := newMachine(t)
		m.rule("call", `when: before_tool:* and command contains "make" and len(tool_used) == 1`,
			"The call.")
		m.rule("made", "when: before_tool:* and (compacted or last_tool_call_failed or len(output) > 0)", "Made.")
		m.rule("end", "when: stopping and user_message", "The end.")
		a.asks(t, m, "u1")
		said := a.calls(t, m, "make", "c1")
		if a.along == "" {
			said += a.run(t, m, a.after)
		}
		said += a.run(t, m, fmt.Sprintf(a.stop, false))
		if strings.Contains(said, "Made.") || !strings.Contains(said, "The call.") ||
			!strings.Contains(said, "The end.") {
			t.Errorf("%s: %s", a.agent, said)
		}
	}
}

// TestIdenticalCalls: a call that was made before in the user turn, with the same input, is known again
// before it is made.
func TestIdenticalCalls(t *testing.T) {
	t.Parallel()
	for _, a := range askings {
		if a.after == "" {
			continue
		}
		m := newMachine(t)
		m.rule("again", "when: before_tool:* and identical_calls >= 2\npause: true", "Again.")
		a.asks(t, m, "u1")
		first := a.calls(t, m, "ls", "c1")
		a.run(t, m, a.after)
		other, again := a.calls(t, m, "pwd", "c2"), a.calls(t, m, "ls", "c3")
		if first != "" || other != "" || again != fmt.Sprintf(a.held, "Again.") {
			t.Errorf("%s: %q, then %q, then %q", a.agent, first, other, again)
		}
	}
}

// TestHeldCallIsKnown: a call that was held back, of which no event reports a result, is a call of its user
// turn with its input: the same one again is the second.
func TestHeldCallIsKnown(t *testing.T) {
	t.Parallel()
	for _, a := range askings {
		if d, _ := agent.Named(a.agent); !d.Untold {
			continue
		}
		m := newMachine(t)
		m.rule("hold", "when: before_tool:@shell(git push*)\npause: true", "Is it agreed?")
		m.rule("twice", "when: identical_calls >= 2", "Turn {{.turn_count}}.")
		a.asks(t, m, "u1")
		a.check(t, "the call", a.calls(t, m, "git push", "c1"), fmt.Sprintf(a.held, "Is it agreed?"))
		later := strings.NewReplacer("1790000000001", "1790000000002", `"ls"`, `"git push"`)
		a.call, a.after = later.Replace(a.call), later.Replace(a.after)
		a.check(t, "the call again", a.calls(t, m, "git push", "c2"), "")
		if got := a.run(t, m, a.after); !strings.Contains(got, "Turn 3.") {
			t.Errorf("%s: the result of the second: %q", a.agent, got)
		}
	}
}

// TestLongReason: what does not fit into a reason comes with the next event that can carry it.
func TestLongReason(t *testing.T) {
	t.Parallel()
	a := askings[0]
	m := newMachine(t)
	m.rule("a", "when: before_tool:Bash\npause: true\npriority: 1", strings.Repeat("a ", 3000)+"end-a")
	m.rule("b", "when: before_tool:Bash\npriority: 2", strings.Repeat("b ", 6000)+"end-b")
	all := a.calls(t, m, "make", "c1")
	if !strings.Contains(all, `"deny"`) {
		t.Errorf("it is not held back: %.200s", all)
	}
	for i := range 4 {
		all += a.asks(t, m, fmt.Sprint("u", i))
	}
	for _, end := range []string{"end-a", "end-b"} {
		if n := strings.Count(all, end); n != 1 {
			t.Errorf("%s came %d times", end, n)
		}
	}
}

// TestReasonIsNoPrompt: the reason for which the work goes on is nobody's prompt, also where the agent tells
// it as one: else the next end would be held back again, and so on.
func TestReasonIsNoPrompt(t *testing.T) {
	t.Parallel()
	for _, a := range askings[:testkit.Repeat(3, len(askings))] {
		m := newMachine(t)
		m.rule("end", "when: stopping", "Not yet: say \"done\".")
		m.rule("user", "while: always", "{{.user_turn_count}} {{.user_message}}")
		a.asks(t, m, "u1")
		stop := fmt.Sprintf(a.stop, false)
		if got := a.run(t, m, stop); stop != "" && !strings.Contains(got, "Not yet") {
			t.Errorf("%s: the end: %q", a.agent, got)
		}
		again := strings.ReplaceAll(fmt.Sprintf(a.prompt, "u2"), `"Go on."`, `"Not yet: say \"done\"."`)
		if got := a.run(t, m, again); stop != "" && !strings.Contains(got, "1 false") {
			t.Errorf("%s: the reason as a prompt: %q", a.agent, got)
		}
		if got := a.run(t, m, stop); got != "" {
			t.Errorf("%s: the end again: %q", a.agent, got)
		}
	}
}

// TestMomentThatIsATurn: where an event before a call is also all that tells of the call, a call that is held
// back is not a turn, and any other is one, with the texts of the moment beside those of the turn.
func TestMomentThatIsATurn(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.now = time.Now()
	m.rule("pause", "when: before_tool:@shell(git push*)\npause: true", "Is it agreed?")
	m.rule("each", "when: before_tool:@shell(make*)", "Each.")
	m.rule("turns", "while: always", "Turn {{.turn_count}}.")
	m.rule("alone", "while: not user_message", "Never said: prompts are not told.")
	for i, step := range []struct{ command, want string }{
		{"git push SECRET", `{"version":1,"decision":"deny","reason":"Is it agreed?"}`},
		{"git push SECRET", `{"version":1,"context":"Turn 1."}`},
		{"make SECRET", `{"version":1,"context":"Each.\n\nTurn 2."}`},
		{"ls", `{"version":1,"context":"Turn 3."}`},
		{"make SECRET", `{"version":1,"context":"Each.\n\nTurn 4."}`},
	} {
		r := m.run(fmt.Sprintf(`{"event":"PreToolUse","session_id":"s","cwd":"/p","tool_name":"bash",
			"tool_input":{"command":%q}}`, step.command), "--agent", "crush")
		if r.code != 0 || r.stderr != "" || r.stdout != step.want {
			t.Errorf("step %d: %q, want %q", i, r.stdout, step.want)
		}
	}
	silent(t, m.path("state"))
}

// TestFollowUp: what keeps Cursor at work comes back as a prompt, which is nobody's.
func TestFollowUp(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.rule("end", "when: stopping", "Not yet.")
	m.rule("users", "while: always", "{{.user_turn_count}}")
	prompt := func(text, generation string) string {
		return event("hook_event_name", "beforeSubmitPrompt", "prompt", text, "generation_id", generation,
			"conversation_id", "s")
	}
	result := func(generation string) string {
		return event("hook_event_name", "postToolUse", "tool_name", "Shell", "generation_id", generation,
			"conversation_id", "s")
	}
	for i, step := range []struct{ stdin, want string }{
		{prompt("Go.", "g1"), `{"continue":true,"additional_context":"1"}`},
		{holdings["cursor"].stop, `{"followup_message":"Not yet."}`},
		{prompt("Not yet.", "g2"), `{"continue":true,"additional_context":"1"}`},
		{result("g2"), `{"additional_context":"1"}`},
		{strings.Replace(holdings["cursor"].stop, `"loop_count":0`, `"loop_count":1`, 1), ``},
		{prompt("Go on.", "g3"), `{"continue":true,"additional_context":"2"}`},
		{result("g3"), `{"additional_context":"2"}`},
	} {
		if r := m.run(step.stdin, "--agent", "cursor"); r.stdout != step.want {
			t.Errorf("step %d: %+v, want %s", i, r, step.want)
		}
	}
}

// TestMomentInSubagent: a call of a subagent is held back once in each user turn of its own run, and goes
// through then, whatever the session and other subagents do; its end is no end of the work.
func TestMomentInSubagent(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claude-code", "codex"} {
		i := slices.IndexFunc(askings, func(a asking) bool { return a.agent == name })
		a := askings[i]
		m := newMachine(t)
		m.now = time.Now()
		m.rule("pause", "when: before_tool:@shell(git push*)\npause: true", "Is it agreed?")
		m.rule("inside", `when: before_tool:@shell(make*) and thread_type == "worker"`, "Inside.")
		m.rule("end", "when: stopping", "Not yet.")
		of := func(stdin, subagent string) string { // as both agents name it
			if subagent != "" {
				stdin = strings.Replace(stdin, "{", fmt.Sprintf(`{"agent_id":%q,"agent_type":"worker",`, subagent), 1)
			}
			return a.run(t, m, stdin)
		}
		held, along := fmt.Sprintf(a.held, "Is it agreed?"), fmt.Sprintf(a.along, "Inside.")
		calls := 0
		call := func(subagent, command, want string) {
			t.Helper()
			calls++
			a.check(t, name+" "+subagent, of(fmt.Sprintf(a.call, command, fmt.Sprint("call-", calls)), subagent), want)
		}
		a.asks(t, m, "u")
		start := `{"session_id":"s","turn_id":"u","cwd":"/p","transcript_path":null,
			"hook_event_name":"SubagentStart"}`
		for _, subagent := range []string{"x", "y"} {
			of(start, subagent)
			call(subagent, "git push", held)
			call(subagent, "git push", "")
			call(subagent, "make", along)
			call(subagent, "git push", "")
		}
		call("", "git push", held)
		call("", "make", "")
		call("x", "git push", "")
		call("", "git push", "")
		a.check(t, "a subagent's end", of(fmt.Sprintf(a.stop, false), "x"), "")
		a.check(t, "the end", of(fmt.Sprintf(a.stop, false), ""), fmt.Sprintf(a.back, "Not yet."))
		if log := m.log(); len(log) > 0 {
			t.Errorf("the log: %q", log)
		}
	}
}
