package eval

import "context"

type runKey struct{}

// WithRun returns a context that names a run. A method of this package that takes a context and a run uses the run of the
// context where it is given "".
func WithRun(ctx context.Context, run string) context.Context {
	return context.WithValue(ctx, runKey{}, run)
}

// RunFrom returns the run that WithRun put into ctx, or "".
func RunFrom(ctx context.Context) string {
	run, _ := ctx.Value(runKey{}).(string)
	return run
}

// runOf returns run, or the run of ctx when run is "".
func runOf(ctx context.Context, run string) (string, error) {
	if run == "" {
		run = RunFrom(ctx)
	}
	if run == "" {
		return "", ErrNoRun
	}
	return run, nil
}
