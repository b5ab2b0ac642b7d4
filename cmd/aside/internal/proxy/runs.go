package proxy

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/internal/near"
	"github.com/aside-go/aside/state"
)

// listed is a run as /aside/runs shows it.
type listed struct {
	Run  string    `json:"run"`
	Turn int       `json:"turn"` // the last one
	At   time.Time `json:"at"`   // of that turn
}

// mostRuns is how many runs are listed by default.
const mostRuns = 100

// runs is GET /aside/runs: the runs, the most recent first, at most limit of them.
func (p *Proxy) runs(w http.ResponseWriter, r *http.Request) {
	limit := mostRuns
	if s := r.URL.Query().Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			p.fail(w, r, http.StatusBadRequest, "limit is a number from 1")
			return
		}
		limit = n
	}
	list, err := p.recent(r.Context())
	if err != nil {
		p.stateFailed(w, r, err)
		return
	}
	write(w, http.StatusOK, struct {
		Total int      `json:"total"`
		Runs  []listed `json:"runs"`
	}{len(list), list[:min(limit, len(list))]})
}

// recent returns all runs, the most recent first. Runs whose snapshot cannot be read are left out, and so is
// what has taken no turn.
func (p *Proxy) recent(ctx context.Context) ([]listed, error) {
	names, err := state.AllRuns(ctx, p.opts.Store)
	if err != nil {
		return nil, err
	}
	list := make([]listed, 0, len(names))
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		snap, _, err := p.opts.Store.Load(ctx, name)
		if err != nil || snap.Turn() == 0 {
			continue
		}
		list = append(list, listed{name, snap.Turn(), snap.Run().Now().At.UTC()})
	}
	slices.SortFunc(list, func(a, b listed) int {
		return cmp.Or(b.At.Compare(a.At), strings.Compare(a.Run, b.Run))
	})
	return list, nil
}

// pick returns the run of a name, or for "" the most recent one. If there is none, it answers, and ok is
// false.
func (p *Proxy) pick(w http.ResponseWriter, r *http.Request, name string) (run string, ok bool) {
	if name == "" {
		list, err := p.recent(r.Context())
		switch {
		case err != nil:
			p.stateFailed(w, r, err)
		case len(list) == 0:
			p.missing(w, "there is no run yet", nil)
		default:
			return list[0].Run, true
		}
		return "", false
	}
	switch snap, _, err := p.opts.Store.Load(r.Context(), name); {
	case err != nil:
		p.stateFailed(w, r, err)
	case snap == nil:
		names, _ := state.AllRuns(r.Context(), p.opts.Store)
		p.missing(w, "there is no run of that name", near.Names(name, names))
	default:
		return name, true
	}
	return "", false
}

// why is GET /aside/why?run=R&id=ID: why each reminder, or one, fired or did not on the run's last turn.
func (p *Proxy) why(w http.ResponseWriter, r *http.Request) {
	if p.opts.Why == nil {
		p.fail(w, r, http.StatusNotFound, "runs cannot be explained here")
		return
	}
	q := r.URL.Query()
	run, ok := p.pick(w, r, q.Get("run"))
	if !ok {
		return
	}
	v, err := p.opts.Why(r.Context(), run, q.Get("id"))
	var unknown *eval.UnknownError
	switch {
	case errors.As(err, &unknown):
		p.missing(w, "there is no reminder of that name", unknown.Suggestions)
	case errors.Is(err, eval.ErrNoTurn):
		p.missing(w, "the run has had no turn yet", nil)
	case err != nil:
		p.stateFailed(w, r, err)
	default:
		write(w, http.StatusOK, v)
	}
}

// stateFailed answers that a run's state cannot be read or written.
func (p *Proxy) stateFailed(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return
	}
	why := "the state of runs could not be read or written"
	switch {
	case errors.Is(err, state.ErrCorrupt):
		why = "what is stored of the run cannot be read"
	case errors.Is(err, state.ErrNewer):
		why = "the run was written by a newer version"
	}
	p.log.Error("state failed", "path", r.URL.Path, "why", why, "error", err.Error())
	p.fail(w, r, http.StatusInternalServerError, why)
}
