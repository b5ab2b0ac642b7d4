package document_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/document"
)

func TestDocument(t *testing.T) {
	t.Parallel()
	turns := func(n int) reminder.Span { return reminder.Span{Turns: n} }
	for _, c := range []struct {
		name, file, src string
		want            reminder.Reminder
	}{
		{"Markdown", "rules/edit.md", "---\nwhen: after_tool:Edit\n---\nRun the tests.\n",
			reminder.Reminder{ID: "edit", Trigger: "after_tool:Edit", Text: "Run the tests."}},
		{"Markdown without front matter", "a.md", "Once.\n", reminder.Reminder{Trigger: "always", Text: "Once."}},
		{"empty front matter", "a.md", "---\n---\nx\n", reminder.Reminder{Trigger: "always", Text: "x"}},
		{"front matter of a comment", "a.md", "---\n# nothing\n---\nx",
			reminder.Reminder{Trigger: "always", Text: "x"}},
		{"front matter of null", "a.md", "---\n~\n---\nx", reminder.Reminder{Trigger: "always", Text: "x"}},
		{"CRLF and a byte order mark", "a.md", "\ufeff---\r\nwhen: compacted\r\n---\r\n\r\none\r\n\r\ntwo\r\n",
			reminder.Reminder{Trigger: "compacted", Text: "one\n\ntwo"}},
		{"blanks behind the fences", "a.md", "--- \nwhen: compacted\n---\t\nx",
			reminder.Reminder{Trigger: "compacted", Text: "x"}},
		{"a rule in the text", "a.md", "---\nwhen: compacted\n---\none\n---\ntwo\n",
			reminder.Reminder{Trigger: "compacted", Text: "one\n---\ntwo"}},
		{"text is trimmed by lines", "a.md", "\n \n  indented\n\n", reminder.Reminder{Trigger: "always",
			Text: "  indented"}},
		{"a rule begins a text without front matter", "a.md", "\n---\nand so on\n",
			reminder.Reminder{Trigger: "always", Text: "---\nand so on"}},
		{"YAML", "a.yml", "when: compacted\ncontent: |\n  one\n   two\n", reminder.Reminder{Trigger: "compacted",
			Text: "one\n two"}},
		{"YAML with its own fence", "a.yaml", "---\nwhen: compacted\ncontent: x\n...\n",
			reminder.Reminder{Trigger: "compacted", Text: "x"}},
		{"YAML that is JSON", "a.yaml", `{"when": "compacted", "content": "x\ty"}`,
			reminder.Reminder{Trigger: "compacted", Text: "x\ty"}},
		{"content in front matter", "a.md", "---\ncontent: x\n---\n",
			reminder.Reminder{Trigger: "always", Text: "x"}},
		{"numbers and dates as text", "a.yaml", "id: 7\ndescription: 2026-01-01\ncontent: 1.50\n",
			reminder.Reminder{ID: "7", Description: "2026-01-01", Trigger: "always", Text: "1.50"}},
		{"a description of several lines", "a.yaml", "description: >\n  one\n  two\n\n  three\ncontent: x\n",
			reminder.Reminder{Description: "one two three", Trigger: "always", Text: "x"}},
		{"trigger is when", "a.md", "---\ntrigger: compacted\n---\nx",
			reminder.Reminder{Trigger: "compacted", Text: "x"}},
		{"while", "a.md", "---\nwhile: compacted\n---\nx", reminder.Reminder{Mode: reminder.While,
			Trigger: "compacted", Text: "x"}},
		{"rearm", "a.md", "---\nwhen: context_usage > 75%\nrearm: context_usage < 60%\n---\nx",
			reminder.Reminder{Trigger: "context_usage > 75%", Rearm: "context_usage < 60%", Text: "x"}},
		{"a trigger on its own line", "a.md", "---\nwhen:\n  compacted\n  or resumed\n---\nx",
			reminder.Reminder{Trigger: "compacted or resumed", Text: "x"}},
		{"a trigger in a block", "a.md", "---\nwhen: |\n  compacted\n  or resumed\n---\nx",
			reminder.Reminder{Trigger: "compacted\nor resumed", Text: "x"}},
		{"an unquoted word", "a.md", "---\nwhen: true\n---\nx", reminder.Reminder{Trigger: "true", Text: "x"}},
		{"spans", "a.md", "---\nfor: 1 turn\ncooldown: 1h30m\nkeep: 2 turns\n---\nx",
			reminder.Reminder{Trigger: "always", For: turns(1), Cooldown: reminder.Span{Time: 90 * time.Minute},
				Keep: reminder.Keep{Unit: reminder.KeepTurns, N: 2}, Text: "x"}},
		{"the effect", "a.md", "---\nwhen: before_tool:Bash\npause: true\nexpect: after_tool:Edit\nwithin: 3 " +
			"turns\nholdout: 20%\nmax_ignored: 2\nkeep: 2 user turns\ncooldown: 2 user turns\n---\nx",
			reminder.Reminder{Trigger: "before_tool:Bash", Pause: true, Expect: "after_tool:Edit", Within: 3,
				Holdout: 0.2, MaxIgnored: 2, Keep: reminder.Keep{Unit: reminder.KeepUserTurns, N: 2},
				Cooldown: reminder.Span{UserTurns: 2}, Text: "x"}},
		{"days and shares", "a.md", "---\nfor: 1d12h\ncooldown: 2d\nholdout: 0.25\n---\nx",
			reminder.Reminder{Trigger: "always", For: reminder.Span{Time: 36 * time.Hour},
				Cooldown: reminder.Span{Time: 48 * time.Hour}, Holdout: 0.25, Text: "x"}},
		{"a trial", "a.md", "---\nholdout: 100%\n---\nx",
			reminder.Reminder{Trigger: "always", Holdout: 1, Text: "x"}},
		{"spans of nothing", "a.md", "---\nfor: 0\ncooldown: 0 turns\nkeep: 1 turn\n---\nx",
			reminder.Reminder{Trigger: "always", Keep: reminder.Keep{Unit: reminder.KeepTurns, N: 1}, Text: "x"}},
		{"quoted spans", "a.md", "---\nfor: '3 turns'\ncooldown: \"500ms\"\nkeep: 'user turn'\n---\nx",
			reminder.Reminder{Trigger: "always", For: turns(3), Cooldown: reminder.Span{Time: 500 * time.Millisecond},
				Keep: reminder.Keep{Unit: reminder.KeepUserTurns, N: 1}, Text: "x"}},
		{"all the rest", "a.md", "---\nmax_fires: 3\npriority: -2\ntier: correctness\nattach: " +
			"run_start\nenabled: " +
			"false\nkeep: conversation\n---\nx", reminder.Reminder{Trigger: "always", MaxFires: 3, Priority: -2,
			Tier: reminder.Correctness, Attach: reminder.RunStart, Disabled: true, Keep: reminder.Keep{
				Unit: reminder.KeepConversation}, Text: "x"}},
		{"disabled without text", "a.md", "---\nenabled: false\n---\n", reminder.Reminder{Trigger: "always",
			Disabled: true}},
		{"schedule always", "a.yaml", "schedule: {kind: always, max_fires: 2}\ncontent: x",
			reminder.Reminder{Mode: reminder.While, Trigger: "always", MaxFires: 2, Text: "x"}},
		{"schedule turn", "a.yaml", "schedule: {kind: turn}\ncontent: x", reminder.Reminder{Mode: reminder.While,
			Trigger: "started or every 1 turns", Text: "x"}},
		{"schedule of every third turn", "a.yaml", "schedule: {kind: turn, turn_interval: 3}\ncontent: x",
			reminder.Reminder{Mode: reminder.While, Trigger: "started or every 3 turns", Text: "x"}},
		{"schedule timer", "a.yaml", "schedule: {kind: timer}\ncontent: x", reminder.Reminder{Mode: reminder.While,
			Trigger: "started or every 5m", Text: "x"}},
		{"schedule of every hour", "a.yaml", "schedule:\n  kind: timer\n  interval: 1h\ncontent: x",
			reminder.Reminder{Mode: reminder.While, Trigger: "started or every 1h", Text: "x"}},
		{"schedule oneshot", "a.yaml", "schedule: {kind: oneshot}\ncontent: x",
			reminder.Reminder{Trigger: "always", Text: "x"}},
		{"schedule without kind", "a.yaml", "schedule: {max_fires: 1}\ncontent: x",
			reminder.Reminder{Trigger: "always", MaxFires: 1, Text: "x"}},
		{"schedule condition", "a.yaml", "schedule: {kind: condition, condition: 'after_tool:Edit'}\ncontent: x",
			reminder.Reminder{Mode: reminder.While, Trigger: "after_tool:Edit", Text: "x"}},
		{"schedule with an empty condition", "a.yaml", "schedule: {kind: condition, condition: ''}\ncontent: x",
			reminder.Reminder{Mode: reminder.While, Trigger: "always", Text: "x"}},
		{"schedule without condition", "a.yaml", "schedule: {kind: condition}\ncontent: x",
			reminder.Reminder{Mode: reminder.While, Trigger: "always", Text: "x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rs, ds := document.Read(c.file, []byte(c.src))
			if len(ds) > 0 || len(rs) != 1 {
				t.Fatalf("%d reminders, %v", len(rs), ds)
			}
			if c.want.ID == "" {
				c.want.ID = "a"
			}
			if diff := cmp.Diff(compared([]compile.Source{{Reminder: c.want, File: c.file}}),
				compared(rs)); diff != "" {
				t.Error(diff)
			}
			if _, ds := compile.FromFiles(rs, compile.Options{}); ds.HasErrors() && c.want.Trigger != "true" {
				t.Errorf("does not compile: %v", ds)
			}
		})
	}
}

func TestDocumentList(t *testing.T) {
	t.Parallel()
	rs, ds := document.Read("a.yaml",
		[]byte("reminders:\n  - id: b\n    content: B\n  - {id: a, while: compacted, content: A}\n"))
	if len(ds) > 0 || len(rs) != 2 || rs[0].ID != "b" || rs[1].ID != "a" || rs[1].Mode != reminder.While {
		t.Fatalf("%v %v", compared(rs), ds)
	}
	if rs, ds := document.Read("a.yaml", []byte("reminders: []\n")); len(rs)+len(ds) > 0 {
		t.Errorf("an empty list: %v %v", rs, ds)
	}
}

func TestDecodeReminders(t *testing.T) {
	t.Parallel()
	const src = "tests:\n- name: x\n  reminders: [{id: a, when: turn_count > abc, content: A}, {id: " +
		"é, tier: x, " +
		"content: B}]\n"
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(src), &doc); err != nil {
		t.Fatal(err)
	}
	list := doc.Content[0].Content[1].Content[0].Content[3]
	rs, ds := document.ReadList("x_test.yaml", list, []byte(src))
	if len(rs) != 1 || rs[0].ID != "a" {
		t.Fatal(compared(rs), ds)
	}
	want := []string{
		"3:65-3:66 error[R0420]: the id \"é\" holds what an id cannot hold (an id is letters, digits, " +
			"`.`, `_` and " +
			"`-`, and begins with a letter or digit: write `id: reminder`)",
		"3:74-3:75 error[R0426]: tier cannot be \"x\" (write one of guidance, correctness, safety)",
	}
	var got []string
	for _, d := range ds {
		inText(t, src, d.Range)
		got = append(got, shownWhole(d))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	_, ds = compile.FromFiles(rs, compile.Options{})
	if len(ds) == 0 || ds[0].File != "x_test.yaml" || !strings.HasPrefix(src[ds[0].Range.Start.Offset:],
		"abc,") {
		t.Errorf("misplaced: %v", ds)
	}
}

// TestL8SameBytesSameSet reads the same bytes many times.
func TestL8SameBytesSameSet(t *testing.T) {
	t.Parallel()
	for _, c := range allBadFiles() {
		first, firstDs := document.Read(c.file, []byte(c.src))
		for range 5 {
			rs, ds := document.Read(c.file, []byte(c.src))
			if diff := cmp.Diff(compared(first), compared(rs)); diff != "" {
				t.Fatal(diff)
			}
			if diff := cmp.Diff(firstDs, ds); diff != "" {
				t.Fatal(diff)
			}
		}
	}
}
