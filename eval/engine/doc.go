// Package engine is the front door for an agent in Go: rules from files, the state of its runs, and the
// client for its model API, opened in one go.
//
//	eng, err := engine.Open(ctx, engine.Options{Dirs: []string{"reminders"}, State: "state"})
//	if err != nil {
//		return err // a directory that is not there, or each mistake in a rule with its place
//	}
//	defer eng.Close()
//	client := eng.Client(nil)      // an *http.Client for any SDK
//	run := eng.Run("session-1")    // a conversation of the agent
//	ctx = run.Context(ctx)         // for the model calls of the run
//	err = run.Set("tests_green", false)
//
// The texts go into the requests on their way and stay at their messages in later ones, also after a restart;
// the agent's own history never holds one. What the agent knows better than its requests it says by the Run:
// facts of its own (Set), the type of the thread (Thread), events (Observer). From finds the Run in the
// context, anywhere below.
//
// Open watches the files: a change counts from the next turn on. A rule that gets an error counts as it was
// before, and the log says so. Reminders from code (Register, RegisterFunc) stand beside those of files.
//
// The engine is made of the packages below it. Evaluator and Transport lead there, for what is not said here:
// reminders of one run, a copy of messages as values, metrics.
//
// All functions and methods may be called concurrently. Zero values and nil pointers do nothing, and return
// ErrClosed or eval.ErrNoRun.
package engine
