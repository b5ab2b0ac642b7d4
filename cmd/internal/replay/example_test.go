package replay_test

import (
	"context"
	"os"
	"testing/fstest"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
)

func ExampleRun() {
	recording := fstest.MapFS{"log.json": {Data: []byte(`{"id": "desk-7", "model": "m-1", "messages": [
		{"role": "user", "content": "Book me a seat."},
		{"role": "assistant", "tool_calls": [{"id": "1", "function": {"name": "find_seat"}}]},
		{"role": "tool", "tool_call_id": "1", "content": "12A"},
		{"role": "assistant", "content": "12A is yours."}]}`)}}
	set, _ := compile.New([]reminder.Reminder{
		{ID: "ask-first", Trigger: "after_tool:find_seat", Text: "The user has not agreed to a seat yet."},
		{ID: "long", Trigger: "turn_gt:30", Text: "This has taken a while."},
	}, compile.Options{})
	err := replay.Run(context.Background(), replay.Options{Files: recording, Paths: []string{"log.json"},
		Set: set, Out: os.Stdout, Err: os.Stderr})
	if err != nil {
		os.Exit(replay.ExitCode(err))
	}
	// Output:
	// run 1  desk-7
	// log.json
	// root · m-1
	// turn  context          since the turn before
	//    1                ?  you: Book me a seat.
	//    2                ?  find_seat
	//     ▸ ask-first  10 tokens, because after_tool:find_seat
	//       "The user has not agreed to a seat yet."
	//
	// 2 turns in 1 run; reminders fired 1 time, 10 tokens in all
	//   reminder   fires   first    last  tokens
	//   ask-first      1       2       2      10
	//   never fired, and why:
	//   long       turn_gt:30 (never above 2)
}
