// Package bodies puts reminders into a request body on stdin, and takes them out again.
package bodies

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/facts"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/runs"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/lines"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/request"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// form holds the flags about the form of a request body.
type form struct {
	API   string `name:"api" required:"" placeholder:"API" help:"The shape of the body: anthropic, openai-chat, openai-responses, gemini, gemini-interactions, converse; or messages ({\"messages\":[{\"role\",\"content\"}]})."`
	Model string `placeholder:"MODEL" help:"The model, for bodies that do not name it (Bedrock, Vertex, Gemini)."`
	Mark  string `placeholder:"TOKEN" help:"The mark that tells our reminders from others. Without it the bare tag is written."`
}

// Validate returns an error for values that make no sense.
func (f form) Validate() error {
	if f.API != "" { // kong itself reports a missing one
		if err := knownAPI(f.API); err != nil {
			return err
		}
	}
	if strings.ContainsFunc(f.Mark, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' ||
			r == '_' || r == '.')
	}) {
		return fmt.Errorf("--mark %q: letters, digits, dots, hyphens and underscores only", f.Mark)
	}
	return nil
}

// InjectCmd is "aside inject".
type InjectCmd struct {
	form
	Text       []string `sep:"none" placeholder:"TEXT" help:"A reminder as it is; a blank one is none. Repeatable."`
	Placement  string   `default:"block" enum:"block,text,system" help:"Where, in messages: block (a block of its own), text (at the end of the last text), system (a system message)."`
	Delivery   string   `default:"auto" enum:"auto,native,anchored,tail" help:"How it goes out: native (a system message that the API lets lapse), anchored (to be repeated in later requests), tail (this once), auto (what the model takes). Of messages only tail."`
	Neutralise string   `default:"mark" enum:"mark,all" help:"Which reminder tags of others, in what users and tools say, are made harmless: mark (those that claim the mark of ours; without a mark all), all."`
	program.RulesFlag
	program.ProjectFlag
	State string           `default:"memory" placeholder:"DIR" help:"Where runs are remembered: a directory, the URL of a database, or memory (the default: each call is the first of its run)."`
	RunID string           `name:"run" default:"default" placeholder:"ID" help:"The run that the body belongs to."`
	Key   string           `placeholder:"KEY" help:"The turn's key: the same key again has the same reminders."`
	Facts string           `placeholder:"JSON" help:"Facts that the body does not tell, or in place of those that it tells, as in a rule test: '{\"context_usage\":0.8}'."`
	Var   program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Validate returns an error for flags that do not go together.
func (c *InjectCmd) Validate() error {
	if err := c.form.Validate(); err != nil {
		return err
	}
	switch api := wire.API(c.API); {
	case api == "":
	case api == wire.Messages && c.Delivery != "auto" && c.Delivery != "tail":
		return fmt.Errorf("--delivery %s: messages have only tail", c.Delivery)
	case api != wire.Messages && c.Placement != "block":
		return fmt.Errorf("--placement %s: of --api messages only; the others have --delivery", c.Placement)
	}
	return nil
}

// knownAPI returns an error for an API that does not exist.
func knownAPI(name string) error {
	var names []string
	for _, a := range wire.APIs() {
		names = append(names, string(a))
	}
	if slices.Contains(names, name) {
		return nil
	}
	return command.Usage("--api %q: one of %s%s", name, strings.Join(names, ", "),
		near.Hint("; ", name, names))
}

// Run writes the body on stdin with reminders to stdout.
func (c *InjectCmd) Run(ctx context.Context, e *command.Env) error {
	body, err := c.readBody(e)
	if err != nil {
		return err
	}
	due, bad, err := c.due(ctx, e, body)
	if err != nil {
		return err
	}
	out, report, err := wire.Inject(body, due, c.options())
	if err != nil {
		return command.No("stdin: %w", err)
	}
	for _, h := range report.Held {
		e.Note("aside: held %s: %s", terminal.Count(h.Texts, "text"), h.Why)
	}
	if report.Beta != "" {
		e.Note("aside: the request needs the header anthropic-beta: %s", report.Beta)
	}
	if _, err := e.Out.Write(out); err != nil {
		return err
	}
	return command.Verdict(bad)
}

// options returns the options of wire.Inject.
func (c *InjectCmd) options() wire.Options {
	return wire.Options{
		API: wire.API(c.API), Model: c.Model,
		Delivery: map[string]wire.Delivery{"auto": wire.Auto, "native": wire.Native, "anchored": wire.Anchored,
			"tail": wire.Tail}[c.Delivery],
		Place: map[string]wire.Place{"text": wire.InText, "system": wire.InSystem}[c.Placement],
		Options: inject.Options{Mark: c.Mark,
			Neutralise: map[string]inject.Policy{"all": inject.NeutraliseAll}[c.Neutralise]},
	}
}

// readBody reads stdin, which must hold JSON.
func (f form) readBody(e *command.Env) ([]byte, error) {
	if err := knownAPI(f.API); err != nil { // an empty one
		return nil, err
	}
	if command.Interactive() {
		e.Note("reading a request body from the terminal, up to the end of input (Ctrl-D)")
	}
	b, err := io.ReadAll(e.In)
	if err != nil {
		return nil, fmt.Errorf("stdin: %w", err)
	}
	if err := checkJSON(b); err != nil {
		return nil, command.No("stdin:%w", err)
	}
	return b, nil
}

// due returns the texts to inject into body: those that are due by the rules, then those of --text. bad
// reports whether a rule has errors.
func (c *InjectCmd) due(ctx context.Context, e *command.Env, body []byte) (due []reminder.Due,
	bad bool, err error) {
	if len(c.Rules) > 0 || c.Project != "" || len(c.Text) == 0 {
		if due, bad, err = c.decide(ctx, e, body); err != nil {
			return nil, false, err
		}
	}
	for i, t := range c.Text {
		if strings.TrimSpace(t) != "" {
			due = append(due, reminder.Due{ID: fmt.Sprintf("text-%d", i+1), Text: t})
		}
	}
	return due, bad, nil
}

// decide returns the reminders that are due by the rules, and whether a rule has errors.
func (c *InjectCmd) decide(ctx context.Context, e *command.Env, body []byte) ([]reminder.Due,
	bool, error) {
	r, err := rules.Load(e, rules.Request{Paths: c.Rules, Project: c.Project, Vars: c.Var})
	if err != nil {
		return nil, false, err
	}
	bad := r.Complain(e)
	if r.Set.Len() == 0 {
		if len(c.Rules) == 0 {
			r.Nothing(e)
		}
		return nil, bad, nil
	}
	store, _, err := runs.Open(e, c.State, filestore.Power)
	if err != nil {
		return nil, false, err
	}
	place, err := rules.Place(e, c.Project)
	if err != nil {
		return nil, false, err
	}
	told, kind, err := c.read(body, facts.Reader{Schema: r.Set.Schema(), Place: place})
	if err != nil {
		return nil, false, err
	}
	if kind != api.KindTurn {
		e.Note("aside: this request is a %s, no turn: no rule is asked", kind)
		return nil, bad, nil
	}
	d, err := eval.New(r.Set, eval.Options{Store: store}).Decide(ctx, c.RunID, eval.Turn{Key: c.Key,
		Facts: told, Place: place})
	if errors.Is(err, state.ErrOldKey) {
		return nil, false, command.No("--key %q is older than the last turn of run %q", c.Key, c.RunID)
	}
	if err != nil {
		return nil, false, runs.Broken(err, c.RunID)
	}
	for _, t := range d.Errors {
		e.Note("aside: the text of %s could not be rendered: %s", t.ID, t.Error)
	}
	return d.Due, bad, nil
}

// checkJSON returns an error if b is not JSON, which begins with the line:column: at which b ceases to be
// JSON.
func checkJSON(b []byte) error {
	var v json.RawMessage
	err := json.Unmarshal(b, &v)
	var s *json.SyntaxError
	if !errors.As(err, &s) {
		return err
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return errors.New("1:1: empty, not JSON")
	}
	line, column := lines.New(string(b)).At(min(max(int(s.Offset)-1, 0), len(b)))
	return fmt.Errorf("%d:%d: not JSON: %w", line, column, err)
}

// read returns the facts that a body tells, with those of --facts in their place, and the kind of the
// request. Without a state directory, turns and calls are counted from the messages.
func (c *InjectCmd) read(body []byte, r facts.Reader) (map[string]any, api.Kind, error) {
	q, err := request.ReadFacts(request.Incoming{API: wire.API(c.API), Body: body, Place: r.Place})
	if err != nil {
		return nil, q.Kind, command.No("stdin: %w", err)
	}
	q.Model = cmp.Or(q.Model, c.Model)
	told := q.Facts()
	if c.State == "memory" {
		maps.Copy(told, q.Tally())
	}
	return told, q.Kind, c.add(told, r)
}

// add adds the facts of --facts. Where they tell of calls, all that the body tells of calls goes.
func (c *InjectCmd) add(told map[string]any, r facts.Reader) error {
	if c.Facts == "" {
		return nil
	}
	v, err := facts.FromJSON([]byte(c.Facts))
	if err != nil {
		return command.Usage("--facts: %w", err)
	}
	given, problems := r.Facts(v)
	if len(problems) > 0 {
		said := make([]string, len(problems))
		for i, p := range problems {
			said[i] = p.String()
		}
		return command.Usage("--facts: %s", strings.Join(said, "\n--facts: "))
	}
	for _, name := range []string{"calls", "tool_used", "last_tool_call_failed"} {
		if _, ok := given[name]; ok {
			for _, name := range []string{"calls", "tool_used", fact.FailedTools, "command", "path", "output",
				"last_tool_call_failed"} {
				delete(told, name)
			}
		}
	}
	maps.Copy(told, given)
	return nil
}

// StripCmd is "aside strip".
type StripCmd struct {
	form
}

// Run writes the body on stdin without reminders to stdout.
func (c *StripCmd) Run(e *command.Env) error {
	body, err := c.readBody(e)
	if err != nil {
		return err
	}
	out, err := wire.Strip(body, wire.Options{API: wire.API(c.API), Model: c.Model,
		Options: inject.Options{Mark: c.Mark}})
	if err != nil {
		return command.No("stdin: %w", err)
	}
	_, err = e.Out.Write(out)
	return err
}
