// Package bodies puts reminders into a request body on stdin, and takes them out again.
package bodies

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

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/facts"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/runs"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/internal/request"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// Options say what form a body has.
type Options struct {
	API   string // one of wire.APIs
	Model string // where the body does not name it
	Mark  string // of our reminders; "": none
}

// InjectOptions are the flags of inject.
type InjectOptions struct {
	Options
	Text       []string // reminders as they are
	Placement  string   // block, text or system
	Delivery   string   // auto, native, anchored or tail
	Neutralise string   // mark or all
	Rules      rules.Request
	State      string // the place of the state, as runs.Open takes it
	RunID      string
	Key        string // of the turn
	Facts      string // more facts, in JSON; "": none
}

// KnownAPI returns an error for an API that does not exist.
func KnownAPI(name string) error {
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

// Inject writes the body on stdin with reminders to stdout.
func Inject(ctx context.Context, e *command.Env, c InjectOptions) error {
	body, err := readBody(e, c.Options)
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
func (c *InjectOptions) options() wire.Options {
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
func readBody(e *command.Env, o Options) ([]byte, error) {
	if err := KnownAPI(o.API); err != nil {
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
func (c *InjectOptions) due(ctx context.Context, e *command.Env, body []byte) (due []reminder.Due,
	bad bool, err error) {
	if len(c.Rules.Paths) > 0 || c.Rules.Project != "" || len(c.Text) == 0 {
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
func (c *InjectOptions) decide(ctx context.Context, e *command.Env, body []byte) ([]reminder.Due,
	bool, error) {
	r, err := rules.Load(e, c.Rules)
	if err != nil {
		return nil, false, err
	}
	bad := r.Complain(e)
	if r.Set.Len() == 0 {
		if len(c.Rules.Paths) == 0 {
			r.Nothing(e)
		}
		return nil, bad, nil
	}
	store, _, err := runs.Open(e, c.State, filestore.Power)
	if err != nil {
		return nil, false, err
	}
	place, err := rules.Place(e, c.Rules.Project)
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
	upTo := b[:min(max(int(s.Offset)-1, 0), len(b))]
	line := 1 + bytes.Count(upTo, []byte("\n"))
	column := 1 + len([]rune(string(upTo[bytes.LastIndexByte(upTo, '\n')+1:])))
	return fmt.Errorf("%d:%d: not JSON: %w", line, column, err)
}

// read returns the facts that a body tells, with those of --facts in their place, and the kind of the
// request. Without a state directory, turns and calls are counted from the messages.
func (c *InjectOptions) read(body []byte, r facts.Reader) (map[string]any, api.Kind, error) {
	q, err := request.ReadFacts(request.Incoming{API: wire.API(c.API), Body: body, Place: r.Place})
	if err != nil {
		return nil, q.Kind, command.No("stdin: %w", err)
	}
	if q.Model == "" {
		q.Model = c.Model
	}
	told := q.Facts()
	if c.State == "memory" {
		maps.Copy(told, q.Tally())
	}
	return told, q.Kind, c.add(told, r)
}

// add adds the facts of --facts. Where they tell of calls, all that the body tells of calls goes.
func (c *InjectOptions) add(told map[string]any, r facts.Reader) error {
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

// Strip writes the body on stdin without reminders to stdout.
func Strip(e *command.Env, o Options) error {
	body, err := readBody(e, o)
	if err != nil {
		return err
	}
	out, err := wire.Strip(body, wire.Options{API: wire.API(o.API), Model: o.Model,
		Options: inject.Options{Mark: o.Mark}})
	if err != nil {
		return command.No("stdin: %w", err)
	}
	_, err = e.Out.Write(out)
	return err
}
