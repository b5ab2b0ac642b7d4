package service

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/why"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
	"github.com/aside-go/aside/internal/response"
	"github.com/aside-go/aside/state"
)

// turn is POST /v1/runs/{run}/turns.
func (s *Service) turn(w http.ResponseWriter, r *http.Request) error {
	b, err := body(w, r)
	if err != nil {
		return err
	}
	answer, err := s.decide.Decide(r.Context(), r.PathValue("run"), b)
	if err != nil {
		return err
	}
	s.told(nil)
	if answer.Rules != "" {
		trace.SpanFromContext(r.Context()).SetAttributes(attribute.String("aside.rules", answer.Rules))
	}
	return write(w, http.StatusOK, answer)
}

// page is a page of runs.
type page struct {
	Runs []string `json:"runs"`
	Next string   `json:"next,omitempty"` // the cursor of the next page; "": there is none
}

// list is GET /v1/runs?cursor=C: one page of the store.
func (s *Service) list(w http.ResponseWriter, r *http.Request) error {
	names, next, err := s.opts.Store.Runs(r.Context(), r.URL.Query().Get("cursor"))
	if err != nil {
		return err
	}
	p := page{Runs: []string{}, Next: next}
	for _, name := range names {
		if name != "" && !response.Kept(name) { // no path names ""
			p.Runs = append(p.Runs, name)
		}
	}
	return write(w, http.StatusOK, p)
}

// shown is a run.
type shown struct {
	Run       string    `json:"run"`
	Turn      int       `json:"turn"`        // the last one; 0: none was taken
	At        time.Time `json:"at,omitzero"` // of that turn
	Reminders []string  `json:"reminders"`   // the ids of those of the run's own
	Queued    []string  `json:"queued"`      // asked for by hand, and not out yet
}

// show is GET /v1/runs/{run}.
func (s *Service) show(w http.ResponseWriter, r *http.Request) error {
	snap, err := s.load(r)
	if err != nil {
		return err
	}
	out := shown{Run: r.PathValue("run"), Turn: snap.Turn(), Reminders: []string{}, Queued: snap.Queued()}
	if out.Turn > 0 {
		out.At = snap.Run().Now().At.UTC()
	}
	if out.Queued == nil {
		out.Queued = []string{}
	}
	var added []struct {
		ID string `json:"id"`
	}
	if snap.Added() != "" {
		if err := json.Unmarshal([]byte(snap.Added()), &added); err != nil {
			return state.ErrCorrupt
		}
	}
	for _, a := range added {
		out.Reminders = append(out.Reminders, a.ID)
	}
	return write(w, http.StatusOK, out)
}

// load returns the snapshot of the run of a request, which exists.
func (s *Service) load(r *http.Request) (*state.Snapshot, error) {
	snap, _, err := s.opts.Store.Load(r.Context(), r.PathValue("run"))
	if err == nil && snap == nil {
		err = newProblem("no-such-run",
			"a run begins with its first turn, and is forgotten some time after its last")
	}
	return snap, err
}

// forget is DELETE /v1/runs/{run}, the end of a run. It is not an error if there is none.
func (s *Service) forget(w http.ResponseWriter, r *http.Request) error {
	ctx, run := r.Context(), r.PathValue("run")
	err := s.opts.Eval.End(ctx, run, time.Time{})
	if err == nil || errors.Is(err, state.ErrCorrupt) {
		err = s.opts.Eval.Forget(ctx, run)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// why is GET /v1/runs/{run}/why?id=ID.
func (s *Service) why(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.load(r); err != nil {
		return err
	}
	answer, err := why.Of(r.Context(), s.opts.Eval, s.opts.Store, r.PathValue("run"),
		r.URL.Query().Get("id"))
	if err != nil {
		return err
	}
	return write(w, http.StatusOK, answer)
}

// remind is POST /v1/runs/{run}/remind/{id}.
func (s *Service) remind(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.load(r); err != nil {
		return err
	}
	run, id := r.PathValue("run"), r.PathValue("id")
	if err := s.opts.Eval.Remind(r.Context(), run, id); err != nil {
		return err
	}
	return write(w, http.StatusAccepted, struct {
		Run string `json:"run"`
		ID  string `json:"id"`
	}{run, id})
}

// added is a reminder that a run has now.
type added struct {
	ID          string       `json:"id"`
	Diagnostics []diagnostic `json:"diagnostics"` // warnings
}

// diagnostic is one of a reminder, as "aside check --json" has it but for the place.
type diagnostic struct {
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	Hint     string `json:"hint"`
}

func diagnostics(ds grammar.Diagnostics) []diagnostic {
	list := make([]diagnostic, len(ds))
	for i, d := range ds {
		list[i] = diagnostic{d.Severity.String(), string(d.Code), d.Message, d.Hint}
	}
	return list
}

// add is PUT /v1/runs/{run}/reminders/{id}. The body has the keys of a rule file, in JSON.
func (s *Service) add(w http.ResponseWriter, r *http.Request) error {
	b, err := body(w, r)
	if err != nil {
		return err
	}
	source, ds, err := reminderOf(b, r.PathValue("id"))
	if err == nil && source != nil && !ds.HasErrors() {
		ds, err = s.opts.Eval.Add(r.Context(), r.PathValue("run"), source.Reminder)
	}
	switch {
	case err != nil:
		return err
	case ds.HasErrors():
		p := newProblem("not-a-reminder", "%s", plain(ds))
		p.Diagnostics = diagnostics(ds)
		return p
	}
	return write(w, http.StatusOK, added{r.PathValue("id"), diagnostics(ds)})
}

// plain returns diagnostics on one line.
func plain(ds grammar.Diagnostics) string {
	var all []string
	for _, d := range ds {
		one := d.Message
		if d.Hint != "" {
			one += " (" + d.Hint + ")"
		}
		all = append(all, one)
	}
	return strings.Join(all, "; ")
}

// reminderOf reads a reminder with the keys of a rule file, in JSON, which is read as YAML.
func reminderOf(b []byte, id string) (*compile.Source, grammar.Diagnostics, error) {
	var v map[string]any
	if json.Unmarshal(b, &v) != nil || v == nil {
		return nil, nil, newProblem("not-a-reminder",
			`not an object such as {"when": "turn_count > 20", "content": "…"}`)
	}
	if own, ok := v["id"]; ok && own != id {
		return nil, nil, newProblem("not-a-reminder", "the path names another id than the body")
	}
	v["id"] = id
	b, err := json.Marshal(v) // YAML does not know all escapes of JSON
	if err != nil {
		return nil, nil, err
	}
	var root yaml.Node
	if err := yaml.Unmarshal(b, &root); err != nil {
		return nil, nil, newProblem("not-a-reminder", "it holds what cannot stand in a rule file")
	}
	rs, ds := document.ReadList("", &yaml.Node{Kind: yaml.SequenceNode, Content: root.Content}, b)
	if len(rs) != 1 {
		return nil, ds, nil
	}
	return &rs[0], ds, nil
}

// remove is DELETE /v1/runs/{run}/reminders/{id}.
func (s *Service) remove(w http.ResponseWriter, r *http.Request) error {
	if _, err := s.load(r); err != nil {
		return err
	}
	if err := s.opts.Eval.Remove(r.Context(), r.PathValue("run"), r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
