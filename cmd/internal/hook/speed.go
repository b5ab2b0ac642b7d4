package hook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/eval"
)

// Slow tries the rules of sources as a hook does, at an event with a long prompt and a long output of a call.
// Where they leave a hook little time for anything else it says so: how long they take, and which file takes
// most of it. Otherwise it returns "".
func Slow(sources []load.Source, opts load.Options) string {
	return slow(sources, opts, func(_ string, work func()) time.Duration {
		began := time.Now()
		work()
		return time.Since(began)
	})
}

// slow is Slow with a stopwatch. The path that watch gets is that of the one file under trial, "" for all.
func slow(sources []load.Source, opts load.Options, watch func(path string,
	work func()) time.Duration) string {
	var took time.Duration
	var res *load.Result
	for range 5 { // the machine may be busy
		took = watch("", func() {
			res = load.Load(sources, opts)
			decideOnce(res.Set)
		})
		if took < target/2 {
			return ""
		}
		if took > 2*limit {
			break
		}
	}
	text := fmt.Sprintf("hooks need %v for these rules, and mean to take %v in all: ",
		took.Round(time.Millisecond), target)
	tried := time.Duration(0)
	for path, src := range res.Files {
		alone := watch(path, func() {
			decideOnce(load.Given([]load.Document{{Path: path, Src: src}}, load.Options{Options: opts.Options}).Set)
		})
		if alone > took/2 {
			return text + fmt.Sprintf("%s alone takes %v", path, alone.Round(time.Millisecond))
		}
		if tried += alone; tried > limit {
			break
		}
	}
	return text + fmt.Sprintf("it is their number, %d reminders in %d files", res.Set.Len(), len(res.Files))
}

// decideOnce decides a turn with a prompt of 8 kB and a call with an output that is as long as outputs can
// be.
func decideOnce(set *compile.Set) {
	words := func(n int) string {
		return strings.Repeat("x", n/2) + strings.Repeat(" the tests of this package", n/52)
	}
	prompt := words(8 << 10)
	calls := []fact.Call{{Tool: "Bash", Class: fact.Shell, Command: "go test ./...", Told: true,
		Output: words(2 * fact.OutputHead), OutputTold: true, Failed: fact.True}}
	// an error is that of a text, which says nothing about the time
	_, _ = eval.New(set, eval.Options{}).Decide(context.Background(), "try", eval.Turn{
		Facts: map[string]any{"user_message": true, "prompt": prompt, "response": prompt},
		Fill:  func(f *fact.Frame) { f.SetCalls(calls) }})
}
