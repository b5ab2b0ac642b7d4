// Package playground answers the page of the playground: the findings of a rule file as somebody types it,
// and where its reminders would fire in a recorded session. It reads no files and writes nothing; the page
// runs it in the browser, compiled to WebAssembly (cmd/playground). All functions may be called
// concurrently.
package playground

import (
	"bytes"
	"context"
	"io/fs"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/lint"
)

// Answer is what the page shows. All lists are never nil.
type Answer struct {
	replay.Ignored
	Findings []Finding `json:"findings"`
	Runs     []*Run    `json:"runs"`
	Fires    int       `json:"fires"`
	Never    []Never   `json:"never"` // the reminders that did not fire
	Note     string    `json:"note"`  // why a session could not be read; "": it could
}

// Finding is a diagnostic. Lines and columns count from 1, columns in characters; the end lies behind the
// last character.
type Finding struct {
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	EndLine   int    `json:"endLine"`
	EndColumn int    `json:"endColumn"`
	Severity  string `json:"severity"`
	Code      string `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint"`
}

// Run is a run of the session.
type Run struct {
	ID     string `json:"id"`
	Thread string `json:"thread"`
	Turns  []Turn `json:"turns"`
}

// Turn is one model call, or a moment after it.
type Turn struct {
	N       int      `json:"n"`
	Moment  string   `json:"moment"` // "before Bash", "before the end"; "": a turn
	Usage   *float64 `json:"usage"`  // of the context window, 0 to 1; nil: unknown
	Prompts []string `json:"prompts"`
	Calls   []Call   `json:"calls"` // of the turn before
	Fired   []Fired  `json:"fired"`
}

// Call is a call of a tool.
type Call struct {
	Tool   string `json:"tool"`
	Failed bool   `json:"failed"`
}

// Fired is a firing.
type Fired struct {
	ID   string `json:"id"`
	Why  string `json:"why"`
	Text string `json:"text"`
}

// Never says why a reminder did not fire.
type Never struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// file is the name of the rule file: one that begins with a list of reminders is YAML, any other Markdown.
func file(rule string) string {
	if strings.HasPrefix(rule, "reminders:") {
		return "rules.yaml"
	}
	return "rule.md"
}

// Check compiles a rule file as somebody types it, over a schema; nil is that of the built-in facts. tools
// are the names of tools that were called, beside those of agents.
func Check(rule string, schema *fact.Schema, tools []string) (*compile.Set, []Finding) {
	src, at := []byte(rule), file(rule)
	rs, ds := document.Read(at, src)
	set, more := compile.FromFiles(rs, compile.Options{Schema: schema})
	ds = lint.Run(set, append(ds, more...), map[string][]byte{at: src}, lint.Options{Tools: tools})
	ds.Sort()
	all := []Finding{}
	for _, d := range ds {
		all = append(all, finding(d))
	}
	return set, all
}

// Play checks a rule file and replays a session with it. name is the session's name, which tells its format
// together with its content.
func Play(rule, name string, recorded []byte) *Answer {
	a := &Answer{Runs: []*Run{}, Never: []Never{}}
	var set *compile.Set
	set, a.Findings = Check(rule, nil, nil)
	var said bytes.Buffer
	err := replay.Run(context.Background(), replay.Options{Set: set, Err: &said, Paths: []string{name},
		Files: session{name, recorded}, Views: []replay.View{a}})
	if err != nil {
		a.Note = strings.TrimSpace(said.String())
	}
	return a
}

func finding(d grammar.Diagnostic) Finding {
	if d.Range.Start.Line == 0 { // of the file as a whole
		d.Range.Start = grammar.Position{Line: 1, Column: 1}
		d.Range.End = d.Range.Start
	}
	return Finding{d.Range.Start.Line, d.Range.Start.Column, d.Range.End.Line, d.Range.End.Column,
		d.Severity.String(), string(d.Code), d.Message, d.Hint}
}

// Turn implements replay.View.
func (a *Answer) Turn(s *replay.Step) {
	if s.First {
		a.Runs = append(a.Runs, &Run{ID: s.Run.ID, Thread: s.Run.Thread})
	}
	t := Turn{N: s.Decision.Turn, Prompts: []string{}, Calls: []Call{}, Fired: []Fired{}}
	switch s.Moment {
	case fact.BeforeTool:
		t.Moment = "before " + s.Tool
	case fact.Stopping:
		t.Moment = "before the end"
	default:
		if usage, ok := s.Fact(fact.ContextUsage).(float64); ok {
			t.Usage = &usage
		}
		t.Prompts = append(t.Prompts, s.Prompts...)
		for _, c := range s.Calls {
			t.Calls = append(t.Calls, Call{c.Name, c.Failed == fact.True})
		}
	}
	for _, f := range s.Decision.Fired {
		t.Fired = append(t.Fired, Fired{f.ID, s.Decision.Why(f.ID), f.Text})
	}
	a.Fires += len(t.Fired)
	r := a.Runs[s.RunN-1]
	r.Turns = append(r.Turns, t)
}

// End implements replay.View.
func (a *Answer) End(r *replay.Report) {
	for _, m := range r.Reminders {
		if m.Fires == 0 {
			a.Never = append(a.Never, Never{m.ID, m.Never})
		}
	}
}

// session is a file system of one file, the recorded session. testing/fstest would bring a tenth of the whole
// program with it.
type session struct {
	name string
	text []byte
}

// Open implements fs.FS.
func (s session) Open(name string) (fs.File, error) {
	if name != s.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return opened{s, bytes.NewReader(s.text)}, nil
}

// opened is the open file, and its own description.
type opened struct {
	session
	*bytes.Reader
}

func (o opened) Stat() (fs.FileInfo, error) { return o, nil }
func (opened) Close() error                 { return nil }

func (o opened) Name() string     { return o.name }
func (o opened) Size() int64      { return int64(len(o.text)) }
func (opened) Mode() fs.FileMode  { return 0o444 }
func (opened) ModTime() time.Time { return time.Time{} }
func (opened) IsDir() bool        { return false }
func (opened) Sys() any           { return nil }
