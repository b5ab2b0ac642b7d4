package baserate_test

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/aside-go/aside/cmd/aside/internal/baserate"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/testkit"
)

// response is what a model call of a session led to, as the lines of the file say.
type response struct {
	id                string
	shell, read, fail bool
	calls             map[string]bool // by id
	compacted         bool            // before it
}

// responses reads a session file of Claude Code by decoding each line whole.
func responses(t *testing.T, path string) (all []*response) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	subagent := strings.Contains(path, "subagents")
	compacted := false
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<28)
	for sc.Scan() {
		var o struct {
			Type, Subtype string
			IsSidechain   bool
			Message       struct {
				ID, Model string
				Content   json.RawMessage
			}
		}
		if json.Unmarshal(sc.Bytes(), &o) != nil || o.IsSidechain != subagent {
			continue
		}
		compacted = compacted || o.Subtype == "compact_boundary"
		var blocks []struct {
			Type, Name, ID string
			ToolUseID      string `json:"tool_use_id"`
			IsError        bool   `json:"is_error"`
		}
		_ = json.Unmarshal(o.Message.Content, &blocks) // a text alone
		if o.Type == "assistant" && o.Message.Model != "<synthetic>" {
			if len(all) == 0 || all[len(all)-1].id != o.Message.ID {
				all = append(all, &response{id: o.Message.ID, calls: map[string]bool{}, compacted: compacted})
				compacted = false
			}
			r := all[len(all)-1]
			for _, b := range blocks {
				if b.Type == "tool_use" {
					r.calls[b.ID] = true
					r.shell = r.shell || b.Name == "Bash"
					r.read = r.read || b.Name == "Read"
				}
			}
		}
		for _, b := range blocks {
			for _, r := range all {
				r.fail = r.fail || b.Type == "tool_result" && b.IsError && r.calls[b.ToolUseID]
			}
		}
	}
	if sc.Err() != nil {
		t.Fatal(sc.Err())
	}
	return all
}

// count is what a person counts: a reminder fires on the turn after each response of which when holds, and is
// heeded on the first later turn after a response of which expect holds.
func count(r *baserate.Rate, all []*response, within int, when, expect func(*response) bool) {
	fires := 0
	for i := 1; i < len(all); i++ {
		if !when(all[i-1]) {
			continue
		}
		fires++
		end := &r.Open
		for after := 1; i+after < len(all); after++ {
			if expect(all[i+after-1]) {
				end = &r.Heeded
				r.After = append(r.After, after)
				break
			}
			if all[i+after].compacted {
				break
			}
			if after == within {
				end = &r.Ignored
				break
			}
		}
		*end++
	}
	r.Fires += fires
	if fires > 0 {
		r.Runs++
	}
}

// TestRecount holds the base rates of recorded sessions, to the firing, to those that are counted from the
// lines of the files without any of the product's code.
func TestRecount(t *testing.T) {
	t.Parallel()
	t.Run("in the tree", func(t *testing.T) {
		t.Parallel()
		recount(t, filepath.Join("..", "..", "..", "..", "testdata", "transcripts", "claude-code"), 13)
	})
	t.Run("beside it", func(t *testing.T) {
		t.Parallel()
		recount(t, testkit.Beside(t, "transcripts", "claude-code"), 60)
	})
}

func recount(t *testing.T, dir string, least int) {
	t.Helper()
	shell := reminder.Reminder{ID: "command", Trigger: "after_tool:Bash", Expect: "after_tool:Read", Within: 3,
		Text: "x"}
	failed := reminder.Reminder{ID: "failed", Trigger: "last_tool_call_failed",
		Expect: "not last_tool_call_failed", Within: 1, Text: "x"}
	set, ds := compile.New([]reminder.Reminder{shell, failed}, compile.Options{})
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	v := baserate.New(set, nil)
	if err := replay.Run(t.Context(), replay.Options{Paths: []string{dir}, Set: set,
		Views: []replay.View{v}}); err != nil {
		t.Fatal(err)
	}
	want := []baserate.Rate{{ID: "command"}, {ID: "failed"}}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".jsonl" && !strings.Contains(path, "acompact") {
			all := responses(t, path)
			count(&want[0], all, 3, func(r *response) bool { return r.shell },
				func(r *response) bool { return r.read })
			count(&want[1], all, 1, func(r *response) bool { return r.fail },
				func(r *response) bool { return !r.fail })
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		slices.Sort(want[i].After)
		if diff := cmp.Diff(want[i], v.Rates()[i], cmpopts.IgnoreUnexported(baserate.Rate{})); diff != "" {
			t.Errorf("- counted, + told:\n%s", diff)
		}
	}
	if want[0].Fires < least || want[0].Ignored == 0 || want[0].Heeded == 0 || want[1].Fires == 0 {
		t.Errorf("too little to count: %+v", want)
	}
}
