package hook

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/inject"
)

// Input is what a hook is run with.
type Input struct {
	Event string              // --event, for agents whose stdin does not name it
	Mode  string              // --mode, an optional way of working of the agent's; "": the usual one
	Stdin []byte              // at most MaxStdin bytes
	Env   func(string) string // the environment, by name; never all of it
}

// MaxStdin is how much of stdin is read, in bytes. What is longer is no event.
const MaxStdin = 16 << 20

// Dialect is how one agent speaks. Its functions are pure and do no I/O.
type Dialect struct {
	Agent string   // as --agent names it
	Modes []string // the ways of working that --mode takes, besides the usual one

	// Before says that the agent tells of a tool before it runs, and not after.
	Before bool
	// Failures says that the agent tells which tools failed. Of one that does not, a turn without tools is not known to be without
	// failures.
	Failures bool
	// Threads says that the agent tells the session itself from its subagents.
	Threads bool

	// Decode reads an event. It never fails: what it cannot read is Invalid, what it does not know Unknown, and members that are
	// missing, of another type or new are passed over.
	Decode func(Input) Event
	// Encode writes a text in the form in which the agent takes it on this event; nil where it takes none. The text is for the
	// model, but that of an event that Arms is for the person.
	Encode func(e Event, text string) []byte
	// Quiet writes what the agent wants to read even where nothing is due; nil where it wants nothing, as nearly all do.
	Quiet func(e Event) []byte
}

// dialects are all that there are.
var dialects = [...]*Dialect{
	&claudeCode,
	&codex,
	&gemini,
	&qwen,
	&cursor,
	&copilot,
	&vscode,
	&droid,
	&cline,
	&crush,
	&kimiCode,
	&goose,
	&windsurf,
	&opencode,
}

// For returns the dialect of an agent.
func For(agent string) (*Dialect, bool) {
	for _, d := range dialects {
		if d.Agent == agent {
			return d, true
		}
	}
	return nil, false
}

// Agents returns the names of all agents that have a dialect.
func Agents() (names []string) {
	for _, d := range dialects {
		names = append(names, d.Agent)
	}
	return names
}

// Modes returns the ways of working that --mode takes, each with its agent.
func Modes() (modes []string) {
	for _, d := range dialects {
		for _, m := range d.Modes {
			modes = append(modes, m+" ("+d.Agent+")")
		}
	}
	return modes
}

// begin reads what nearly all agents name alike, many of them after Claude Code: the event, the session, the project, the model,
// the transcript. It leaves Kind at Unknown; with false there is nothing to decode, and Kind is Invalid.
func begin(in Input) (e Event, o object, ok bool) {
	if o, ok = readObject(in.Stdin); !ok {
		return Event{Kind: Invalid}, o, false
	}
	e = Event{
		Kind:       Unknown,
		Name:       o.name("hook_event_name", "hook_name", "event_name", "event"),
		Session:    o.name("session_id"),
		Dir:        absolute(o.str("cwd", "working_dir")),
		Model:      o.name("model"),
		Transcript: absolute(o.str("transcript_path")),
		Human:      fact.Unknown,
		Failed:     fact.Unknown,
		stdin:      o,
	}
	if e.Name == "" {
		e.Name = in.Event
	}
	return e, o, true
}

// projectDir sets the project's directory to that in the first of the variables that is set.
func (e *Event) projectDir(in Input, names ...string) {
	for _, name := range names {
		if dir := absolute(in.env(name)); dir != "" {
			e.Dir = dir
			return
		}
	}
}

func (in Input) env(name string) string {
	if in.Env == nil {
		return ""
	}
	return in.Env(name)
}

// absolute returns a path, "" for one that is not absolute: whose directory it would count from is not known.
func absolute(path string) string {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return ""
	}
	return path
}

// prompt reads what follows from the text of a prompt, where the agent does not say who submitted it: the name of "/remind NAME",
// and machines' prompts, which begin with their own tag.
func (e *Event) prompt(text string) {
	e.Prompt, e.Human = text, fact.True
	e.Manual = reminded(text)
	if tag := machineTag(text); tag != "" {
		e.Human, e.PromptClass = fact.False, tag
	}
}

// decodeStart reads a session's start as most agents tell of it.
func decodeStart(e *Event, o object) {
	e.Source = o.name("source")
	switch e.Source {
	case "resume":
		e.Resumed = true
	case "compact":
		e.Compacted, e.Reset = true, usageReset
	case "clear":
		e.Reset = usageReset
	}
}

// anyFailed reports whether one of tools failed.
func anyFailed(tools []Tool) fact.Truth {
	all := fact.False
	for _, t := range tools {
		switch {
		case t.Failed == fact.True:
			return fact.True
		case t.Failed == fact.Unknown:
			all = fact.Unknown
		}
	}
	return all
}

// exitCode returns the code with which a shell command ended, as the last line of its result tells; 0 where that does not.
func exitCode(text string) int {
	text = strings.TrimSpace(text)
	text = strings.ToLower(text[strings.LastIndexByte(text, '\n')+1:])
	for _, words := range [...]string{"exit code ", "exit code: ", "exited with code "} {
		i := strings.LastIndex(text, words)
		if i < 0 {
			continue
		}
		digits := text[i+len(words):]
		if end := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); end >= 0 {
			digits = digits[:end]
		}
		if code, err := strconv.Atoi(digits); err == nil {
			return code
		}
	}
	return 0
}

// machineTags begin the prompts that agents send by themselves in the place of a person.
var machineTags = [...]string{"task-notification", "subagent_notification", "local-command-stdout", "local-command-stderr", "local-command-caveat",
	"bash-stdout", "bash-stderr", "environment_context", "user_instructions", "session_context", "hook_context", "system-reminder", "system_reminder", "turn_aborted"}

// machineTag returns the tag that a machine's prompt begins with, "" for a person's.
func machineTag(prompt string) string {
	rest, ok := strings.CutPrefix(strings.TrimLeft(prompt, " \t\r\n"), "<")
	if !ok {
		return ""
	}
	for _, tag := range machineTags {
		if after, ok := strings.CutPrefix(rest, tag); ok && after != "" && strings.ContainsRune("> \t\r\n", rune(after[0])) {
			return tag
		}
	}
	return ""
}

// RemindBody begins the text that the /remind command of an agent expands to, where the hook sees only that: the name stands
// behind it in double quotes.
const RemindBody = `The user asked for the reminder named "`

// reminded returns the NAME of a prompt that begins with "/remind NAME", or with what the command expands to.
func reminded(prompt string) string {
	prompt = strings.TrimLeft(prompt, " \t\r\n")
	if rest, ok := strings.CutPrefix(prompt, RemindBody); ok {
		name, _, ok := strings.Cut(rest, `"`)
		if ok {
			return remindName(name)
		}
		return ""
	}
	line, _, _ := strings.Cut(prompt, "\n")
	if command, args, ok := strings.Cut(strings.TrimRight(line, "\r"), " "); ok && command == "/remind" {
		return remindName(args)
	}
	return ""
}

// remindName returns the name in the arguments of /remind.
func remindName(args string) string {
	words := strings.Fields(args)
	if len(words) == 0 || len(words[0]) > maxName {
		return ""
	}
	return strings.Trim(words[0], `"'`)
}

// encode writes v as one line of JSON.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // of strings, booleans and raw JSON that was checked
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// tagged wraps a text where a message is edited and the agent wraps nothing: what is in it cannot end the tag.
func tagged(text string) string { return inject.Options{}.Seal().Wrap(text) }

// encodeSpecific writes the output that Claude Code takes, and those that took it over from there: hookSpecificOutput and nothing
// beside it, since some refuse what they do not know.
func encodeSpecific(e Event, text string) []byte {
	type specific struct {
		Name    string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	}
	return encode(struct {
		Output specific `json:"hookSpecificOutput"`
	}{specific{e.Name, text}})
}
