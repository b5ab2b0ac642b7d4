package pgstore_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state/pgstore"
)

// An evaluator in any number of processes: each goes on where another has left a run.
func ExampleNew() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	set := compile.Must(compile.New([]reminder.Reminder{
		{ID: "tests", Trigger: "after_tool:Edit", Text: "Run the tests."},
	}, compile.Options{}))
	ev := eval.New(set, eval.Options{Store: pgstore.New(pool, pgstore.Options{})})
	obs := ev.Observe("session-1")
	obs.ToolCall("Edit", nil)
	d, err := ev.Decide(ctx, "session-1", obs.Turn())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Due[0].Text)
}
