package install

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
)

// Agent is a coding agent that this package knows.
type Agent struct {
	Name   string   // as --agent names it
	Title  string   // as its makers name it
	Binary string   // the name of its program, "" where it has none that tells its version
	Modes  []string // the modes of its hooks besides the default

	// Why says why nothing can be installed; "" where something can.
	Why string

	// user and project return the directory of its configuration, "" where that is not known. project is nil where the agent reads
	// no configuration from a project.
	user, project func(m *Machine) string
	parts         func(at place) []part
	check         func(at place) error    // its error prevents an installation; may be nil
	after         func(at place) []string // Result.After; may be nil
}

// HasProject reports whether the agent reads a configuration from a project.
func (a *Agent) HasProject() bool { return a.project != nil }

// place is where an installation goes.
type place struct {
	*Machine
	request Request
	dir     string // of the agent's configuration
}

func (at place) in(elem ...string) string {
	return filepath.Join(append([]string{at.dir}, elem...)...)
}

// part is one file of an installation. install and uninstall return what the file is to hold, nil for no file. now is what the file
// holds, nil for no file, and backup what it held before the first installation, nil where that is not known.
type part interface {
	file() string
	install(now, backup []byte) ([]byte, error)
	uninstall(now, backup []byte) ([]byte, error)
}

// inHome returns a function that returns a directory below the home, or the one that an environment variable names instead. variable
// is "" where there is no such variable.
func inHome(variable string, elem ...string) func(*Machine) string {
	return func(m *Machine) string {
		if dir := m.variable(variable); dir != "" {
			return dir
		}
		return m.inHome(elem...)
	}
}

func inProject(elem ...string) func(*Machine) string {
	return func(m *Machine) string { return filepath.Join(append([]string{m.Project}, elem...)...) }
}

// Agents returns all agents that this package knows, also those that nothing can be installed into.
func Agents() []*Agent { return slices.Clone(agents) }

// Names returns the names of all agents, in the order of Agents.
func Names() (names []string) {
	for _, a := range agents {
		names = append(names, a.Name)
	}
	return names
}

// Lookup returns an agent by its name.
func Lookup(name string) (*Agent, bool) {
	for _, a := range agents {
		if a.Name == name {
			return a, true
		}
	}
	return nil, false
}

var agents = []*Agent{
	{
		Name: "claude-code", Title: "Claude Code", Binary: "claude", Modes: []string{"zero-turn"},
		user: inHome("CLAUDE_CONFIG_DIR", ".claude"), project: inProject(".claude"),
		parts: claudeParts,
		after: func(at place) []string {
			if at.request.Scope == Project {
				return []string{"Claude Code runs the hooks of a project once you trust the folder; a session that is running takes them up by itself."}
			}
			return []string{"A session that is running takes them up by itself; /hooks lists them."}
		},
	},
	{
		Name: "codex", Title: "Codex CLI", Binary: "codex",
		user: inHome("CODEX_HOME", ".codex"), project: inProject(".codex"),
		parts: codexParts,
		after: func(place) []string {
			return []string{"Start codex and approve the hooks under /hooks: until then it skips them without a word. After an upgrade that changes them it asks again.",
				"Its terminal takes /remind for a command that it does not know: use aside remind NAME in another one."}
		},
	},
	{
		Name: "gemini", Title: "Gemini CLI", Binary: "gemini", Modes: []string{"before-model"},
		user: func(m *Machine) string {
			if dir := m.variable("GEMINI_CLI_HOME"); dir != "" {
				return filepath.Join(dir, ".gemini")
			}
			return m.inHome(".gemini")
		},
		project: inProject(".gemini"),
		parts:   geminiParts,
		after: func(at place) []string {
			if at.request.Scope == Project {
				return []string{"Start gemini anew, in a folder that it trusts."}
			}
			return []string{"Start gemini anew."}
		},
	},
	{
		Name: "qwen", Title: "Qwen Code", Binary: "qwen",
		user: inHome("QWEN_HOME", ".qwen"), project: inProject(".qwen"),
		parts: qwenParts,
		after: func(place) []string { return []string{"Start qwen anew."} },
	},
	{
		Name: "cursor", Title: "Cursor",
		user: inHome("", ".cursor"), project: inProject(".cursor"),
		parts: cursorParts,
		after: func(place) []string { return []string{"Restart Cursor."} },
	},
	{
		Name: "copilot", Title: "GitHub Copilot CLI", Binary: "copilot",
		user: inHome("COPILOT_HOME", ".copilot"), project: inProject(".github"),
		parts: copilotParts,
		after: func(at place) []string {
			if at.request.Scope == Project {
				return []string{"Start copilot anew. In a folder that it does not trust it skips the hooks without a word."}
			}
			return []string{"Start copilot anew."}
		},
	},
	{
		Name: "vscode", Title: "VS Code", Binary: "code",
		user: inHome("", ".copilot"), project: inProject(".github"),
		parts: vscodeParts,
		after: func(place) []string {
			return []string{"Trust the workspace: VS Code runs no hooks in one that is not trusted. Hooks are a preview there; chat.hookFilesLocations switches them."}
		},
	},
	{
		Name: "droid", Title: "Factory Droid", Binary: "droid",
		user: inHome("", ".factory"), project: inProject(".factory"),
		parts: droidParts,
		after: func(place) []string {
			return []string{"Start droid anew and review the hooks under /hooks: it takes changes up only then."}
		},
	},
	{
		Name: "cline", Title: "Cline", Binary: "cline",
		user: inHome("", "Documents", "Cline"), project: inProject(".clinerules"),
		parts: clineParts,
		after: func(place) []string { return []string{"Hooks must be switched on in Cline's settings."} },
	},
	{
		Name: "crush", Title: "Charm Crush", Binary: "crush",
		user:    func(m *Machine) string { return m.config("crush") },
		project: inProject(),
		parts:   crushParts,
		after:   func(place) []string { return []string{"Start crush anew."} },
	},
	{
		Name: "kimi-code", Title: "Kimi Code",
		user:  inHome("KIMI_CODE_HOME", ".kimi-code"),
		parts: kimiParts,
		after: func(place) []string { return []string{"Start Kimi Code anew. Reminders show in its terminal."} },
	},
	{
		Name: "opencode", Title: "opencode", Binary: "opencode",
		user: func(m *Machine) string {
			if dir := m.variable("OPENCODE_CONFIG_DIR"); dir != "" {
				return dir
			}
			return m.config("opencode")
		},
		project: inProject(".opencode"),
		parts:   opencodeParts,
		after:   func(place) []string { return []string{"Start opencode anew."} },
	},
	{
		Name: "goose", Title: "Goose", Binary: "goose",
		user: inHome("", ".agents", "plugins", "aside"), project: inProject(".agents", "plugins", "aside"),
		parts: gooseParts,
		check: func(at place) error {
			file := at.variable("GOOSE_MOIM_MESSAGE_FILE")
			if file == "" || file == at.gooseFile() || len(bytes.TrimSpace(at.read(file))) == 0 {
				return nil
			}
			return fmt.Errorf("GOOSE_MOIM_MESSAGE_FILE names %s, whose text %w: hooks leave it alone and could say nothing; make it a reminder, and unset the variable", file, ErrForeign)
		},
		after: func(at place) []string {
			return []string{"Goose reads reminders from a file. Put this into your shell's profile, and start goose anew from a new shell:",
				"    export GOOSE_MOIM_MESSAGE_FILE=" + at.Quoted(at.gooseFile())}
		},
	},
	{Name: "windsurf", Title: "Windsurf Cascade", Why: "its hooks can observe and block, and have no way to put a text before the model"},
	{Name: "amp", Title: "Amp", Why: "it runs no commands as hooks, and what its plugins can put before the model is not documented"},
	{Name: "kimi-cli", Title: "Kimi CLI", Binary: "kimi", Why: "it throws away what its hooks print; Kimi Code, which follows it, does not: aside install kimi-code"},
}

// commandLine returns a function that returns a hook's command as a line, for agents that run a shell.
func (at place) commandLine(agent string) func(event, mode string, more []string) string {
	return func(event, mode string, more []string) string {
		return shell(at.Program.hook(agent, event, mode, more), at.Windows)
	}
}

// plainHandler returns a jsonHooks.handler of the form that most agents have: a line for the shell, and a timeout, in the agent's unit.
func (at place) plainHandler(agent string, timeout int) func(event, mode string, more []string) object {
	line := at.commandLine(agent)
	return func(_, mode string, more []string) object {
		return object{{"type", "command"}, {"command", line("", mode, more)}, {"timeout", timeout}}
	}
}

// The versions of Claude Code, by its documentation, from which on there is something that an installation uses.
const (
	claudeExecForm  = "2.1.139" // a command as a program with "args", without a shell
	claudeToolBatch = "2.1.240" // the event PostToolBatch
)

func claudeParts(at place) []part {
	hooks := []hook{{event: "SessionStart"}, {event: "UserPromptSubmit"}, matching("remind", "UserPromptExpansion")}
	version := ""
	if at.Version != nil {
		version = at.Version("claude")
	}
	if older(version, claudeToolBatch) {
		hooks = append(hooks, hook{event: "PostToolUse"})
	}
	hooks = append(hooks, on("PostToolUseFailure", "PostToolBatch", "SubagentStart", "PreCompact", "Stop")...)
	line := at.plainHandler("claude-code", hookSeconds)
	handler := func(event, mode string, more []string) object {
		words := at.Program.hook("claude-code", "", mode, more)
		return object{{"type", "command"}, {"command", words[0]}, {"args", words[1:]}, {"timeout", hookSeconds}}
	}
	if older(version, claudeExecForm) {
		handler = line
	}
	s := statusLine{at.Program, at.Windows, at.request.StatusLine}
	return []part{
		&jsonHooks{path: at.in("settings.json"), agent: "claude-code", wanted: true, grouped: true, hooks: hooks, handler: handler, mode: at.request.Mode, extra: s.edit},
		&remindFile{path: at.in("commands", "remind.md"), text: `---
description: Fire a named reminder now
argument-hint: NAME
disable-model-invocation: true
---
` + remindBody("$ARGUMENTS") + "\n"},
	}
}

// remindBody returns what /remind expands to. A hook that sees only the expansion finds the name in it (hook.RemindBody).
func remindBody(name string) string {
	return `The user asked for the reminder named "` + name + `". Its text accompanies this message.`
}

// codexParts registers hooks in hooks.json, or in config.toml where that has hooks and hooks.json does not exist: Codex warns of a
// directory that has both.
func codexParts(at place) []part {
	events := on("SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart", "PreCompact")
	line := at.commandLine("codex")
	t := &tomlHooks{path: at.in("config.toml"), agent: "codex", grouped: true, hooks: events, mode: at.request.Mode,
		command: func(mode string, more []string) string { return line("", mode, more) }}
	j := &jsonHooks{path: at.in("hooks.json"), agent: "codex", grouped: true, hooks: events, mode: at.request.Mode,
		handler: at.plainHandler("codex", hookSeconds)}
	t.wanted = !at.exists(j.path) && t.hasHooks(at.read(t.path))
	j.wanted = !t.wanted
	return []part{j, t}
}

func geminiParts(at place) []part {
	mode := at.request.Mode
	events := []string{"SessionStart", "BeforeAgent", "AfterTool"}
	line := at.commandLine("gemini")
	j := &jsonHooks{path: at.in("settings.json"), agent: "gemini", wanted: true, grouped: true, mode: mode,
		handler: func(_, mode string, more []string) object {
			return object{{"type", "command"}, {"name", "aside"}, {"command", line("", mode, more)}, {"timeout", hookSeconds * 1000}}
		}}
	now := ""
	if mode != nil {
		now = *mode
	} else if d, err := readDoc(j.path, at.read(j.path)); err == nil {
		now, _ = j.kept(d)
	}
	if now == "before-model" {
		events = append(events, "BeforeModel")
	}
	for _, e := range events {
		j.hooks = append(j.hooks, matching("*", e))
	}
	return []part{j, &remindFile{path: at.in("commands", "remind.toml"),
		text: "description = \"Fire a named reminder now\"\nprompt = '" + remindBody("{{args}}") + "'\n"}}
}

func qwenParts(at place) []part {
	return []part{
		&jsonHooks{path: at.in("settings.json"), agent: "qwen", wanted: true, grouped: true, mode: at.request.Mode, handler: at.plainHandler("qwen", hookSeconds*1000),
			hooks: on("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SubagentStart")},
		&remindFile{path: at.in("commands", "remind.md"), text: "---\ndescription: Fire a named reminder now\n---\n" + remindBody("{{args}}") + "\n"},
	}
}

func cursorParts(at place) []part {
	line := at.commandLine("cursor")
	return []part{
		&jsonHooks{path: at.in("hooks.json"), agent: "cursor", wanted: true, top: object{{"version", 1}}, mode: at.request.Mode,
			handler: func(_, mode string, more []string) object {
				return object{{"command", line("", mode, more)}, {"timeout", hookSeconds}}
			},
			hooks: on("sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure", "preCompact")},
		&remindFile{path: at.in("commands", "remind.md"), text: "The user asked for a reminder by its name. Its text accompanies this message, or comes with the next result of a tool.\n"},
	}
}

func copilotParts(at place) []part {
	return []part{&jsonHooks{path: at.in("hooks", "aside.json"), agent: "copilot", wanted: true, top: object{{"version", 1}}, mode: at.request.Mode,
		handler: func(event, mode string, more []string) object {
			words := at.Program.hook("copilot", event, mode, more)
			return object{{"type", "command"}, {"exec", words[0]}, {"args", words[1:]}, {"timeoutSec", hookSeconds}}
		},
		hooks: on("sessionStart", "userPromptSubmitted", "postToolUse", "postToolUseFailure", "subagentStart", "preCompact")}}
}

func vscodeParts(at place) []part {
	return []part{&jsonHooks{path: at.in("hooks", "aside-vscode.json"), agent: "vscode", wanted: true, mode: at.request.Mode, handler: at.plainHandler("vscode", hookSeconds),
		hooks: on("SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart", "PreCompact")}}
}

func droidParts(at place) []part {
	return []part{&jsonHooks{path: at.in("hooks.json"), agent: "droid", wanted: true, grouped: true, mode: at.request.Mode, handler: at.plainHandler("droid", hookSeconds),
		hooks: on("SessionStart", "UserPromptSubmit", "PostToolUse")}}
}

// crushParts registers a hook for the one event that Crush has, before a tool runs.
func crushParts(at place) []part {
	name := "crush.json"
	if at.request.Scope == Project && at.exists(at.in("."+name)) {
		name = "." + name
	}
	line := at.commandLine("crush")
	return []part{&jsonHooks{path: at.in(name), agent: "crush", wanted: true, mode: at.request.Mode,
		handler: func(_, mode string, more []string) object {
			return object{{"name", "aside"}, {"command", line("", mode, more)}, {"timeout", hookSeconds}}
		},
		hooks: on("PreToolUse")}}
}

func kimiParts(at place) []part {
	line := at.commandLine("kimi-code")
	return []part{&tomlHooks{path: at.in("config.toml"), agent: "kimi-code", wanted: true, mode: at.request.Mode,
		hooks:   on("UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "PreCompact"),
		command: func(mode string, more []string) string { return line("", mode, more) }}}
}

func gooseParts(at place) []part {
	return []part{
		&jsonHooks{path: at.in("hooks", "hooks.json"), agent: "goose", wanted: true, grouped: true, mode: at.request.Mode, handler: at.plainHandler("goose", hookSeconds),
			hooks: on("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop")},
		&remindFile{path: at.in("plugin.json"), text: "{\n  \"name\": \"aside\",\n  \"version\": \"1.0.0\",\n  \"description\": \"Reminders for agents\"\n}\n"},
	}
}

// clineParts returns scripts: a hook of Cline is a file with the name of its event.
func clineParts(at place) (parts []part) {
	dir, ext, mark := "Hooks", "", "# "+ourMark
	if at.request.Scope == Project {
		dir = "hooks"
	}
	text := "#!/bin/sh\n" + mark + "\nexec " + at.commandLine("cline")("", "", nil) + "\n"
	if at.Windows {
		ext = ".ps1"
		text = mark + "\n$input | & " + at.commandLine("cline")("", "", nil) + "\nexit 0\n"
	}
	for _, e := range []string{"PostToolUse", "UserPromptSubmit"} {
		parts = append(parts, &owned{path: at.in(dir, e+ext), text: text, mark: mark, mode: 0o755, needs: true, event: e, words: scriptWords})
	}
	return parts
}

func opencodeParts(at place) []part {
	words := at.Program.hook("opencode", "", "", nil)
	return []part{
		&owned{path: at.in("plugins", "aside.js"), text: opencodePlugin(words), mark: "// " + ourMark, mode: 0o644, needs: true, event: "messages.transform", words: pluginWords},
		&remindFile{path: at.in("commands", "remind.md"), text: "---\ndescription: Fire a named reminder now\n---\n" + remindBody("$ARGUMENTS") + "\n"},
	}
}
