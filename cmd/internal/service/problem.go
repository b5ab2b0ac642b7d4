package service

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/evaljson"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
)

// problemType begins the type of a problem; the code follows.
const problemType = "urn:aside:problem:"

// kind is a kind of problem. Its status and title are the same each time.
type kind struct {
	code   string
	status int
	title  string
}

// problems are all kinds. The page service.md of the manual lists them, too.
var problems = []kind{
	{"not-understood", http.StatusBadRequest, "The request is not understood"},
	{"no-token", http.StatusUnauthorized, "A token is missing, or is not known"},
	{"not-allowed", http.StatusForbidden, "This is not allowed"},
	{"no-such-path", http.StatusNotFound, "There is no such path"},
	{"no-such-run", http.StatusNotFound, "There is no such run"},
	{"no-such-reminder", http.StatusNotFound, "There is no such reminder"},
	{"no-turn", http.StatusNotFound, "The run has had no turn yet"},
	{"no-such-method", http.StatusMethodNotAllowed, "The path does not take this method"},
	{"too-slow", http.StatusRequestTimeout, "The body did not come in time"},
	{"old-key", http.StatusConflict, "The turn is over"},
	{"other-body", http.StatusConflict, "The key was used with another body"},
	{"changed", http.StatusConflict, "The decision is not the one that was prepared"},
	{"too-long", http.StatusRequestEntityTooLarge, "The body is too long"},
	{"not-a-turn", http.StatusUnprocessableEntity, "The body is not a turn"},
	{"not-a-reminder", http.StatusUnprocessableEntity, "The body is not a reminder"},
	{"too-many", http.StatusTooManyRequests, "Too many requests"},
	{"failed", http.StatusInternalServerError, "The request failed here"},
	{"state-broken", http.StatusInternalServerError, "What is stored of the run cannot be read"},
	{"busy", http.StatusServiceUnavailable, "Too many requests at once"},
	{"run-busy", http.StatusServiceUnavailable, "The run did not come free"},
	{"state-away", http.StatusServiceUnavailable, "The state of runs cannot be read or written"},
}

// problem is an error for the client, in the form of RFC 9457.
type problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	// all that is wrong with a turn
	Errors []string `json:"errors,omitempty"`
	// names like the one that is not there
	Suggestions []string     `json:"suggestions,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics,omitempty"` // of a reminder

	header http.Header
}

// Error implements error.
func (p *problem) Error() string { return p.Type + ": " + p.Detail }

// newProblem returns a problem of a code of problems.
func newProblem(code, format string, args ...any) *problem {
	for _, k := range problems {
		if k.code == code {
			return &problem{Type: problemType + code, Title: k.title, Status: k.status,
				Detail: fmt.Sprintf(format, args...), header: http.Header{}}
		}
	}
	panic("no kind of problem: " + code) // a test calls each
}

// again says that the client may try again in a second.
func (p *problem) again() *problem {
	p.header.Set("Retry-After", "1")
	return p
}

// refusedBy is the problem of a request that was not admitted.
func refusedBy(r *access.Refusal) *problem {
	code := map[int]string{http.StatusUnauthorized: "no-token", http.StatusForbidden: "not-allowed",
		http.StatusTooManyRequests: "too-many", http.StatusServiceUnavailable: "busy"}[r.Status]
	p := newProblem(code, "%s", r.Why)
	r.Set(p.header)
	return p
}

func notAllowed(of []route) *problem {
	var methods []string
	for _, at := range of {
		methods = append(methods, at.method)
	}
	p := newProblem("no-such-method", "this path takes %s", strings.Join(methods, " and "))
	p.header.Set("Allow", strings.Join(methods, ", "))
	return p
}

// Refuse answers that a request was not admitted.
func Refuse(w http.ResponseWriter, r *access.Refusal) { refusedBy(r).write(w) }

// Fail answers that a request failed by a mistake of this program. The proxy calls it after a panic.
func (*Service) Fail(w http.ResponseWriter) {
	newProblem("failed", "this is a mistake of aside").write(w)
}

// NoMethod answers that a path takes GET alone.
func NoMethod(w http.ResponseWriter) { notAllowed([]route{{method: http.MethodGet}}).write(w) }

func (p *problem) write(w http.ResponseWriter) {
	for name, values := range p.header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", "application/problem+json")
	_ = write(w, p.Status, p)
}

// refuse answers with an error. What a store says stays in the log.
func (s *Service) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := (*problem)(nil)
	var refused *evaljson.Refusal
	var unknown *eval.UnknownError
	switch {
	case errors.As(err, &p):
	case errors.As(err, &refused):
		p = newProblem("not-a-turn", "%s", strings.Join(refused.Errors, "; "))
		p.Errors = refused.Errors
	case errors.As(err, &unknown):
		p = newProblem("no-such-reminder", "%s", unknown)
		p.Suggestions = unknown.Suggestions
	case errors.Is(err, eval.ErrNoTurn):
		p = newProblem("no-turn", "there is nothing to explain yet")
	case errors.Is(err, state.ErrOldKey):
		p = newProblem("old-key", "the key is that of an older turn, or comes before it; the run has gone on")
	case errors.Is(err, state.ErrOtherBody):
		p = newProblem("other-body", "the run's last turn has this key and was told otherwise; nothing was changed")
	case errors.Is(err, evaljson.ErrChanged):
		p = newProblem("changed", "%s", err)
	case errors.Is(err, evaljson.ErrBusy), errors.Is(err, state.ErrConflict):
		p = newProblem("run-busy", "%s", evaljson.ErrBusy).again()
	case r.Context().Err() != nil && !errors.Is(err, context.DeadlineExceeded):
		return // nobody reads an answer
	case errors.Is(err, state.ErrCorrupt), errors.Is(err, state.ErrNewer):
		p = newProblem("state-broken", "it is damaged, or was written by a newer version")
		s.told(err)
	default:
		p = newProblem("state-away", "nothing was decided; send the same turn with the same key again").again()
		s.told(err)
	}
	p.write(w)
}

// told tells whether the state of a run could be read and written.
func (s *Service) told(err error) {
	if s.opts.State != nil {
		s.opts.State(err)
	}
}
