package evaljson

import (
	"context"

	"github.com/aside-go/aside/cmd/internal/why"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
)

// copyOf returns the copy of a model request that is to be sent, with the texts of earlier requests of the
// run where they stood, and those that are due now. Without a name the run is found by the conversation. What
// the response has told (context_tokens, last_response_tokens), the host says as facts of the next line.
func (s *Server) copyOf(ctx context.Context, req request) *Answer {
	s.once.Do(func() { s.transport = transport.New(s.Eval, transport.Options{Place: s.Place, Commands: true}) })
	c := s.transport.Copy(eval.WithTurn(eval.WithRun(ctx, req.run), req.turn), req.model)
	a := &Answer{Fired: []Fired{}, Kept: []string{}, Errors: []string{}, Request: c.Body, Beta: c.Beta,
		Rules: c.Report.Rules}
	for _, f := range c.Report.Fired {
		a.Fired = append(a.Fired, fired(f.Due))
	}
	switch r := c.Report; {
	case r.Unknown != "":
		a.Errors = append(a.Errors, "remind: "+(&eval.UnknownError{Name: r.Unknown}).Error())
	case r.Passed != "":
		a.Errors = append(a.Errors, "the request is as it came: "+r.Passed+": "+r.Why)
	}
	return a
}

// queue fires reminders by hand on the run's next turn.
func (s *Server) queue(ctx context.Context, ev *eval.Evaluator, req request) (*Answer, error) {
	for _, id := range req.queue {
		if err := ev.Remind(ctx, req.run, id); err != nil {
			return nil, err
		}
	}
	return refuse(), nil
}

// why explains the last turn of a run.
func (s *Server) why(ctx context.Context, req request) (*Answer, error) {
	if s.Store == nil {
		return nil, &Refusal{[]string{"why: nothing is remembered here"}}
	}
	found, err := why.Of(ctx, s.Eval, s.Store, req.run, req.explain)
	if err != nil {
		return nil, err
	}
	a := refuse()
	a.Why = found
	return a, nil
}
