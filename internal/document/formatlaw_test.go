package document_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
	_ "github.com/aside-go/aside/internal/test/testkit" // the same draws each time under CI=true
)

type failer interface {
	Helper()
	Errorf(string, ...any)
}

// lawful holds one file to the law of formatting, L2: formatting it again changes nothing, it means what it
// meant, and its comments are all there. It reports whether the file was changed.
func lawful(t failer, file string, src []byte) (changed bool) {
	t.Helper()
	out, ds := document.Format(file, src)
	if ds.HasErrors() {
		if string(out) != string(src) {
			t.Errorf("%s has an error, and was changed:\n%q\n%q", file, src, out)
		}
		return false
	}
	if again, _ := document.Format(file, out); string(again) != string(out) {
		t.Errorf("%s: formatting it twice is not formatting it once:\n%q\n%q\n%q", file, src, out, again)
	}
	if diff := cmp.Diff(meaning(file, src), meaning(file, out)); diff != "" {
		t.Errorf("%s does not mean what it meant:\n%q\n%q\n%s", file, src, out, diff)
	}
	if diff := cmp.Diff(comments(file, src), comments(file, out)); diff != "" {
		t.Errorf("%s: comments:\n%q\n%q\n%s", file, src, out, diff)
	}
	if diff := cmp.Diff(nodeComments(file, src), nodeComments(file, out)); diff != "" {
		t.Errorf("%s: comments as YAML has them:\n%q\n%q\n%s", file, src, out, diff)
	}
	return string(out) != string(src)
}

// meaning is all that a file comes to once it is compiled: each reminder with its triggers in canonical form,
// and what is said of them, places apart.
func meaning(file string, src []byte) []string {
	rs, ds := document.Read(file, src)
	set, more := compile.FromFiles(rs, compile.Options{})
	var out []string
	for i := range set.Len() {
		r := *set.Reminder(i)
		r.Origin, r.Trigger, r.Rearm, r.Expect = nil, set.Trigger(i).String(), "", canonical(r.Expect)
		if rearm := set.Rearm(i); rearm != nil {
			r.Rearm = rearm.String()
		}
		out = append(out, fmt.Sprintf("%+v", r))
	}
	for _, r := range rs { // also what does not compile, or is switched off
		r.Origin = nil
		r.Trigger, r.Rearm, r.Expect = canonical(r.Trigger), canonical(r.Rearm), canonical(r.Expect)
		out = append(out, fmt.Sprintf("%+v", r))
	}
	var said []string
	for _, d := range append(ds, more...) {
		said = append(said, string(d.Code))
	}
	slices.Sort(said)
	return append(out, slices.Compact(said)...)
}

func canonical(trigger string) string {
	tree, _ := grammar.Parse(trigger)
	return grammar.Format(tree)
}

func comments(file string, src []byte) []string {
	var out []string
	for _, c := range document.Comments(file, src) {
		out = append(out, c.Text)
	}
	return out
}

// nodeComments are the comments that another reader finds.
func nodeComments(file string, src []byte) []string {
	text := string(src)
	if strings.HasSuffix(file, ".md") {
		_, rest, _ := strings.Cut(text, "---")
		text, _, _ = strings.Cut(rest, "\n---")
	}
	var doc yaml.Node
	if yaml.Unmarshal([]byte(text), &doc) != nil {
		return nil
	}
	var out []string
	var walk func(*yaml.Node)
	walk = func(n *yaml.Node) {
		for _, c := range []string{n.HeadComment, n.LineComment, n.FootComment} {
			if c != "" {
				out = append(out, c)
			}
		}
		for _, k := range n.Content {
			walk(k)
		}
	}
	walk(&doc)
	slices.Sort(out)
	return out
}

// TestL2FormatFiles holds every rule file of the repository to the law.
func TestL2FormatFiles(t *testing.T) {
	t.Parallel()
	files, changed, withComments := 0, 0, 0
	for _, dir := range []string{"../../testdata", "../../cmd/aside/internal"} {
		err := filepath.WalkDir(filepath.FromSlash(dir), func(p string, d fs.DirEntry, err error) error {
			ext := filepath.Ext(p)
			if err != nil || d.IsDir() || ext != ".md" && ext != ".yaml" && ext != ".yml" ||
				strings.HasSuffix(p, "_test.yaml") {
				return err
			}
			src, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			files++
			if len(comments(p, src)) > 0 {
				withComments++
			}
			if lawful(t, p, src) {
				changed++
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 500 || changed < 3 || withComments < 100 {
		t.Errorf("%d files, %d with comments, %d changed", files, withComments, changed)
	}
	t.Logf("%d files, %d with comments, %d changed", files, withComments, changed)
}

// triggers are spelled in all the ways that a person may spell them.
var triggers = []string{
	"turn_count>3", "turn_count  >  3", "!compacted", "not  compacted",
	"compacted&&!resumed||user_message", "(compacted)", "((turn_count > 3)) and (compacted)",
	"75%<context_usage",
	"thread_type in [a,b]", "thread_type==plan", `prompt=="x: y # z"`, `prompt == 'it is "so"'`,
	`prompt matches "a{2}\\b|#x"`, "after_tool: Edit , Write", "after_tool:Edit,Write",
	"tool_used==mcp__*",
	"every 3 turns", "every 5m", "repeated_tool_chain:Read>Edit|3", `turns_since_tool("TodoWrite")>15`,
	`used("Bash")||tool_count("Edit")>=3`, "len(tool_used)>1", `any(tool_used, # startsWith "mcp__")`,
	"always", "manual", "turn_gt:20", "idle>1h and not(user_message or " +
		"compacted)", `prompt contains "日本: é"`, "turn_count>3 or", "no_such_fact > 3",
}

// spans are numbers of turns and times, each in more than one spelling.
var spans = []string{"1 turn", "1 turns", "2 turn", "3 turns", "3turns", "03  turn", "0", "0 turn", "0s",
	"90s", "1m30s"}

// drawFile draws a rule file: a list or one reminder, in Markdown or YAML, with triggers in every style of
// YAML, and comments everywhere.
func drawFile(t *rapid.T) (file string, src string) {
	pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
	comment := func() string {
		return pick("comment", "", "", " # why", "   # aside: allow R1004", "  #",
			" # when: turn_count>3 'x", "\t# tab")
	}
	own := func(indent string) string {
		return pick("line", "", "", "", indent+"# a line: of \"its own\n", "\n", "  # further in\n", indent+"#\n")
	}
	scalar := func(s, indent string) string {
		switch pick("style", "plain", "plain", "single", "double", "literal", "folded", "lines") {
		case "single":
			return " '" + strings.ReplaceAll(s, "'", "''") + "'" + comment() + "\n"
		case "double":
			return " " + fmt.Sprintf("%q", s) + comment() + "\n"
		case "literal":
			return " " + pick("chomp", "|", "|-", "|+") + comment() + "\n" + indent + "  " + s + "\n"
		case "folded":
			return " " + pick("chomp", ">", ">-", ">+") + comment() + "\n" + indent + "    " + strings.Replace(s, " ",
				"\n"+indent+"    ", 1) + "\n"
		case "lines":
			return " " + strings.Replace(s, " ", "\n"+indent+"   ", 1) + comment() + "\n"
		default:
			return pick("gap", " ", "   ") + s + comment() + "\n"
		}
	}
	reminder := func(indent, id string) string {
		var b strings.Builder
		b.WriteString("id: " + id + comment() + "\n")
		add := func(text string) { b.WriteString(own(indent) + indent + text) }
		if pick("description", "no", "yes") == "yes" {
			add("description: turn_count>3" + comment() + "\n")
		}
		if pick("schedule", "no", "no", "yes") == "yes" {
			add("schedule:" + comment() + "\n" + indent + "  kind: condition\n" + indent + "  condition:" +
				scalar(pick("trigger", triggers...), indent+"  "))
		} else {
			add(pick("mode", "when", "while", "trigger") + ":" + scalar(pick("trigger", triggers...), indent))
			if pick("rearm", "no", "yes") == "yes" {
				add("rearm:" + scalar(pick("trigger", triggers...), indent))
			}
		}
		if pick("flow", "no", "no", "yes") == "yes" {
			return "{id: " + id + ", " + pick("mode", "when", "while") + ": " + fmt.Sprintf("%q",
				pick("trigger", triggers...)) + ", content: 'turn_count>3'}" + comment() + "\n"
		}
		if pick("cooldown", "no", "yes") == "yes" {
			add("cooldown:" + scalar(pick("span", spans...), indent))
		}
		if pick("for", "no", "yes") == "yes" {
			add("for:" + scalar(pick("span", spans...), indent))
		}
		if pick("keep", "no", "yes") == "yes" {
			add("keep:" + scalar(pick("span", append(spans, "turn", "call", "conversation")...), indent))
		}
		return b.String()
	}
	text := func(s string) string {
		if pick("ends", "\n", "\n", "\r\n") == "\r\n" {
			s = strings.ReplaceAll(s, "\n", "\r\n")
		}
		return pick("mark", "", "", "\ufeff") + s
	}
	switch pick("kind", "md", "yaml", "list") {
	case "md":
		return "a.md", text("---\n" + own("") + reminder("", "a") + own("") +
			"---\n# turn_count>3\nwhen: turn_count>3 # no comment\n")
	case "yaml":
		return "a.yaml", text(own("") + strings.Replace(reminder("", "a"), "content: 'turn_count>3'", "content: c",
			1) + pick("content", "", "content: |\n  # no comment\n  turn_count>3\n"))
	}
	var b strings.Builder
	b.WriteString(own("") + "reminders:" + comment() + "\n")
	for i := range rapid.IntRange(1, 3).Draw(t, "items") {
		r := reminder("    ", fmt.Sprintf("r%d", i))
		b.WriteString(own("  ") + "  - " + r)
		if !strings.HasPrefix(r, "{") {
			b.WriteString("    content: turn_count>3" + comment() + "\n")
		}
	}
	return "a.yaml", text(b.String())
}

// TestL2FormatGenerated holds files that nobody would write to the law.
func TestL2FormatGenerated(t *testing.T) {
	t.Parallel()
	drawn, fine, changed := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		for range 8 {
			drawn++
			file, src := drawFile(t)
			if _, ds := document.Format(file, []byte(src)); !ds.HasErrors() {
				fine++
			}
			if lawful(t, file, []byte(src)) {
				changed++
			}
		}
	})
	if fine < drawn/3 || changed < drawn/6 {
		t.Errorf("%d files without an error, %d changed", fine, changed)
	}
	t.Logf("%d files without an error, %d changed", fine, changed)
}
