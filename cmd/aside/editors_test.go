//go:build unix

package main

import (
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestPlugin: the plugin for Claude Code has the hooks and the command that aside install writes, and its
// program is the one in the PATH; where there is none, a hook does nothing and fails nothing.
func TestPlugin(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if r := exe.Invoke(t, dir, nil, "install", "claude-code", "--scope", "user"); r.Code != 0 {
		t.Fatal(r.Err)
	}
	type group struct {
		Matcher string
		Hooks   []struct{ Command string }
	}
	registered := func(file string) (events []string) {
		var s struct{ Hooks map[string][]group }
		b, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(b, &s)
		}
		if err != nil {
			t.Fatal(err)
		}
		for event, groups := range s.Hooks {
			for _, g := range groups {
				events = append(events, event+" "+g.Matcher)
			}
		}
		slices.Sort(events)
		return events
	}
	const plugin = "editors/claude-code"
	want := registered(filepath.Join(dir, "home/.claude/settings.json"))
	for i, e := range want { // commands of a plugin have its name before them, too
		want[i] = strings.Replace(e, "UserPromptExpansion remind", "UserPromptExpansion ^(aside:)?remind$", 1)
	}
	if got := registered(plugin + "/hooks/hooks.json"); !slices.Equal(got, want) {
		t.Errorf("the plugin has hooks %q, aside install writes %q", got, want)
	}
	command, _ := os.ReadFile(plugin + "/commands/remind.md")
	if written, err := os.ReadFile(filepath.Join(dir, "home/.claude/commands/remind.md")); err != nil ||
		string(written) != string(command) {
		t.Errorf("%v: %s\n%s", err, command, written)
	}
	process.Put(t, dir, "home/.aside/reminders/asked.md", "---\nwhile: user_message\n---\nAnswer briefly.\n")
	run := func(path string) string {
		c := exec.Command("/bin/sh", plugin+"/bin/aside", "hook", "--agent", "claude-code")
		c.Env = []string{"PATH=" + path, "HOME=" + filepath.Join(dir, "home")}
		c.Stdin = strings.NewReader(
			`{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"/","prompt":"hi"}`)
		out, err := c.Output()
		if err != nil {
			t.Errorf("PATH=%s: %v", path, err)
		}
		return string(out)
	}
	if got := run(os.Getenv("PATH")); !strings.Contains(got, "Answer briefly.") {
		t.Error(got)
	}
	if got := run(t.TempDir()); got != "" {
		t.Error(got)
	}
	var market struct{ Plugins []struct{ Source string } }
	b, err := os.ReadFile("../../.claude-plugin/marketplace.json")
	if err == nil {
		err = json.Unmarshal(b, &market)
	}
	if err != nil || len(market.Plugins) != 1 || market.Plugins[0].Source != "./cmd/aside/"+plugin {
		t.Errorf("%v %+v", err, market)
	}
}

// TestPluginLive: the plugin in the real Claude Code fires a reminder by hand, by both names of its command.
// ASIDE_AGENTS must name claude-code, or all.
func TestPluginLive(t *testing.T) {
	askedAgents(t, "claude-code")
	t.Parallel()
	plugin, err := filepath.Abs("editors/claude-code")
	if err != nil {
		t.Fatal(err)
	}
	for _, prompt := range []string{"/remind plan", "/aside:remind plan"} {
		dir := t.TempDir()
		process.Put(t, dir, "home/.aside/reminders/plan.md", "---\nwhen: manual\n---\nPlan first, says the plan.\n")
		c := exec.Command("../../testdata/agents/run.sh", "claude-code", dir, "--prompt", prompt,
			"--", "--plugin-dir", plugin)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		sent, err := os.ReadFile(filepath.Join(dir, "out/requests.jsonl"))
		lines := strings.Count(string(sent), "\n")
		if n := strings.Count(string(sent), "Plan first, says"); err != nil || n == 0 || n != lines {
			t.Errorf("%s: %d texts in %d requests, %v", prompt, n, lines, err)
		}
	}
}

// TestAction: the action for GitHub checks rule files and runs rule tests, and fails where one is wrong.
func TestAction(t *testing.T) {
	t.Parallel()
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Steps []struct{ Env map[string]string }
		}
	}
	b, err := os.ReadFile("../../.github/actions/check/action.yml")
	if err == nil {
		err = yaml.Unmarshal(b, &action)
	}
	if err != nil {
		t.Fatal(err)
	}
	script, err := filepath.Abs("../../.github/actions/check/check.sh")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, rule, expected string
		fine                 bool
	}{
		{"fine", "user_message", "asked", true},
		{"a mistake in a rule", "user_massage", "asked", false},
		{"a test that fails", "user_message", "other", false},
	} {
		dir := t.TempDir()
		process.Put(t, dir, ".aside/reminders/asked.md", "---\nwhile: "+c.rule+"\n---\nAnswer briefly.\n")
		process.Put(t, dir, ".aside/asked_test.yaml",
			"reminders: [reminders/*.md]\ntests:\n  - name: asked\n    steps:\n"+
				"      - {facts: {user_message: true}, fires: ["+c.expected+"]}\n")
		cmd := exec.Command(testkit.Program(t, "bash"), script)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
		for name, from := range action.Runs.Steps[0].Env {
			input := action.Inputs[strings.TrimSuffix(strings.TrimPrefix(from, "${{ inputs."), " }}")].Default
			if name == "COMMAND" {
				input = "aside"
			}
			cmd.Env = append(cmd.Env, name+"="+input)
		}
		if out, err := cmd.CombinedOutput(); (err == nil) != c.fine {
			t.Errorf("%s: %v\n%s", c.name, err, out)
		}
	}
}

// TestPreCommit: each hook for pre-commit is a command that takes files.
func TestPreCommit(t *testing.T) {
	t.Parallel()
	var hooks []struct{ ID, Entry string }
	b, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err == nil {
		err = yaml.Unmarshal(b, &hooks)
	}
	if err != nil || len(hooks) != 2 {
		t.Fatalf("%v: %v", err, hooks)
	}
	dir := t.TempDir()
	process.Put(t, dir, "reminders/asked.md", "---\nwhile: user_message\n---\nAnswer briefly.\n")
	process.Put(t, dir, "asked_test.yaml", "reminders: [reminders/*.md]\ntests:\n  - name: asked\n    steps:\n"+
		"      - {facts: {user_message: true}, fires: [asked]}\n")
	for i, file := range []string{"reminders/asked.md", "asked_test.yaml"} {
		args := append(strings.Fields(hooks[i].Entry)[1:], file)
		if r := exe.Invoke(t, dir, nil, args...); r.Code != 0 {
			t.Errorf("%s: %s%s", hooks[i].ID, r.Out, r.Err)
		}
	}
}

// TestExtension: the extension for VS Code starts for rule files alone and has an icon and a page; all that
// its description names is there, but for the program, which is bundled from the source.
func TestExtension(t *testing.T) {
	t.Parallel()
	const folder = "editors/vscode/"
	var ext struct {
		Icon, Main       string
		ActivationEvents []string
		Dependencies     map[string]string
		Scripts          map[string]string
		Contributes      struct {
			Languages []struct {
				ID               string
				FilenamePatterns []string
			}
			Grammars []struct{ Language, Path string }
		}
	}
	b, err := os.ReadFile(folder + "package.json")
	if err == nil {
		err = json.Unmarshal(b, &ext)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(ext.Dependencies) > 0 || !strings.Contains(ext.Scripts["build"], "--bundle") ||
		!strings.Contains(ext.Scripts["build"], "--outfile="+strings.TrimPrefix(ext.Main, "./")) {
		t.Errorf("not one bundle: %v, %v, %s", ext.Dependencies, ext.Scripts, ext.Main)
	}
	own := map[string]bool{}
	for _, l := range ext.Contributes.Languages {
		own["onLanguage:"+l.ID] = true
		for _, p := range l.FilenamePatterns {
			if !strings.Contains(p, "/.aside/") {
				t.Errorf("%s takes %s, files that others may own", l.ID, p)
			}
		}
	}
	for _, e := range ext.ActivationEvents {
		if !own[e] && !strings.HasPrefix(e, "workspaceContains:**/reminders/") {
			t.Errorf("it starts with %s", e)
		}
	}
	packed, err := os.ReadFile(folder + ".vscodeignore")
	if err != nil {
		t.Fatal(err)
	}
	files := []string{ext.Icon, "README.md"}
	for _, g := range ext.Contributes.Grammars {
		files = append(files, g.Path)
	}
	for _, f := range files {
		text, err := os.ReadFile(folder + f)
		taken := strings.Contains(string(packed), "!"+path.Dir(path.Clean(f))+"/*.json\n") ||
			strings.Contains(string(packed), "!"+f+"\n")
		if err != nil || len(text) == 0 || !taken || strings.HasSuffix(f, ".json") && !json.Valid(text) {
			t.Errorf("%s: %v, %d bytes, packed: %v", f, err, len(text), taken)
		}
	}
	icon, err := os.Open(folder + ext.Icon)
	if err != nil {
		t.Fatal(err)
	}
	defer icon.Close()
	if c, err := png.DecodeConfig(icon); err != nil || c.Width < 128 || c.Width != c.Height {
		t.Errorf("the icon: %v, %+v", err, c)
	}
}

// TestTypes: the extension for VS Code, and a program by the types of the client for TypeScript, are checked
// by the compiler; a program that uses them otherwise is not accepted.
func TestTypes(t *testing.T) {
	t.Parallel()
	if !testkit.Thorough() {
		t.Skip("without -long: the compiler comes from npm")
	}
	node, dir := testkit.Program(t, "node"), npmCI(t, "editors/vscode")
	if err := os.CopyFS(filepath.Join(dir, "node_modules/@aside/client"),
		os.DirFS("client/typescript")); err != nil {
		t.Fatal(err)
	}
	const begin = "import { Aside, serve, type Fired } from '@aside/client';\n" +
		"import { reminders } from '@aside/client/ai-sdk';\nimport { hooks } from '@aside/client/claude-agent';\n" +
		"const a = new Aside({ project: '.' });\n"
	process.Put(t, dir, "good.mts", begin+"const d = await a.decide('r', { facts: { context_usage: 0.8 }, "+
		"key: 'k' });\n"+
		"const f: Fired | undefined = d.fired[0];\nconst m = { messages: [] as string[] };\n"+
		"const back: typeof m = (await a.request('r', m)).request;\nreminders(a, { run: 'r' }); hooks();\n"+
		"const s = await serve({ upstream: { openai: 'http://127.0.0.1:1' } });\n"+
		"const g: typeof fetch = s.fetch('r');\nconsole.log(f?.text, back, g, a.state, a.rules);\n"+
		"await a.decide('r', {}, { timeout: 100, signal: AbortSignal.timeout(9) });\n"+
		"await using b = await Aside.open({ rules: 'x', lenient: true, restart: true, "+
		"onRules: (e) => e.diagnostics });\n"+
		"console.log(b.pid);\n")
	process.Put(t, dir, "bad.mts", begin+"const d = await a.decide('r', { fact: {} });\nd.fired[0].texts;\n"+
		"reminders(a, { runs: 'r' });\nawait a.decide('r', { facts: { contex_usage: 0.8 } });\n"+
		"new Aside({ url: 'http://x', rules: 'y' });\n")
	check := func(args ...string) (string, error) {
		c := exec.Command(node, append([]string{"node_modules/typescript/bin/tsc"}, args...)...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		return string(out), err
	}
	if out, err := check(); err != nil {
		t.Errorf("the extension: %v\n%s", err, out)
	}
	build := exec.Command(testkit.Program(t, "npm"), "run", "build")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	// the bundle needs VS Code and nothing beside it
	load := exec.Command(node, "-e", "const m = require('module'), l = m._load;"+
		"m._load = (n, ...r) => n === 'vscode' ? new Proxy(function () {}, { get: (t, k) => k === 'version' ? "+
		"'1.90.0' : class {} }) : l(n, ...r);"+
		"console.log(Object.keys(require('./alone/extension.js')).sort().join())")
	load.Dir = t.TempDir()
	if err := os.CopyFS(filepath.Join(load.Dir, "alone"), os.DirFS(filepath.Join(dir, "dist"))); err != nil {
		t.Fatal(err)
	}
	if out, err := load.CombinedOutput(); err != nil || string(out) != "activate,deactivate\n" {
		t.Errorf("the bundle: %v\n%s", err, out)
	}
	flags := []string{"--noEmit", "--strict", "--skipLibCheck", "false", "--module", "nodenext",
		"--target", "es2022",
		"--lib", "es2022,dom", "--types", "node"}
	if out, err := check(append(flags, "good.mts")...); err != nil {
		t.Errorf("the client: %v\n%s", err, out)
	}
	if out, err := check(append(flags, "bad.mts")...); err == nil || strings.Count(out, "error TS") != 5 {
		t.Errorf("a wrong program: %v\n%s", err, out)
	}
}
