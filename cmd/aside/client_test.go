//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/cmd/internal/test/schemas"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

// clientRules are the rules of the clients' tests.
const clientRules = `reminders:
  - {id: asked, while: user_message, content: Answer briefly.}
  - {id: ran, when: 'after_tool:Bash', content: A command was run.}
  - {id: full, when: context_usage > 75%, content: The context is nearly full.}
  - {id: forced, when: 'before_tool:Bash(git push --force*)', pause: true, content: Ask first.}
  - {id: plan, when: manual, content: Plan first.}
`

// scripted runs a script of testdata/client and returns what it writes.
func scripted(t *testing.T, dir string, env []string, args ...string) string {
	t.Helper()
	args[1] = filepath.Join("testdata", "client", args[1])
	if filepath.Base(args[0]) == "deno" {
		args = slices.Insert(args, 1, "run", "--allow-all")
	}
	c := exec.Command(args[0], args[1:]...)
	c.Env = append([]string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH")}, env...)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, &errs)
	}
	return string(out)
}

// TestClients: the clients for TypeScript and Python are told the same, by a child process and by a server,
// and what goes to and fro is as the schema of the protocol has it.
func TestClients(t *testing.T) {
	t.Parallel()
	protocol, err := schemas.Compile("eval")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`{"fired":["full"],"kept":[],"paused":[]}`,
		`{"fired":["full"],"kept":[],"paused":[]}`,
		`{"fired":["asked","ran"],"kept":[],"paused":[]}`,
		`{"fired":["forced"],"kept":[],"paused":["forced"]}`,
		`{"refused":"facts: there is no fact \"context_usge\"; "}`,
		`"queued"`,
		`{"refused":"there is no reminder \"plam\": "}`,
		`[["asked"],true,1]`,
		`0`,
		`{"fired":["plan"],"kept":["ran"],"paused":[]}`,
		`[["plan",true,"it was asked for by name"]]`,
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprint(w, "<html>no upstream")
	}))
	t.Cleanup(other.Close)
	for program, script := range testkit.Few(map[string]string{"node": "play.mjs", "python3": "play.py"}, 1) {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			process.Put(t, dir, "rules.yaml", clientRules)
			process.Put(t, dir, "record", "#!/bin/sh\ncd \"$(dirname \"$0\")\" && tee in | aside \"$@\" | tee out\n")
			if err := os.Chmod(filepath.Join(dir, "record"), 0o700); err != nil {
				t.Fatal(err)
			}
			s := process.Program(testkit.Built(t, "asided")).Serve(t, dir, nil, "--rules", "rules.yaml",
				"--state", "memory")
			out := scripted(t, dir, []string{"ASIDE_COMMAND=" + filepath.Join(dir, "record")},
				testkit.Program(t, program), script, filepath.Join(dir, "rules.yaml"), s.URL,
				"http://127.0.0.1:1", other.URL)
			ways := strings.Split(strings.TrimSpace(out), "\n")
			if len(ways) != 3 || strings.Count(ways[2], "does not answer as asided serve does: ") != 2 {
				t.Fatal(out)
			}
			for _, way := range ways[:2] {
				var got []json.RawMessage
				if err := json.Unmarshal([]byte(way), &got); err != nil {
					t.Fatal(err)
				}
				for i, w := range want {
					var b bytes.Buffer
					if err := json.Compact(&b, got[i]); err != nil || b.String() != w {
						t.Errorf("%d: %s, want %s", i+1, got[i], w)
					}
				}
				if last := string(got[len(got)-1]); !strings.Contains(last, "refused") {
					t.Errorf("a run that is not there: %s", last)
				}
			}
			for name, more := range map[string]int{"in": 1, "out": 2} { // of the rules
				b, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				lines := strings.Split(strings.TrimSpace(string(b)), "\n")
				if len(lines) != len(want)+more {
					t.Errorf("%d lines %s", len(lines), name)
				}
				for _, line := range lines {
					v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
					if err == nil {
						err = protocol.Validate(v)
					}
					if err != nil {
						t.Errorf("%s: %s: %v", name, line, err)
					}
				}
			}
		})
	}
}

// TestClientLife: the clients go through the steps of the conformance kit: whatever becomes of the child
// process, nobody waits for ever, and no process is left.
func TestClientLife(t *testing.T) {
	t.Parallel()
	kit, err := filepath.Abs(filepath.Join("client", "conformance"))
	if err != nil {
		t.Fatal(err)
	}
	for program, script := range testkit.Few(map[string]string{"node": "steps.mjs", "python3": "steps.py",
		"bun": "steps.mjs", "deno": "steps.mjs"}, 1) {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			dir, path := t.TempDir(), program
			if program == "bun" || program == "deno" {
				modules := filepath.Join(npmCI(t, "testdata/client/runtimes"), "node_modules")
				c := exec.Command(testkit.Program(t, "node"), "install.js") // npm has run no scripts
				c.Dir = filepath.Join(modules, "bun")
				if out, err := c.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				path = filepath.Join(modules, ".bin", program)
			}
			process.Put(t, dir, "good.yaml", `reminders:
  - {id: asked, while: user_message, content: Answer briefly.}
  - {id: full, when: context_usage > 75%, content: The context is nearly full.}
  - {id: plan, when: manual, content: Plan first.}
`)
			process.Put(t, dir, "bad.yaml", "reminders:\n  - {id: bad, when: context_usage > 75, content: Bad.}\n"+
				"  - {id: good, while: always, content: Good.}\n")
			out := scripted(t, dir, []string{"ASIDE_COMMAND=" + testkit.Built(t, "aside")},
				testkit.Program(t, path), script, filepath.Join(kit, "steps.json"), dir, filepath.Join(kit, "fake"))
			var steps []struct {
				Scenario string
				Step     struct {
					Do   string
					Want any
				}
				Got any
			}
			if err := json.Unmarshal([]byte(out), &steps); err != nil || len(steps) < 80 {
				t.Fatalf("%d steps, %v: %s", len(steps), err, out)
			}
			for _, s := range steps {
				if !asWanted(s.Got, s.Step.Want) {
					t.Errorf("%s: %s: %v, want %v", s.Scenario, s.Step.Do, s.Got, s.Step.Want)
				}
			}
		})
	}
}

// asWanted compares the outcome of a step. Of an error the part that is wanted must be there.
func asWanted(got, want any) bool {
	switch w := want.(type) {
	case []any:
		g, ok := got.([]any)
		return ok && slices.EqualFunc(g, w, asWanted)
	case map[string]any:
		g, ok := got.(map[string]any)
		if part, is := w["error"].(string); ok && is {
			said, _ := g["error"].(string)
			return strings.Contains(said, part)
		}
		return ok && maps.EqualFunc(g, w, asWanted)
	}
	return got == want
}

// TestClientFacts: the types of both clients name the facts that there are, and no others: one that is
// misspelt does not compile.
func TestClientFacts(t *testing.T) {
	t.Parallel()
	want := append(slices.Clone(fact.Builtin().Names()), "failed", "tools", "vars")
	slices.Sort(want)
	for file, class := range map[string]*regexp.Regexp{
		"client/typescript/index.d.ts":        regexp.MustCompile(`(?s)interface Facts \{(.*?)\n\}`),
		"client/python/src/aside/__init__.py": regexp.MustCompile(`(?s)class Facts\(.*?"""\n\n(.*?)\n\n`),
	} {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		body := class.FindSubmatch(src)
		if body == nil {
			t.Fatalf("%s: no facts", file)
		}
		var got []string
		for _, m := range regexp.MustCompile(`(?m)^ +([a-z_]+)\??: `).FindAllSubmatch(body[1], -1) {
			got = append(got, string(m[1]))
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// TestClientAdapters: agents by fetch, httpx and adapters get the texts that a person counts, each once and
// at its place; a request that is sent again is the same; their history holds no text of ours.
func TestClientAdapters(t *testing.T) {
	t.Parallel()
	python := "/usr/bin/python3" // Debian's, which has httpx
	httpx := exec.Command(python, "-c", "import httpx").Run() == nil
	for name, c := range testkit.Few(map[string][]string{
		"fetch":         {"node", "fetch.mjs"},
		"httpx":         {python, "adapters.py", "httpx"},
		"pydantic_ai":   {python, "adapters.py", "pydantic_ai"},
		"openai_agents": {"python3", "adapters.py", "openai_agents"},
		"langchain":     {"python3", "adapters.py", "langchain"},
	}, 2) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c[0] == python && !httpx {
				testkit.Absent(t, "python3-httpx is not installed")
			}
			dir := t.TempDir()
			process.Put(t, dir, "rules.yaml", clientRules)
			fake := modelapi.New(modelapi.Options{Script: modelapi.Turns(
				modelapi.Reply{Parts: []modelapi.Part{modelapi.Use("call_1", "Bash", `{"command":"go test"}`)}},
				modelapi.Say("They are red."))})
			api := httptest.NewServer(fake)
			defer api.Close()
			history := scripted(t, dir, []string{"ASIDE_COMMAND=aside"}, append([]string{testkit.Program(t, c[0])},
				append(slices.Clone(c[1:]), filepath.Join(dir, "rules.yaml"), api.URL)...)...)
			if !strings.Contains(history, "They are red.") || strings.Contains(history, "reminder") {
				t.Errorf("the history: %s", history)
			}
			sent := fake.Records()
			if len(sent) != 3 || len(fake.Refused()) > 0 || !bytes.Equal(sent[1].Request.Body, sent[2].Request.Body) {
				t.Fatalf("%d requests, %d refused", len(sent), len(fake.Refused()))
			}
			if err := (modelapi.Stable{}).Check(sent); err != nil {
				t.Errorf("I4: %v", err)
			}
			for i, want := range [][]string{{"Answer briefly."}, {"Answer briefly.", "A command was run."}} {
				var got []string
				for _, r := range sent[i].Prompt.Reminders() {
					got = append(got, r.Text)
				}
				if !slices.Equal(got, want) {
					t.Errorf("request %d holds %q, want %q\n%s", i+1, got, want, sent[i].Request.Body)
				}
			}
		})
	}
}

// TestClientHooks: the hooks for the Claude Agent SDK bring the texts, and let the agent go on where there is
// no aside.
func TestClientHooks(t *testing.T) {
	t.Parallel()
	for _, c := range [][]string{{"node", "hooks.mjs"}, {"python3", "hooks.py"}} {
		dir := t.TempDir()
		process.Put(t, dir, "home/.aside/reminders/asked.md", "---\nwhile: user_message\n---\nAnswer briefly.\n")
		var got []any
		out := scripted(t, dir, []string{"XDG_STATE_HOME=" + dir}, testkit.Program(t, c[0]), c[1])
		if err := json.Unmarshal([]byte(out), &got); err != nil || len(got) != 2 {
			t.Fatalf("%s: %v", out, err)
		}
		if text, _ := got[0].(string); !strings.Contains(text, "Answer briefly.") ||
			len(got[1].(map[string]any)) > 0 {
			t.Errorf("%s: %s", c[1], out)
		}
	}
}

// TestClientHooksLive: the hooks in the real Claude Agent SDK, with the real Claude Code, bring each text
// once. ASIDE_AGENTS must name claude-code, or all; npm brings the SDK.
func TestClientHooksLive(t *testing.T) {
	askedAgents(t, "claude-code")
	t.Parallel()
	install, err := exec.Command("../../testdata/agents/run.sh", "install", "claude-code").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	npm := exec.Command(testkit.Program(t, "npm"), "install", "--omit=optional", "--ignore-scripts",
		"--no-audit", "--no-fund", "@anthropic-ai/claude-agent-sdk@0.3.330", "zod@4.6.7")
	npm.Dir = dir
	if out, err := npm.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	process.Put(t, dir, "home/.aside/reminders/rules.yaml", clientRules+
		"  - {id: failed, when: last_tool_call_failed, content: A call has failed.}\n")
	script, err := os.ReadFile("testdata/client/sdk.mjs")
	if err != nil {
		t.Fatal(err)
	}
	process.Put(t, dir, "sdk.mjs", string(script))
	bash := func(id, command string) modelapi.Reply {
		return modelapi.Reply{Parts: []modelapi.Part{modelapi.Use(id, "Bash",
			`{"command":"`+command+`","description":"try"}`)}}
	}
	turns := modelapi.Turns(bash("toolu_1", "echo one"), modelapi.Say("They are red."),
		bash("toolu_2", "exit 1"), modelapi.Say("It is mended."))
	fake := modelapi.New(modelapi.Options{Script: func(p *modelapi.Prompt) modelapi.Reply {
		if len(p.Tools) == 0 { // a title
			return modelapi.Say("done")
		}
		return turns(p)
	}})
	api := httptest.NewServer(fake)
	defer api.Close()
	client, err := filepath.Abs("client/typescript/claude-agent.js")
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(testkit.Program(t, "node"), "sdk.mjs", client,
		filepath.Join(strings.TrimSpace(string(install)), "node_modules/.bin/claude"))
	c.Dir = dir
	c.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "ASIDE_COMMAND=aside",
		"ANTHROPIC_BASE_URL=" + api.URL, "ANTHROPIC_API_KEY=key"}
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `["They are red.","It is mended."]`) {
		t.Fatalf("%v\n%s", err, out)
	}
	var last []byte
	for _, r := range fake.Records() {
		if len(r.Prompt.Tools) > 0 {
			last = r.Request.Body
		}
	}
	for text, want := range map[string]int{"Answer briefly.": 2, "A command was run.": 2,
		"A call has failed.": 1} {
		if got := bytes.Count(last, []byte(text)); got != want {
			t.Errorf("%q stands %d times in the last request, want %d", text, got, want)
		}
	}
}
