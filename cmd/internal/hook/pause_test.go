package hook_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// pausing returns the agents of which a call can be held back, each with the prompts that its hooks are told
// of.
func pausing() []asking {
	list := slices.Clone(askings)
	for name, prompt := range map[string]string{
		"vscode": `{"sessionId":"s","cwd":"/p","hookEventName":"UserPromptSubmit","transcript_path":"/x",
			"timestamp":%[1]q,"prompt":"Go on."}`,
		"kimi-code": `{"session_id":"s","hook_event_name":"UserPromptSubmit","cwd":"/p","source":%[1]q,
			"prompt":[{"type":"text","text":"Go on."}],"is_steer":false}`,
		"opencode": `{"protocol":"aside-shim/1","event":"model_request","session_id":"s","cwd":"/p",
			"prompt_id":%[1]q,"prompt":"Go on."}`,
		"goose": "", // tells of none
		"crush": "",
	} {
		h := holdings[name]
		if name == "crush" {
			h.call = `{"event":"PreToolUse","session_id":"s","cwd":"/p","tool_name":"bash",
				"tool_input":{"command":%q},"tool_call_id":%q}`
		}
		a := asking{agent: name, prompt: prompt,
			call: strings.Replace(strings.Replace(h.call, "%q", "%[1]q", 1), "%q", "%[2]q", 1)}
		if h.stop != "" {
			a.stop = strings.Replace(h.stop, "false", "%t", 1)
		}
		list = append(list, a)
	}
	return list
}

// paused is a session of an agent on a machine whose one rule of calls holds back rm -rf.
type paused struct {
	*testing.T
	m          *machine
	a          asking
	ids, turns int
}

const agreed = "Is it agreed?"

func newPaused(t *testing.T, a asking) *paused {
	t.Helper()
	m := newMachine(t)
	m.now = time.Date(2026, 9, 20, 9, 0, 0, 0, time.UTC)
	m.rule("pause", "when: before_tool:@shell(rm -rf*)\npause: true", agreed)
	return &paused{T: t, m: m, a: a}
}

// call makes a call, and reports whether it is held back.
func (p *paused) call(command string) bool {
	p.Helper()
	p.ids++
	return strings.Contains(p.a.calls(p.T, p.m, command, fmt.Sprint("call-", p.ids)), agreed)
}

func (p *paused) expect(what, command string, held bool) {
	p.Helper()
	if got := p.call(command); got != held {
		p.Errorf("%s, %q: held back %t", what, command, got)
	}
}

// person sends a message; false where hooks are told of none.
func (p *paused) person() bool {
	p.Helper()
	if p.a.prompt == "" {
		return false
	}
	p.turns++
	p.a.asks(p.T, p.m, fmt.Sprint("p", p.turns))
	return true
}

// spelled are nine ways to write one command.
var spelled = []string{"rm -rf build", "rm -rf build/", "rm -rf build//", "rm  -rf build ", "rm -rf 'build'",
	`rm -rf "build"`, "rm -rf build 2>&1", "rm -rf build # now", "cd x && sudo rm -rf build/"}

// TestPauseIsSaid: what a reminder has said of a command it does not say of the same one in other words;
// equal calls of one answer are held back together; a person's next message agrees; past two commands in a
// user turn a reminder holds back nothing more.
func TestPauseIsSaid(t *testing.T) {
	t.Parallel()
	for _, a := range pausing() {
		t.Run(a.agent, func(t *testing.T) {
			t.Parallel()
			p := newPaused(t, a)
			p.person()
			p.m.gap = time.Millisecond
			p.expect("one of three equal calls of an answer", "rm -rf build", true)
			p.expect("the second", "rm -rf build/", true)
			p.call("ls")
			if d, _ := agent.Named(a.agent); a.after != "" && d.Rounds != agent.RoundsAsked {
				a.run(t, p.m, a.after) // a result between calls of one answer
			}
			p.expect("the third", "cd x && rm -rf build", true)
			p.m.gap = 0
			for _, command := range spelled {
				p.expect("said before", command, false)
			}
			p.expect("another one", "rm -rf dist", true)
			p.expect("a third one", "rm -rf src", false)
			if p.person() {
				p.expect("agreed", "rm -rf build", false)
				p.expect("agreed, too", "rm -rf dist/", false)
				p.expect("never said", "rm -rf src", true)
				p.expect("again", "rm -rf src", false)
				p.person()
				p.expect("long ago", "rm -rf build", true)
			}
			silent(t, p.m.path("state"))
		})
	}
}

// TestPauseAtOnce: hooks of three equal calls that run at the same time hold all three back.
func TestPauseAtOnce(t *testing.T) {
	t.Parallel()
	for _, a := range pausing() {
		t.Run(a.agent, func(t *testing.T) {
			t.Parallel()
			p := newPaused(t, a)
			p.person()
			var wg sync.WaitGroup
			said := make([]string, 3)
			for i := range said {
				wg.Go(func() {
					call := fmt.Sprintf(a.call, "rm -rf build", fmt.Sprint("call-", i))
					said[i] = p.m.at(p.m.now, call, a.args(call)...).stdout
				})
			}
			wg.Wait()
			for i, s := range said {
				if !strings.Contains(s, agreed) {
					t.Errorf("call %d: %q", i, s)
				}
			}
			p.expect("a later answer", "rm -rf build", false)
		})
	}
}

// TestPausedSessionEnds: a model that tries another command, or the same in other words, each time that it is
// held back comes through all of them, and to an end, having read each reason at most twice.
func TestPausedSessionEnds(t *testing.T) {
	t.Parallel()
	varied := slices.Clone(spelled)
	for i := range 8 {
		varied = append(varied, fmt.Sprint("rm -rf build", i))
	}
	for _, a := range pausing() {
		for name, gap := range map[string]time.Duration{"slow": 10 * time.Second, "fast": 300 * time.Millisecond} {
			t.Run(a.agent+"/"+name, func(t *testing.T) {
				t.Parallel()
				d, _ := agent.Named(a.agent)
				p := newPaused(t, a)
				p.m.rule("end", "when: stopping", "Not yet.")
				p.m.gap = gap
				p.person()
				held, reasons := 0, map[string]int{}
				for _, command := range varied {
					for p.call(command) {
						reasons[command]++
						if held++; held > 32 {
							t.Fatalf("%q: it is held back for ever", command)
						}
					}
				}
				if len(reasons) > 2 || gap > 2*time.Second && held != 2 {
					t.Errorf("held back %d times: %v", held, reasons)
				}
				if !slices.Contains(d.Moments, fact.Stopping) {
					return
				}
				ends := 0
				for strings.Contains(a.run(t, p.m, fmt.Sprintf(a.stop, ends > 0)), "Not yet.") {
					if ends++; ends > 1 {
						t.Fatal("the end is held back for ever")
					}
				}
			})
		}
	}
}

// TestPauseInFile: where the session's file has another answer, a call that comes at once goes through.
func TestPauseInFile(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ agent, first, answer, result string }{
		{"codex", `{"type":"session_meta","payload":{"id":"s","cwd":"/p","source":"exec"}}`,
			`{"type":"response_item","payload":{"type":"function_call","name":"exec_command",` +
				`"arguments":"{\"cmd\":\"rm -rf build\"}","call_id":"call-%[1]d"}}`,
			`{"type":"response_item","payload":{"type":"function_call_output","call_id":"call-%[1]d","output":"no"}}`},
		{"gemini", `{"sessionId":"s","projectHash":"0","kind":"main"}`,
			`{"id":"a%[1]d","type":"gemini","content":"","model":"m"}`, ""},
	} {
		t.Run(c.agent, func(t *testing.T) {
			t.Parallel()
			a := askings[slices.IndexFunc(askings, func(a asking) bool { return a.agent == c.agent })]
			p := newPaused(t, a)
			p.m.rule("turn", "while: user_message", "Turn {{.turn_count}}.")
			p.m.gap = 300 * time.Millisecond
			file := recording{t, p.m.write(c.first+"\n", "rollout-s.jsonl")}
			for _, form := range []*string{&p.a.prompt, &p.a.call} {
				*form = strings.Replace(strings.Replace(*form, `"transcript_path":null,`, "", 1), "{",
					fmt.Sprintf(`{"transcript_path":%q,`, file.path), 1)
			}
			p.person()
			file.add(fmt.Sprintf(c.answer, 1))
			p.expect("a call", "rm -rf build", true)
			p.expect("another one of that answer", "rm -rf build", true)
			if c.result != "" {
				file.add(fmt.Sprintf(c.result, 1))
			}
			file.add(fmt.Sprintf(c.answer, 3))
			p.expect("a call of the next one", "rm -rf build", false)
			if got := p.a.asks(t, p.m, "p2"); !strings.Contains(got, "Turn 3.") {
				t.Errorf("the next message: %q", got)
			}
		})
	}
}
