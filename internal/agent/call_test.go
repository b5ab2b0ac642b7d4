package agent_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// where is where the agents of these tests work.
var where = agent.Where{Dir: "/p/sub", Project: "/p", Home: "/home/ana"}

func TestCall(t *testing.T) {
	t.Parallel()
	shell := func(line string) fact.Call { return fact.Call{Class: fact.Shell, Command: line, Told: true} }
	files := func(c fact.Class, paths ...string) fact.Call {
		return fact.Call{Class: c, Paths: paths, Told: true, WrittenTold: c == fact.Edit}
	}
	other := func(c fact.Class, subject string) fact.Call {
		return fact.Call{Class: c, Subject: subject, Told: true}
	}
	untold := func(c fact.Class) fact.Call { return fact.Call{Class: c} }
	for _, c := range []struct {
		agent, tool, input string
		want               fact.Call // but for Tool
	}{
		{"claude-code", "Bash", `{"command":"go test ./...","description":"x"}`, shell("go test ./...")},
		{"claude-code", "Edit", `{"file_path":"/p/a/b.go","old_string":"x"}`,
			fact.Call{Class: fact.Edit, Paths: []string{"a/b.go"}, Told: true}},
		{"claude-code", "Edit", `{"file_path":"b.go"}`, files(fact.Edit, "sub/b.go")},
		{"claude-code", "Edit", `{"file_path":"../../etc/x"}`, files(fact.Edit, "/etc/x")},
		{"claude-code", "Edit", `{"file_path":"/pp/b.go"}`, files(fact.Edit, "/pp/b.go")},
		{"claude-code", "Edit", `{"file_path":"/p/./a/../.env"}`, files(fact.Edit, ".env")},
		{"claude-code", "Edit", `{"file_path":""}`, untold(fact.Edit)},
		{"claude-code", "Read", `{"file_path":"/p"}`, files(fact.Read, ".")},
		{"claude-code", "Read", `{"file_path":"~/.netrc"}`, files(fact.Read, "~/.netrc")},
		{"claude-code", "WebSearch", `{"query":"go"}`, other(fact.Web, "go")},
		{"claude-code", "Task", `{"subagent_type":"Explore"}`, other(fact.Task, "Explore")},
		{"claude-code", "Bash", `{"cmd":"ls"}`, untold(fact.Shell)},
		{"claude-code", "Bash", `{"command":7}`, untold(fact.Shell)},
		{"claude-code", "Bash", `{"command":"ls"`, untold(fact.Shell)},
		{"claude-code", "Bash", "", untold(fact.Shell)},
		{"opencode", "edit", `{"filePath":"a.go"}`, files(fact.Edit, "sub/a.go")},
		{"opencode", "bash", `{"command":"ls"}`, shell("ls")},
		{"codex", "shell", `{"command":["bash","-lc","git push -f && echo 'a'"]}`,
			shell(`bash -lc 'git push -f && echo '\''a'\'''`)},
		{"codex", "shell", `{"command":[]}`, untold(fact.Shell)},
		{"codex", "apply_patch", `{"command":"*** Begin Patch\n*** Update File: a.go\n*** Move to: b.go\n+x\n` +
			`*** Delete File: c.go\n*** End Patch"}`, fact.Call{Class: fact.Edit, Told: true, WrittenTold: true,
			Paths: []string{"sub/a.go", "sub/b.go", "sub/c.go"}, Written: []string{"x\n"}}},
		{"codex", "apply_patch", `{"command":"*** Begin Patch\n"}`, untold(fact.Edit)},
		{"cline", "run_commands", `{"commands":["ls -l","make"]}`, shell("ls -l\nmake")},
		{"gemini", "read_many_files", `{"include":["a","b"]}`, files(fact.Read, "sub/a", "sub/b")},
		{"gemini", "read_many_files", `{"include":["a",1]}`, untold(fact.Read)},
		{"claude-code", "mcp__x__y", `{"b":{"z":1,"a":"<&"}, "a": 1.50}`,
			other(fact.NoClass, `{"a":1.50,"b":{"a":"<&","z":1}}`)},
		{"claude-code", "Skill", `{}`, other(fact.NoClass, "{}")},
		{"claude-code", "mcp__x__y", `{} {}`, untold(fact.NoClass)},
		{"claude-code", "TodoWrite", `{"todos":[]}`, untold(fact.Todo)},
	} {
		a, ok := agent.Named(c.agent)
		if !ok {
			t.Fatal(c.agent)
		}
		c.want.Tool = c.tool
		got := a.Call(c.tool, []byte(c.input), nil, where)
		if diff := cmp.Diff(c.want, got, cmpopts.IgnoreFields(fact.Call{}, "Input")); diff != "" {
			t.Errorf("%s %s %s: -want +got:\n%s", c.agent, c.tool, c.input, diff)
		}
		if object := strings.HasPrefix(c.input, "{"); object && got.Input != "" &&
			!jsonEqual(t, got.Input, c.input) || !object && strings.HasPrefix(got.Input, "[") {
			t.Errorf("%s %s %s: the input is %s", c.agent, c.tool, c.input, got.Input)
		}
	}
}

// TestCallOnWindows: paths with drives have slashes.
func TestCallOnWindows(t *testing.T) {
	t.Parallel()
	a, _ := agent.Named("claude-code")
	w := agent.Where{Dir: `C:\p\sub`, Project: `C:\p`}
	for input, want := range map[string]string{`C:\\p\\a.go`: "a.go", `b\\a.go`: "sub/b/a.go", `D:\\x`: "D:/x"} {
		c := a.Call("Edit", []byte(`{"file_path":"`+input+`"}`), nil, w)
		if len(c.Paths) != 1 || c.Paths[0] != want {
			t.Errorf("%s: %q, want %q", input, c.Paths, want)
		}
	}
	if got := w.Place().Project; got != "C:/p" {
		t.Errorf("the project is %q", got)
	}
}

func TestOutput(t *testing.T) {
	t.Parallel()
	a, _ := agent.Named("claude-code")
	for _, c := range []struct {
		output, want string
		told         bool
	}{
		{"", "", false}, {"null", "", false}, {"7", "", false}, {"{}", "", false}, {`"a\nb"`, "a\nb", true},
		{`""`, "", true}, {"[]", "", true},
		{`[{"type":"text","text":"a"},{"type":"image","source":{"data":"x"}},"b"]`, "a\nb", true},
		{`{"stdout":"a","stderr":"b","interrupted":false}`, "a\nb", true}, {`{"stdout":""}`, "", true},
		{`{"llmContent":[{"text":"a"}],"returnDisplay":"d"}`, "a", true},
		{`{"resultType":"success","textResultForLlm":"a"}`, "a", true},
		{`{"error":1,"message":"no"}`, "no", true},
		{`{"filePath":"/a","oldString":"secret"}`, "", false},
		{`[[[[[["deep"]]]]]]`, "", true},
		{`"` + strings.Repeat("x", 3*fact.OutputHead) + `"`,
			fact.CutOutput(strings.Repeat("x", 3*fact.OutputHead)), true},
	} {
		got := a.Call("Bash", nil, []byte(c.output), agent.Where{})
		if got.Output != c.want || got.OutputTold != c.told {
			t.Errorf("%.60s: %.60q, told %t; want %.60q, told %t", c.output, got.Output, got.OutputTold,
				c.want, c.told)
		}
	}
}

// TestWritten: each tool names the new text of an edit in its own words, and the call has that text.
func TestWritten(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 50_000)
	for _, c := range []struct {
		agent, tool, input string
		want               []string
		told               bool
	}{
		{"claude-code", "Write", `{"file_path":"a","content":"new"}`, []string{"new"}, true},
		{"claude-code", "Write", `{"file_path":"a","content":""}`, []string{""}, true},
		{"claude-code", "Edit", `{"file_path":"a","old_string":"o","new_string":"n","replace_all":true}`,
			[]string{"n"}, true},
		{"claude-code", "MultiEdit", `{"file_path":"a","edits":[{"old_string":"o","new_string":"n"},` +
			`{"new_string":"m"}]}`, []string{"n", "m"}, true},
		{"claude-code", "NotebookEdit", `{"notebook_path":"a","cell_id":"c","new_source":"n","cell_type":"code"}`,
			[]string{"n"}, true},
		{"claude-code", "Write", `{"file_path":"a","content":"` + long + `"}`, []string{fact.CutOutput(long)}, true},
		{"claude-code", "Write", `{"file_path":"a","blob":"x"}`, nil, false},
		{"claude-code", "Write", `{"content":"no file"}`, nil, false},
		{"claude-code", "Write", `{"file_path":"a","content":`, nil, false},
		{"claude-code", "Read", `{"file_path":"a","content":"x"}`, nil, false},
		{"opencode", "edit", `{"filePath":"a","oldString":"o","newString":"n"}`, []string{"n"}, true},
		{"opencode", "apply_patch", `{"patchText":"*** Begin Patch\n*** Add File: a\n+1\n+2\n*** Update File: b\n@@\n-o\n` +
			` c\n+n\n*** End Patch"}`, []string{"1\n2\n", "n\n"}, true},
		{"copilot", "create", `{"path":"a","file_text":"n"}`, []string{"n"}, true},
		{"copilot", "edit", `{"path":"a","old_str":"o","new_str":"n"}`, []string{"n"}, true},
		{"gemini", "replace", `{"file_path":"a","instruction":"say n","old_string":"o","new_string":"n"}`,
			[]string{"n"}, true},
		{"vscode", "create_file", `{"filePath":"a","content":"n"}`, []string{"n"}, true},
		{"cline", "replace_in_file", `{"path":"a","diff":"------- SEARCH\no\n=======\nn\n+++++++ REPLACE\n"}`,
			[]string{"n\n"}, true},
		{"goose", "developer__edit", `{"path":"a","before":"o","after":"n"}`, []string{"n"}, true},
		{"goose", "developer__text_editor", `{"command":"str_replace","path":"a","old_str":"o","new_str":"n"}`,
			[]string{"n"}, true},
		{"cursor", "Delete", `{"file_path":"a"}`, nil, true},
	} {
		a, ok := agent.Named(c.agent)
		if !ok {
			t.Fatal(c.agent)
		}
		got := a.Call(c.tool, []byte(c.input), nil, where)
		if diff := cmp.Diff(c.want, got.Written); diff != "" || got.WrittenTold != c.told {
			t.Errorf("%s %.80s: told is %v: -want +got:\n%s", c.tool, c.input, got.WrittenTold, diff)
		}
	}
}

func jsonEqual(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := errors.Join(json.Unmarshal([]byte(a), &x), json.Unmarshal([]byte(b), &y)); err != nil {
		t.Error(err)
	}
	return cmp.Equal(x, y)
}
