package cursor

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
)

// TestCursor: the kinds of places in texts as they are while somebody types; ¦ is the place.
func TestCursor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path, src string
		part            Part
		at              string // the keys above, joined
		word            string // the word there
		used            string
	}{
		{"empty front matter", "a.md", "---\n¦\n---\ntext", OnKey, "", "", ""},
		{"a key begun", "a.md", "---\nwh¦\n---\ntext", OnKey, "", "wh", ""},
		{"a key between others", "a.md", "---\nid: a\nwh¦\nkeep: turn\n---\ntext", OnKey, "", "wh", "id keep"},
		{"a key that is whole", "a.md", "---\nwh¦en: always\n---\ntext", OnKey, "", "when", ""},
		{"front matter that is open", "a.md", "---\nid: a\nwh¦", OnKey, "", "wh", "id"},
		{"value", "a.md", "---\nwhen: context_¦ > 3\n---\ntext", OnValue, "when", "context_ > 3", ""},
		{"value not begun", "a.md", "---\nwhen: ¦\n---\ntext", OnValue, "when", "", ""},
		{"value not begun, no blank", "a.md", "---\nwhen:¦\n---\ntext", OnValue, "when", "", ""},
		{"quoted", "a.md", "---\nwhen: \"a ¦ b\"\n---\ntext", OnValue, "when", "a  b", ""},
		{"quoted, open", "a.md", "---\nwhen: 'a ¦\n---\ntext", OnValue, "when", "a ", ""},
		{"block", "a.md", "---\nwhen: |\n  a and\n  b¦\n---\ntext", OnValue, "when", "  a and\n  b", ""},
		{"block, key after it", "a.md", "---\nwhen: |\n  a\nke¦\n---\ntext", OnKey, "", "ke", "when"},
		{"folded plain", "a.md", "---\nwhen: a and\n  b¦\n---\ntext", OnValue, "when", "a and\n  b", ""},
		{"comment", "a.md", "---\nid: a # aside: al¦low R1012\n---\ntext", OnComment, "",
			"# aside: allow R1012", ""},
		{"comment of its own", "a.md", "---\n# aside: al¦low\n---\ntext", OnComment, "", "# aside: allow", ""},
		{"nested", "a.md", "---\nschedule:\n  ki¦\n---\ntext", OnKey, "schedule", "ki", ""},
		{"nested value", "a.md", "---\nschedule:\n  kind: tu¦rn\n---\ntext", OnValue, "schedule kind", "turn", ""},
		{"nested beside", "a.md", "---\nid: a\nschedule:\n  kind: turn\n  tu¦\nkeep: turn\n---\ntext", OnKey,
			"schedule", "tu", "kind"},
		{"nested flow", "a.md", "---\nschedule: {kind: turn, tu¦}\n---\ntext", OnKey, "schedule", "tu", "kind"},
		{"nested flow value", "a.md", "---\nschedule: {kind: tu¦, turn_interval: 3}\n---\ntext", OnValue,
			"schedule kind", "tu", ""},
		{"body", "a.md", "---\nid: a\n---\nte¦xt", onText, "", "text", ""},
		{"body, action", "a.md", "---\nid: a\n---\nis {{.con¦text}} full", OnAction, "", ".context", ""},
		{"body, behind an action", "a.md", "---\nid: a\n---\nis {{.context}} fu¦ll", onText, "",
			"is {{.context}} full", ""},
		{"body, action open", "a.md", "---\nid: a\n---\nis {{¦", OnAction, "", "", ""},
		{"on the fence", "a.md", "--¦-\nid: a\n---\ntext", Nothing, "", "", ""},
		{"crlf", "a.md", "---\r\nwhen: a¦b\r\n---\r\ntext", OnValue, "when", "ab", ""},
		{"yaml", "a.yaml", "id: a\nwh¦", OnKey, "", "wh", "id"},
		{"yaml content", "a.yaml", "id: a\ncontent: is {{.m¦}}", OnAction, "content", ".m", ""},
		{"yaml content block", "a.yaml", "id: a\ncontent: |\n  is: {{.m¦}}\n  x", OnAction, "content", ".m", ""},
		{"yaml content block, text like a key", "a.yaml", "content: |\n  wh¦en: x", onText, "content",
			"  when: x", ""},
		{"list", "a.yaml", "reminders:\n  - id: a\n    wh¦", OnKey, "reminders", "wh", "id"},
		{"list, dash", "a.yaml", "reminders:\n  - ¦", OnKey, "reminders", "", ""},
		{"list, dash and letters", "a.yaml", "reminders:\n  - i¦", OnKey, "reminders", "i", ""},
		{"list at the margin", "a.yaml", "reminders:\n- id: a\n  wh¦", OnKey, "reminders", "wh", "id"},
		{"list, value", "a.yaml", "reminders:\n  - id: a\n    when: x¦\n  - id: b", OnValue,
			"reminders when", "x", ""},
		{"list, second", "a.yaml", "reminders:\n  - id: a\n    when: x\n  - id: b\n    ke¦ep: turn", OnKey,
			"reminders", "keep", "id"},
		{"list, nested", "a.yaml", "reminders:\n  - id: a\n    schedule:\n      ki¦", OnKey,
			"reminders schedule", "ki", ""},
		{"flow item", "a.yaml", "reminders: [{id: a, wh¦}]", OnKey, "reminders", "wh", "id"},
		{"flow item, value", "a.yaml", "reminders: [{id: a, when: x > 3 and ¦, keep: turn}]", OnValue,
			"reminders when", "x > 3 and ", ""},
		{"flow in an item", "a_test.yaml", "tests:\n  - name: x\n    steps:\n      - {facts: {context_¦}}", OnKey,
			"tests steps facts", "context_", ""},
		{"flow list", "a_test.yaml", "tests:\n  - name: x\n    steps:\n      - facts: {}\n        fires: [a, ¦]",
			OnValue, "tests steps fires", "", ""},
		{"flow list, word", "a_test.yaml", "tests:\n  - name: x\n    steps:\n      - {fires: [a, b¦c]}", OnValue,
			"tests steps fires", "bc", ""},
		{"step", "a_test.yaml", "tests:\n  - name: x\n    steps:\n      - facts: {}\n        fi¦", OnKey,
			"tests steps", "fi", "facts"},
		{"flow of several lines", "a_test.yaml",
			"tests:\n  - name: x\n    steps: [\n      {facts: {a: 1},\n       " +
				"fi¦}]", OnKey, "tests steps", "fi", "facts"},
		{"behind a flow", "a_test.yaml", "tests:\n  - reminders: [{id: r}]\n    na¦", OnKey, "tests", "na",
			"reminders"},
		{"quoted in a flow", "a.yaml", "reminders: [{id: a, when: 'used(\"B¦\")'}]", OnValue, "reminders when",
			"used(\"B\")", ""},
		{"trigger with a list in a flow", "a.yaml", "when: tool_used in [Ed¦]", OnValue, "when",
			"tool_used in [Ed]", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			off := strings.Index(c.src, "¦")
			src := c.src[:off] + c.src[off+len("¦"):]
			got := At(c.path, src, off)
			if got.Part != c.part || strings.Join(got.Path, " ") != c.at {
				t.Fatalf("got part %d of %q, want %d of %q", got.Part, got.Path, c.part, c.at)
			}
			if word := src[got.From:got.To]; got.Part != Nothing && word != c.word {
				t.Errorf("got word %q, want %q", word, c.word)
			}
			if used := strings.Join(got.Used, " "); used != c.used {
				t.Errorf("got used %q, want %q", used, c.used)
			}
		})
	}
}

// TestCursorAnywhere: every place of texts as they are while somebody types has an answer, with places that
// are in the text.
func TestCursorAnywhere(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"---\nwhen: \"context_usage > 75% and used(\\\"Bash\\\")\"\nschedule: {kind: [turn, {a: b}, c}\n  - - x: " +
			"|\n   {{ .a\n---\nis {{.model}} {{",
		"reminders: [{id: a, when: tool_used in [Edit, 'x y'], content: \"{{.m}}\"},\n  {id: b\n- c: d\n " +
			" - e:\n: : " +
			":\n#\n- # x\n-",
		"\uFEFF---\r\nid: ä\r\n\twhen:\tx\r\n",
	} {
		for _, path := range []string{"a.md", "a.yaml"} {
			for end := range len(src) + 1 {
				for off := range end + 1 {
					c := At(path, src[:end], off)
					if c.From < 0 || c.To < c.From || c.To > end {
						t.Fatalf("%s %q at %d: %+v", path, src[:end], off, c)
					}
				}
			}
		}
	}
}

// TestWantAt: what the language expects at the end of triggers that are begun.
func TestWantAt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before string
		want   Wanted
		fact   string
		word   string // the word that has begun
	}{
		{"", WantOperand, "", ""},
		{"not ", WantOperand, "", ""},
		{"turn_count > 3 and (com", WantOperand, "", "com"},
		{"price over 3 and com", WantOperand, "", "com"},
		{"context_usage + ", WantOperand, "", ""},
		{"lower(mo", WantOperand, "", "mo"},
		{"turn_count ", WantOperator, "turn_count", ""},
		{"turn_count - idle ", WantOperator, "idle", ""},
		{"thread_type not ", WantOperator, "thread_type", ""},
		{"prompt cont", WantOperator, "prompt", "cont"},
		{"len(command) ", WantOperator, "", ""},
		{"turn_count >= ", WantValue, "turn_count", ""},
		{"(thread_type not in [pl", WantValue, "thread_type", "pl"},
		{"context_usage + 10% > ", WantValue, "", ""},
		{"thread_type == 'pl", WantValue, "thread_type", "pl"},
		{"tool_used in [Edit ", WantNothing, "", ""},
		{"turn_count > 3 ", WantJoin, "", ""},
		{"(turn_count > 3 ", WantJoin, "", ""},
		{"after_tool:Bash(a, b) ", WantJoin, "", ""},
		{`turn_count > 3 and \"a\" in command `, WantJoin, "", ""},
		{"every 3 turns ", WantJoin, "", ""},
		{"every 3 us", WantUnit, "", "us"},
		{"compacted and every ", WantUnit, "", ""},
		{"after_tool:Edit,W", WantTool, "", "W"},
		{`used(\"@she`, WantTool, "", "@she"},
		{`tool_used == "B`, WantTool, "", "B"},
		{"after_tool:Bash(git commit -m 'x', don", WantSubject, "", "git commit -m 'x', don"},
		{"after_tool:Bash(a b),Edit(*.", WantSubject, "", "*."},
		{`tool_chain_repeats("Read>E`, WantLink, "", "E"},
		{"thread:root,pl", WantThread, "", "pl"},
		{`turns_since("my-r`, WantID, "", "my-r"},
		{"any(", WantSet, "", ""},
		{"compacted and len(com", WantSet, "", "com"},
		{"any(calls, .tool == \"Ba", WantNothing, "", ""},
		{"any(command, # contains 'rm' and ", WantOperand, "", ""},
		{`prompt == "con`, WantValue, "prompt", "con"},
		{"turn_count > 1", WantNothing, "", ""},
	} {
		t.Run(c.before, func(t *testing.T) {
			t.Parallel()
			got := WantAt(c.before, fact.Builtin())
			if got.What != c.want || got.Fact.Name != c.fact {
				t.Fatalf("got %d of %q, want %d", got.What, got.Fact.Name, c.want)
			}
			if word := c.before[got.From:]; got.What != WantNothing && word != c.word {
				t.Errorf("got word %q, want %q", word, c.word)
			}
		})
	}
}

// TestWantAnywhere: WantAt answers at the end of each beginning of a trigger, and of another text, with a
// place inside the text.
func TestWantAnywhere(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"turn_count - idle > 3 and any(calls, .tool == \"Bash\" and not (.failed)) or len() in [a, 'b c'] x(y)",
		`used(\"Bash(git push*)\") and thread_type not in [plan] )]( ,, -- every 3 user turns and )`,
		"after_tool:Bash(a 'b, c) or tool_chain_repeats(\"Read>\nEdit|x\") >= 3 ä $ # ` and .x == !!(",
	} {
		for from := 0; from < len(src); from += 7 {
			for end := from; end <= len(src); end++ {
				if w := WantAt(src[from:end], fact.Builtin()); w.From < 0 || w.From > end-from {
					t.Fatalf("%q: %+v", src[from:end], w)
				}
			}
		}
	}
}
