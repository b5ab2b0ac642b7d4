package agent

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/aside-go/aside/internal/jsonscan"
)

// Config declares where an agent's configuration lies and how hooks are registered in it. Package install
// interprets it.
type Config struct {
	// Why says why nothing can be installed; "" where something can.
	Why string

	User    Dir
	Project string // directory below the project's; "": it reads none
	// Own is the directory below the home that only people with the agent have; "": User.
	Own string

	Files []File // in the order in which an installation writes them

	After        []string // what the user has to do after an installation; {file} is the quoted path of TextFile
	AfterProject []string // the same after one in a project; nil: After

	StatusLine bool     // the configuration has the command of a status line, which aside can wrap
	Reads      []string // agents whose configurations this one reads, so that it runs their hooks, too
	// TextFile is the environment variable with the path of a file that the agent reads before each model
	// call, in place of answers of hooks; "" for other agents.
	TextFile string
	Remark   string // a remark of aside doctor, where the agent is set up
}

// Dir says where a directory lies. The first that applies counts.
type Dir struct {
	Variable string // environment variable that names it
	Below    string // path below the variable's directory
	Config   string // path below the directory for configurations of programs, ~/.config
	Home     string // path below the home directory
}

// In returns the directory on a machine with these environment variables and this home directory, "" where it
// is not known. A relative directory that Variable names lies below start, where the agent starts. A relative
// XDG_CONFIG_HOME is ignored, as its specification asks.
func (d Dir) In(env func(string) string, home, start string) string {
	if dir := env(d.Variable); d.Variable != "" && dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(start, dir)
		}
		return filepath.Join(dir, filepath.FromSlash(d.Below))
	}
	below := d.Home
	if d.Config != "" {
		if dir := env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
			return filepath.Join(dir, d.Config)
		}
		below = ".config/" + d.Config
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, filepath.FromSlash(below))
}

// Sessions returns where the files of sessions lie on a machine with these environment variables and this
// home directory, as a pattern of path/filepath; "" where that is not known. Those below the directory of the
// configuration follow it, wherever its variable puts it.
func (a *Agent) Sessions(env func(string) string, home string) string {
	if a.Session == nil || home == "" {
		return ""
	}
	dir, files := home, a.Session.Files
	if below, is := strings.CutPrefix(files, a.Config.User.Home+"/"); is {
		dir, files = a.Config.User.In(env, home, ""), below
	}
	return filepath.Join(dir, filepath.FromSlash(files))
}

// File is one file of an installation. Just one of its members JSON, TOML, Script, Plugin and Text is set.
type File struct {
	Path        string // below the configuration's directory
	ProjectPath string // the same in a project; "": Path
	HiddenToo   bool   // in a project the file's name may have a dot in front
	WindowsExt  string // what the name ends in on Windows, besides

	JSON   *JSONHooks
	TOML   *TOMLHooks
	Script *Script
	Plugin *Plugin
	Text   string // the whole of the file, which a mark would be part of, such as a command's definition
}

// Registration is an event that a hook is registered for.
type Registration struct {
	Event   string
	Matcher string  // "": the entry has none
	Mode    string  // register in this mode alone; "": in each
	Handler Handler // nil: that of the file
}

// JSONHooks is a JSON file with a member "hooks": an object with an array for each event, of handlers or of
// groups of handlers.
type JSONHooks struct {
	Root    string // the member in place of "hooks"; "": that
	Version bool   // the root has a member "version": 1
	Grouped bool   // handlers stand in groups: {"matcher", "hooks": [handler]}
	Events  []Registration
	Handler Handler // nil: commonHandler
	// Earlier is the handler for versions of the agent before EarlierUntil.
	Earlier      Handler
	EarlierUntil string
	TellEvent    bool // stdin does not name the event, so the command does
	Off          Switch
}

// Switch is a setting in a file that switches all hooks off, at a path, where it has a value.
type Switch struct {
	Path  []string // none: there is no such setting
	Value bool
}

// TOMLHooks is a TOML file with hooks: [[hooks]] with a key "event" each, or, grouped, [[hooks.EVENT]] with
// [[hooks.EVENT.hooks]] below.
type TOMLHooks struct {
	Grouped bool
	Events  []Registration
	// InPlace says that the file is one of two: it is used where it has hooks already and the JSON file
	// before it in Files does not exist.
	InPlace bool
	Off     Switch
}

// Script is a file with the name of an event, which the agent runs.
type Script struct {
	Event string
}

// Plugin is a program in the agent's own language that calls the hook.
type Plugin struct {
	Event  string
	Source string // holds Command; a description names its file
	// Command is a JSON array in Source: the hook's program and arguments, which an installation replaces.
	Command string
	Before  string // the text before Command in Source
	Mark    string // what begins a comment
}

// Handler is what an agent runs at an event: the members of an object, in their order.
type Handler []Member

// Member is a member of a hook's handler.
type Member struct {
	Name  string
	Value any // a string, a number, or a Word
}

// decode reads the object; a string that is a Word is one.
func (h *Handler) decode(raw []byte) error {
	*h = nil
	for name, value := range jsonscan.Of(raw).Members() {
		m := Member{Name: string(name)}
		n, err := strconv.Atoi(string(value))
		switch text := jsonscan.Unquote(value); {
		case value[0] != '"' && err != nil:
			return fmt.Errorf("%s: %s is neither a text nor a whole number", name, value)
		case value[0] != '"':
			m.Value = n
		case strings.HasPrefix(text, "{"):
			m.Value = Word(text)
		default:
			m.Value = text
		}
		*h = append(*h, m)
	}
	return nil
}

// Word stands for a value that an installation knows.
type Word string

// The words.
const (
	Line    Word = "{line}"    // the command as a line for a shell
	Program Word = "{program}" // the path of the program alone
	Args    Word = "{args}"    // its arguments, as a list
	// the command as a line for a POSIX shell that ends with 0 whatever becomes of it, and as one for PowerShell
	Guarded           Word = "{guarded}"
	GuardedPowerShell Word = "{guarded powershell}"
)

// Patience is how many seconds an agent waits for a hook at most; a hook itself gives up much earlier.
const Patience = 5

// commonHandler is the form of a handler that most agents have; the timeout is in seconds.
var commonHandler = Handler{{"type", "command"}, {"command", Line}, {"timeout", Patience}}
