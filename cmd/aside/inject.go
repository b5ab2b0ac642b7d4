package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/cmd/aside/internal/rules"
	"github.com/aside-go/aside/cmd/aside/internal/runs"
	"github.com/aside-go/aside/cmd/aside/internal/terminal"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/request"
	"github.com/aside-go/aside/state"
)

// apiFlag holds the flags about the form of a request body.
type apiFlag struct {
	API   string `name:"api" required:"" placeholder:"API" help:"The shape of the body: anthropic, openai-chat, openai-responses, gemini, converse; or messages ({\"messages\":[{\"role\",\"content\"}]})."`
	Model string `placeholder:"MODEL" help:"The model, for bodies that do not name it (Bedrock, Vertex, Gemini)."`
	Mark  string `placeholder:"TOKEN" help:"The mark that tells our reminders from others. Without it the bare tag is written."`
}

// Validate returns an error for values that make no sense.
func (f apiFlag) Validate() error {
	if f.API != "" { // kong itself reports a missing one
		if err := f.known(); err != nil {
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

// known returns an error for an API that does not exist.
func (f apiFlag) known() error {
	var names []string
	for _, a := range wire.APIs() {
		names = append(names, string(a))
	}
	if slices.Contains(names, f.API) {
		return nil
	}
	return command.Usage("--api %q: one of %s%s", f.API, strings.Join(names, ", "),
		near.Hint("; ", f.API, names))
}

// injectCmd is "aside inject".
type injectCmd struct {
	apiFlag
	Text      []string `sep:"none" placeholder:"TEXT" help:"A reminder as it is; a blank one is none. Repeatable."`
	Placement string   `default:"block" enum:"block,text,system" help:"Where, in messages: block (a block of its own), text (at the end of the last text), system (a system message)."`
	Delivery  string   `default:"auto" enum:"auto,native,anchored,tail" help:"How it goes out: native (a system message that the API lets lapse), anchored (to be repeated in later requests), tail (this once), auto (what the model takes). Of messages only tail."`
	rulesFlag
	projectFlag
	State string   `default:"memory" placeholder:"DIR" help:"Where runs are remembered: a directory, or memory (the default: each call is the first of its run)."`
	RunID string   `name:"run" default:"default" placeholder:"ID" help:"The run that the body belongs to."`
	Key   string   `placeholder:"KEY" help:"The turn's key: the same key again has the same reminders."`
	Var   varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Help shows examples.
func (*injectCmd) Help() string {
	return `Reads a body on stdin, writes it with reminders to stdout. What it does not add stays as it was, byte
for byte; with nothing to add, or where the API would refuse it, the same bytes come out, and why is said on
stderr. Without --text and --rules the rules of your home directory are read, and those of a project only
where --project names it and they are trusted.

The rules see what the body says: message_count, user_message, prompt, response, tool_used,
last_tool_call_failed, model; without --state also turn_count, user_turn_count and tool_calls, counted off the
messages.

Examples:

    aside inject --api messages --text 'Run the tests.' <body.json
    aside inject --api anthropic --delivery anchored --text 'Run the tests.' <request.json
    aside inject --api messages --rules .aside/reminders --state .aside/state --run 7 <body.json`
}

// Run injects.
func (c *injectCmd) Run(ctx context.Context, e *command.Env) error {
	body, err := readBody(e, c.apiFlag)
	if err != nil {
		return err
	}
	due, bad, err := c.due(ctx, e, body)
	if err != nil {
		return err
	}
	out, report, err := wire.InjectReport(body, due, c.options())
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
func (c *injectCmd) options() wire.Options {
	return wire.Options{
		API: wire.API(c.API), Model: c.Model,
		Delivery: map[string]wire.Delivery{"auto": wire.Auto, "native": wire.Native, "anchored": wire.Anchored,
			"tail": wire.Tail}[c.Delivery],
		Options: inject.Options{Mark: c.Mark, Placement: map[string]inject.Placement{
			"block": inject.PlaceBlock, "text": inject.PlaceText, "system": inject.PlaceSystem}[c.Placement]},
	}
}

// Validate returns an error for flags that do not go together.
func (c *injectCmd) Validate() error {
	if err := c.apiFlag.Validate(); err != nil {
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

// body reads stdin, which must hold JSON.
func readBody(e *command.Env, f apiFlag) ([]byte, error) {
	if err := f.known(); err != nil {
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
func (c *injectCmd) due(ctx context.Context, e *command.Env, body []byte) (due []reminder.Due,
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
func (c *injectCmd) decide(ctx context.Context, e *command.Env, body []byte) ([]reminder.Due, bool, error) {
	r, err := rules.LoadNamed(e, rules.Request{Paths: c.Rules, Project: c.Project, Vars: c.Var})
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
	store, _, err := runs.Open(e, c.State)
	if err != nil {
		return nil, false, err
	}
	facts, kind, err := c.facts(body)
	if err != nil {
		return nil, false, err
	}
	if kind != api.KindTurn {
		e.Note("aside: this request is a %s, no turn: no rule is asked", kind)
		return nil, bad, nil
	}
	d, err := eval.New(r.Set, eval.Options{Store: store}).Decide(ctx, c.RunID, eval.Turn{Key: c.Key,
		Facts: facts})
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
	upTo := b[:min(max(int(s.Offset)-1, 0), len(b))]
	line := 1 + bytes.Count(upTo, []byte("\n"))
	column := 1 + len([]rune(string(upTo[bytes.LastIndexByte(upTo, '\n')+1:])))
	return fmt.Errorf("%d:%d: not JSON: %w", line, column, err)
}

// facts returns the facts that a body tells, and the kind of the request. Without a state directory, turns
// and calls are counted from the messages.
func (c *injectCmd) facts(body []byte) (map[string]any, api.Kind, error) {
	q, err := request.ReadFacts(request.Incoming{API: wire.API(c.API), Body: body})
	if err != nil {
		return nil, q.Kind, command.No("stdin: %w", err)
	}
	if q.Model == "" {
		q.Model = c.Model
	}
	facts := q.Facts()
	if c.State == "memory" {
		maps.Copy(facts, q.Tally())
	}
	return facts, q.Kind, nil
}

// stripCmd is "aside strip".
type stripCmd struct {
	apiFlag
}

// Help shows examples.
func (*stripCmd) Help() string {
	return `Reads a body on stdin, writes it without reminders to stdout: with --mark every one so marked,
without it only bare ones at places where inject puts them. A tag that somebody else wrote stays.

Examples:

    aside strip --api messages <body.json
    aside strip --api messages --mark 5f2c <body.json`
}

// Run strips.
func (c *stripCmd) Run(e *command.Env) error {
	body, err := readBody(e, c.apiFlag)
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
