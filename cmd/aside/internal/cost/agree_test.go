package cost

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/internal/agent/session"
	"github.com/aside-go/aside/internal/promptcache"
	"github.com/aside-go/aside/internal/test/testkit"
)

// recording reads the calls of each run of a file, as a View does.
func recording(t *testing.T, path string) [][]Call {
	t.Helper()
	files, err := transcript.Find(nil, path)
	if err != nil {
		t.Fatal(err)
	}
	var out [][]Call
	for _, f := range files {
		opened, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		defer opened.Close()
		r := transcript.NewReader(opened, f.Path, f.Thread)
		var calls []Call
		for turn, err := r.Next(); err == nil; turn, err = r.Next() {
			record(calls, turn)
			calls = append(calls, callOf(turn))
		}
		record(calls, r.Pending())
		if len(calls) > 0 {
			out = append(out, calls)
		}
	}
	return out
}

// sentBare sends calls without reminders and returns what the cache makes of each, and whether that is what
// was recorded.
func sentBare(calls []Call) (wrong int) {
	rules := rulesOf(calls)
	l := &variant{}
	for i, s := range plan(calls, rules) {
		l.turn(calls[i].Model, rules(calls[i].Model), s)
		got := l.send(calls[i], s, i, agree(l, l, s, calls[i].At), calls[i].At)
		if got.Usage != calls[i].Recorded.Usage {
			wrong++
		}
	}
	return wrong
}

// TestRecordingsAgree: sent again without reminders, each request of a real session reads from the cache,
// writes to it and sends plainly what was recorded, to the token: caches that ran out, compactions and
// whatever else happened are found again.
func TestRecordingsAgree(t *testing.T) {
	t.Parallel()
	t.Run("short", func(t *testing.T) {
		recordingsAgree(t, testkit.Data(t, "transcripts", "claude-code"), 11+13+1+4)
	})
	t.Run("long", func(t *testing.T) {
		recordingsAgree(t, testkit.Beside(t, "transcripts", "claude-code"), 139+143+12+13+1+4)
	})
}

// recordingsAgree sends the sessions below dir, of so many calls.
func recordingsAgree(t *testing.T, dir string, want int) {
	n := 0
	for _, calls := range recording(t, dir) {
		n += len(calls)
		for i, c := range calls {
			if !c.Recorded.Cached {
				t.Errorf("call %d: nothing was recorded", i)
			}
		}
		if wrong := sentBare(calls); wrong > 0 {
			t.Errorf("%d of %d calls come to something else", wrong, len(calls))
		}
		for i, b := range simulate(calls, Prices{}) {
			if b.bare.Usage != calls[i].Recorded.Usage {
				t.Errorf("call %d: %+v, recorded was %+v", i, b.bare.Usage, calls[i].Recorded.Usage)
			}
		}
	}
	if n != want {
		t.Errorf("%d calls, want %d", n, want)
	}
}

// TestDrawnRecordingsAgree is the same of sessions that nobody has had.
func TestDrawnRecordingsAgree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		calls := drawn(t)
		if wrong := sentBare(calls); wrong > 0 {
			t.Fatalf("%d of %d calls come to something else: %+v", wrong, len(calls), calls[max(0, len(calls)-3):])
		}
	})
}

func drawn(t *rapid.T) (calls []Call) {
	end, hour := 0, rapid.Bool().Draw(t, "hour")
	for i := range rapid.IntRange(1, 30).Draw(t, "calls") {
		c := Call{Model: "claude-opus-4-6", Blocks: rapid.IntRange(1, 30).Draw(t, "blocks")}
		read := end
		switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
		case i == 0 || what == 0:
			if read = rapid.IntRange(0, max(end, 9000)).Draw(t, "read"); i > 0 && read <= calls[i-1].Recorded.Prompt {
				read = min(read, end)
			}
		case what == 1:
			read, c.Rewritten = rapid.IntRange(0, end).Draw(t, "kept"), true
		}
		r := &c.Recorded
		r.Cached, r.Read, r.Write = true, read, rapid.IntRange(0, 5000).Draw(t, "write")
		if hour {
			r.Hour = rapid.SampledFrom([]int{r.Write, r.Write, r.Write / 2}).Draw(t, "for an hour")
		}
		r.Prompt = r.Read + r.Write + rapid.IntRange(0, 50).Draw(t, "plain") + 1
		r.Output = rapid.IntRange(0, 300).Draw(t, "output")
		end = r.Read + r.Write
		calls = append(calls, c)
	}
	return calls
}

// TestOddRecordingsAgree are sessions in which something is unusual.
func TestOddRecordingsAgree(t *testing.T) {
	t.Parallel()
	for name, recorded := range map[string][]promptcache.Usage{
		"a part for an hour": {{Prompt: 300, Write: 200, Hour: 100}, {Prompt: 400, Read: 200,
			Write: 200, Hour: 50}},
		"never cached": {{Prompt: 100}, {Prompt: 200}, {Prompt: 150}},
		"cached from some request on": {{Prompt: 100}, {Prompt: 200, Write: 190}, {Prompt: 300, Read: 190,
			Write: 100}},
		"the cache of somebody else": {{Prompt: 300, Read: 250, Write: 40}, {Prompt: 400, Read: 290,
			Write: 100}},
		"run out": {{Prompt: 300, Write: 300}, {Prompt: 400, Write: 400},
			{Prompt: 500, Read: 400, Write: 100}},
		"all but the system prompt run out": {{Prompt: 300, Read: 100, Write: 200}, {Prompt: 400, Read: 100,
			Write: 300}, {Prompt: 500, Read: 400, Write: 100}},
		"gone back": {{Prompt: 300, Write: 300}, {Prompt: 400, Read: 300, Write: 100},
			{Prompt: 350, Read: 300, Write: 50}},
		"asked again": {{Prompt: 300, Write: 300}, {Prompt: 300, Read: 300},
			{Prompt: 400, Read: 300, Write: 100}},
		"a prompt behind the last breakpoint": {{Prompt: 300, Write: 250}, {Prompt: 400, Read: 250, Write: 150}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls []Call
			for _, u := range recorded {
				calls = append(calls, Call{Model: "claude-opus-4-6", Blocks: 2, Recorded: Recorded{Usage: u,
					Cached: true}})
			}
			if wrong := sentBare(calls); wrong > 0 {
				t.Errorf("%d of %d calls come to something else", wrong, len(calls))
			}
		})
	}
}

func TestHeard(t *testing.T) {
	t.Parallel()
	c := callOf(&session.Turn{Model: "m", Compacted: true, New: 7, Response: "ok", Prompts: []string{"a",
		"b"}, Calls: make([]session.Call, 3)})
	if c.Model != "m" || !c.Rewritten || c.New != 7 || c.Blocks != 5 { // an answer, calls, results, two prompts
		t.Errorf("%+v", c)
	}
	if c := callOf(&session.Turn{}); c.Rewritten || c.Blocks != 1 {
		t.Errorf("%+v", c)
	}
}
