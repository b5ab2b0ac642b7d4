// Package starter owns the reminders that "aside init" writes, and the rule test that comes with each of
// them.
//
// Some speak before a call or before the agent ends. Few agents tell of these moments, so each of them has a
// stand-in, which says afterwards what is left to say. "init --agent" writes it in its place where it can
// never fire, and "init NAME" by its name; nothing else does, since both together would say the same twice.
//
// They are files of this package, in the very form in which they are written. All functions may be called
// concurrently.
package starter

import (
	"bytes"
	"embed"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
)

//go:embed rules/*.md tests/*_test.yaml
var files embed.FS

const (
	// Dir is where the reminders go, below the .aside directory.
	Dir = "reminders"
	// Tests is where the rule tests go, below the .aside directory. It is not Dir, where every YAML file is read
	// as reminders.
	Tests = "tests"
)

// File is a file to write.
type File struct {
	Name string // below the .aside directory, with slashes
	Text []byte
}

// standIns are the stand-ins, by the id of the reminder in whose place they fire.
var standIns = map[string]string{
	"before-destructive-command": "after-destructive-command",
	"run-tests":                  "untested-commit",
	"secret-files":               "after-secret-files",
}

// StandIn returns the id of a reminder's stand-in, "" for none.
func StandIn(id string) string { return standIns[id] }

// Usual returns the ids of the starter reminders for who does not choose, in byte order.
func Usual() []string {
	return []string{"after-compaction", "before-destructive-command", "context-nearly-full", "repeated-failures",
		"run-tests", "secret-files"}
}

// IDs returns the ids of the starter reminders in byte order, without stand-ins.
func IDs() []string {
	ids := All()
	return slices.DeleteFunc(ids, func(id string) bool {
		return slices.Contains(slices.Collect(maps.Values(standIns)), id)
	})
}

// All returns the ids of the starter reminders and of the stand-ins in byte order.
func All() []string {
	entries, err := files.ReadDir("rules")
	if err != nil {
		panic(err) // the directory is part of the program
	}
	var ids []string
	for _, en := range entries {
		ids = append(ids, strings.TrimSuffix(en.Name(), ".md"))
	}
	return ids
}

// Files returns the files of the reminders with these ids, or of IDs where there are no ids: first the
// reminders, then their rule tests, each in the order of ids. Each id must be one of All.
func Files(ids ...string) []File {
	if len(ids) == 0 {
		ids = IDs()
	}
	var list, tests []File
	for _, id := range ids {
		list = append(list, File{Name: path.Join(Dir, id+".md"), Text: read("rules/" + id + ".md")})
		test := id + "_test.yaml"
		text := bytes.ReplaceAll(read("tests/"+test), []byte("../rules/"), []byte("../"+Dir+"/"))
		text = bytes.ReplaceAll(text, []byte("aside test tests/"), []byte("aside test .aside/"+Tests+"/"))
		tests = append(tests, File{Name: path.Join(Tests, test), Text: text})
	}
	return append(list, tests...)
}

// Reminders returns the reminders with these ids, or those of IDs where there are no ids, for use where a
// user has no rules. Their File is "starter/NAME.md".
func Reminders(ids ...string) ([]compile.Source, grammar.Diagnostics) {
	if len(ids) == 0 {
		ids = IDs()
	}
	var rs []compile.Source
	var ds grammar.Diagnostics
	for _, id := range ids {
		r, d := document.Read("starter/"+id+".md", read("rules/"+id+".md"))
		rs, ds = append(rs, r...), append(ds, d...)
	}
	return rs, ds
}

// Unfit returns those of All that can never fire in an agent, one of agent.Hosts: by id, the reason.
// The rules themselves are the same for all agents, so that the people on a project can share them; the lint
// knows the facts that an agent never reports.
func Unfit(agent string) map[string]string {
	rs, _ := Reminders(All()...)
	// without diagnostics, and without findings where no agent is given, as TestReminders checks
	set, _ := compile.FromFiles(rs, compile.Options{})
	unfit := map[string]string{}
	for _, d := range lint.Check(set, nil, lint.Options{Agent: agent}) {
		id := strings.TrimSuffix(path.Base(d.File), ".md")
		if unfit[id] == "" && strings.HasSuffix(d.Message, "never fires there") { // it may fire at times, else
			unfit[id] = d.Message
		}
	}
	return unfit
}

func read(name string) []byte {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return b
}
