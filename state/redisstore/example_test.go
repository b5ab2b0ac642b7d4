package redisstore_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/redis/rueidis"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state/redisstore"
)

// An evaluator in any number of processes: each goes on where another has left a run.
func ExampleNew() {
	ctx := context.Background()
	client, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{os.Getenv("REDIS_ADDR")}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	set := compile.Must(compile.New([]reminder.Reminder{
		{ID: "tests", Trigger: "after_tool:Edit", Text: "Run the tests."},
	}, compile.Options{}))
	ev := eval.New(set, eval.Options{Store: redisstore.New(client, redisstore.Options{})})
	obs := ev.Observe("session-1")
	obs.ToolCall("Edit", nil)
	d, err := ev.Decide(ctx, "session-1", obs.Turn())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(d.Due[0].Text)
}
