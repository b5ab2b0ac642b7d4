package sdktest_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// TestHost: the context that an SDK is called with brings the run and the facts of the host to the Transport.
func TestHost(t *testing.T) {
	t.Parallel()
	each(t, sdks, func(t *testing.T, s sdk, m mode) {
		rules, diags := compile.New([]reminder.Reminder{{ID: "plan", Trigger: "thread_type == plan",
			Text: "Only a plan is wanted."}}, compile.Options{})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		told := &reports{}
		w := serve(t, modelapi.Options{Script: modelapi.Turns(replies...)})
		w.client = &http.Client{Transport: transport.New(eval.New(rules, eval.Options{}),
			transport.Options{Base: w.client.Transport, Report: told.add})}
		a := s.open(t, w, m)
		ask := func(ctx context.Context, prompt string) {
			a.User(prompt)
			if _, err := a.Ask(eval.WithRun(ctx, "mine")); err != nil {
				t.Fatal(err)
			}
		}
		ask(eval.WithTurn(t.Context(), eval.Turn{Facts: map[string]any{"thread_type": "plan"}}), prompts[0])
		r := told.all[0]
		if r.Run != "mine" || len(r.Fired) != 1 || r.Fired[0].Why != "thread_type == plan" || len(r.Stands) != 1 {
			t.Errorf("%+v", r)
		}
		if f := w.fake.Records()[0].Prompt.Reminders(); len(f) != 1 || f[0].Text != "Only a plan is wanted." {
			t.Errorf("%+v", f)
		}
	})
}
