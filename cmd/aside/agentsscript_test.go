package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// item is a part of the answers of the fake's model, as testdata/agents/fake.py takes it.
type item map[string]any

// script holds the answers of the fake's model in a session.
type script struct {
	Turns   [][]item       `json:"turns"`
	Submark string         `json:"submark,omitempty"`
	Sub     [][]item       `json:"sub,omitempty"`
	Usage   map[string]int `json:"usage,omitempty"`
	Errors  map[string]int `json:"errors,omitempty"`
	Max     int            `json:"max,omitempty"`
	Aside   string         `json:"aside,omitempty"` // what a request without tools is answered

	Inputs []int `json:"-"` // tokens of the prompts of the first answers
	Delay  []int `json:"-"` // the numbers, from 0, of the answers that take two seconds
}

// MarshalJSON writes an answer with its usage where Inputs or Delay are about it.
func (s script) MarshalJSON() ([]byte, error) {
	type plain script
	steps := make([]any, len(s.Turns))
	for i, items := range s.Turns {
		steps[i] = items
		step := map[string]any{"items": items}
		if i < len(s.Inputs) {
			step["usage"] = map[string]int{"input": s.Inputs[i], "output": 20 + i%3*50}
			steps[i] = step
		}
		if slices.Contains(s.Delay, i) {
			step["delay"] = 2
			steps[i] = step
		}
	}
	return json.Marshal(struct {
		plain
		Turns []any `json:"turns"`
	}{plain(s), steps})
}

// write puts the script into a file of its own.
func (s script) write(t *testing.T, dir string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.CreateTemp(dir, "script-*.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(b); err != nil {
		t.Fatal(err)
	}
	return filepath.Clean(f.Name())
}

func say(text string) item { return item{"text": text} }

func think(text string) item { return item{"thinking": text, "signature": "c2ln"} }

// submark stands in the prompt of a subagent, and nowhere else.
const submark = "SUBTASK"

// tools are those of an agent. n numbers the calls: real ids are long, and no two are equal.
type tools struct {
	shell  func(n int, command string) item
	fails  func(n int) item // a call that the agent itself calls failed, where its API has a word for that
	invoke func(n int) item // a subagent is asked
	edit   func(n int, path string) item
}

func call(id, name string, args map[string]any) item {
	return item{"call": map[string]any{"id": id, "name": name, "args": args}}
}

func callID(prefix string, n int) string { return fmt.Sprintf("%sAgents%012d", prefix, n) }

func toolsOf(agent string) tools {
	type args = map[string]any
	switch agent {
	case "claude-code":
		shell := func(n int, command string) item {
			return call(callID("toolu_", n), "Bash", args{"command": command, "description": "a step"})
		}
		return tools{
			shell: shell,
			fails: func(n int) item { return shell(n, "echo oops >&2; exit 3") },
			invoke: func(n int) item {
				return call(callID("toolu_", n), "Agent", args{"description": "a subtask", "prompt": submark + " say one",
					"subagent_type": "general-purpose", "run_in_background": false})
			},
			edit: func(n int, path string) item {
				return call(callID("toolu_", n), "Write", args{"file_path": path, "content": "x\n"})
			},
		}
	case "codex":
		shell := func(n int, command string) item {
			return call(callID("call_", n), "exec_command", args{"cmd": command})
		}
		return tools{
			shell: shell,
			fails: func(n int) item { return shell(n, "echo oops >&2; exit 3") },
			invoke: func(n int) item {
				it := call(callID("call_", n), "spawn_agent", args{"message": submark + " say one"})
				it["call"].(map[string]any)["namespace"] = "multi_agent_v1"
				return it
			},
			edit: func(n int, path string) item { // its own tool takes no JSON, as the fake's model writes it
				return shell(n, "echo x >"+path)
			},
		}
	case "gemini":
		return tools{
			shell: func(n int, command string) item {
				return call(callID("fc_", n), "run_shell_command", args{"command": command, "description": "a step"})
			},
			fails: func(n int) item { return call(callID("fc_", n), "read_file", args{"file_path": "not-there.txt"}) },
			invoke: func(n int) item {
				return call(callID("fc_", n), "invoke_agent", args{"agent_name": "generalist",
					"prompt": submark + " say one"})
			},
			edit: func(n int, path string) item {
				return call(callID("fc_", n), "write_file", args{"file_path": path, "content": "x\n"})
			},
		}
	case "opencode", "kilo":
		return tools{
			shell: func(n int, command string) item {
				return call(callID("call_", n), "bash", args{"command": command, "description": "a step"})
			},
			fails: func(n int) item { return call(callID("call_", n), "read", args{"filePath": "not-there.txt"}) },
			invoke: func(n int) item {
				return call(callID("call_", n), "task", args{"description": "a subtask", "prompt": submark + " say one",
					"subagent_type": "general"})
			},
			edit: func(n int, path string) item {
				return call(callID("call_", n), "write", args{"filePath": path, "content": "x\n"})
			},
		}
	case "qwen":
		shell := func(n int, command string) item {
			return call(callID("call_", n), "run_shell_command", args{"command": command, "description": "a step",
				"is_background": false})
		}
		return tools{
			shell: shell,
			fails: func(n int) item { return shell(n, "echo oops >&2; exit 3") },
			invoke: func(n int) item {
				return call(callID("call_", n), "agent", args{"description": "a subtask", "prompt": submark + " say one",
					"subagent_type": "general-purpose", "run_in_background": false})
			},
			edit: func(n int, path string) item {
				return call(callID("call_", n), "write_file", args{"file_path": path, "content": "x\n"})
			},
		}
	}
	switch agent {
	case "pi":
		shell := func(n int, command string) item {
			return call(callID("call_", n), "bash", args{"command": command})
		}
		return tools{
			shell:  shell,
			fails:  func(n int) item { return shell(n, "echo oops >&2; exit 3") },
			invoke: func(n int) item { return shell(n, "echo alone") }, // it has no subagents
			edit: func(n int, path string) item {
				return call(callID("call_", n), "write", args{"path": path, "content": "x\n"})
			},
		}
	case "grok":
		shell := func(n int, command string) item {
			return call(callID("call_", n), "run_terminal_command", args{"command": command, "description": "a step"})
		}
		return tools{
			shell: shell,
			fails: func(n int) item { return shell(n, "echo oops >&2; exit 3") },
			invoke: func(n int) item {
				return call(callID("call_", n), "spawn_subagent", args{"description": "a subtask",
					"prompt": submark + " say one", "background": false})
			},
			edit: func(n int, path string) item {
				return call(callID("call_", n), "write", args{"file_path": path, "content": "x\n"})
			},
		}
	case "kimi-code":
		shell := func(n int, command string) item {
			return call(callID("call_", n), "Bash", args{"command": command})
		}
		return tools{
			shell: shell,
			fails: func(n int) item { return shell(n, "echo oops >&2; exit 3") },
			invoke: func(n int) item {
				return call(callID("call_", n), "Agent", args{"description": "a subtask", "prompt": submark + " say one",
					"subagent_type": "coder", "run_in_background": false})
			},
			edit: func(n int, path string) item {
				return call(callID("call_", n), "Write", args{"path": path, "content": "x\n"})
			},
		}
	case "cline":
		shell := func(n int, command string) item {
			return call(callID("call_", n), "run_commands", args{"commands": []string{command}})
		}
		return tools{
			shell: shell,
			fails: func(n int) item { return shell(n, "echo oops >&2; exit 3") },
			invoke: func(n int) item {
				return call(callID("call_", n), "spawn_agent", args{"systemPrompt": "Work.",
					"task": submark + " say one"})
			},
			edit: func(n int, path string) item {
				return call(callID("call_", n), "editor", args{"path": path, "new_text": "x\n"})
			},
		}
	}
	return tools{ // copilot
		shell: func(n int, command string) item {
			return call(callID("call_", n), "bash", args{"command": command, "description": "a step"})
		},
		fails: func(n int) item { return call(callID("call_", n), "view", args{"path": "not-there.txt"}) },
		invoke: func(n int) item {
			return call(callID("call_", n), "task", args{"description": "a subtask", "prompt": submark + " say one",
				"name": "sub", "agent_type": "general-purpose"})
		},
		edit: func(n int, path string) item {
			return call(callID("call_", n), "create", args{"path": path, "file_text": "x\n"})
		},
	}
}

// work is a session's script: text and a call; two parallel calls; a failing call; an answer. The session
// that goes on with it makes a call and answers. thinks are the items before the first call.
func work(agent string, thinks ...item) script {
	h := toolsOf(agent)
	first := append(append([]item{}, thinks...), say("first"), h.shell(1, "echo one"))
	return script{Turns: [][]item{
		first,
		{h.shell(2, "echo two"), h.shell(3, "echo three")},
		{h.fails(4)},
		{say("all done")},
		{h.shell(5, "echo five")},
		{say("again done")},
		{say("later done")},
	}}
}

// summed is a session's script behind a compaction, of which one answer is left; calls have ids of their own,
// as real ones have.
func summed(agent string) script {
	h := toolsOf(agent)
	return script{Turns: [][]item{{say("a summary"), h.shell(30, "echo one")}, {h.shell(31, "echo two"),
		h.shell(32, "echo three")}, {h.fails(33)}, {say("all done")}}}
}

// crowded goes on with work while the window is nearly full: a call, and an answer. What follows a compaction
// is answered, too.
func crowded(agent string, tokens, most int) script {
	done := []item{say("all done")}
	return script{Turns: [][]item{done, done, done, done, {say("first"), toolsOf(agent).shell(41, "echo one")},
		done, done}, Usage: map[string]int{"input": tokens}, Max: most}
}

// summarised is a script in which the summary is as long as real ones, whose lines are said once.
func (s script) summarised(number int) script {
	for n := range 6 {
		s.Aside += fmt.Sprintf("- Step %d of part %d was done: the command ran, and its output said what was "+
			"asked.\n", n, number)
	}
	return s
}

// delegate is a script in which a subagent is asked, which makes a call of its own.
func delegate(agent string) script {
	h, root := toolsOf(agent), "echo root"
	if agent == "codex" { // which does not wait for it
		root = "sleep 8; " + root
	}
	return script{
		Turns: [][]item{{h.invoke(11)}, {h.shell(12, root)}, {say("all done")}, {say("all done")},
			{say("all done")}},
		Submark: submark,
		Sub:     [][]item{{h.shell(21, "echo sub")}, {say("sub done")}, {say("sub done")}},
	}
}
