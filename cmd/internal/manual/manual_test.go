package manual_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aside-go/aside/cmd/internal/manual"
	"github.com/aside-go/aside/cmd/internal/ruletest"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/document"
)

// TestPages: each page begins with a heading and fits a terminal, but for its tables and examples.
func TestPages(t *testing.T) {
	t.Parallel()
	topics := manual.Topics()
	if len(topics) < 10 {
		t.Fatalf("only %q", topics)
	}
	for _, topic := range topics {
		text, ok := manual.Page(topic)
		if !ok || len(text) < 300 || !strings.HasPrefix(text, "# "+manual.Title(topic)+"\n") ||
			strings.Contains(text, "\n{{") {
			t.Errorf("%s: no page, no heading, or a table that nobody makes:\n%s", topic, text)
		}
		example := false
		for line := range strings.Lines(text) {
			example = example != strings.HasPrefix(line, "```")
			if utf8.RuneCountInString(line) > 111 && !example && !strings.HasPrefix(line, "|") {
				t.Errorf("%s: a long line: %s", topic, line)
			}
		}
	}
	if _, ok := manual.Page("nothing"); ok {
		t.Error("there is a page about nothing")
	}
}

// TestSearch: questions as people type them lead to the part that answers them.
func TestSearch(t *testing.T) {
	t.Parallel()
	sections := manual.Sections()
	const (
		remove = "How do I remove everything, or get rid of one rule?"
		often  = "A rule fires too often, or repeats itself. How do I stop it, or make it quieter?"
		agents = "Which agent can do what? Does it work with Cursor, Codex, Gemini CLI?"
		write  = "How do I write a rule: a condition on a file, a command, a time, a failure?"
		off    = "How do I switch a rule, or everything, off for a while, and on again?"
		cost   = "How much does it cost: tokens, money, the prompt cache?"
	)
	for question, want := range map[string]string{
		"remove everything":          remove,
		"does it cost cache":         cost,
		"it fires too often":         often,
		"why did it not fire":        "Why did a rule not fire, and a reminder never show up?",
		"can it block a call":        "Can a rule block or forbid a call?",
		"windows or macos":           "Does it run on Windows and macOS?",
		"what does the model see":    "What does the model see?",
		"run it in CI":               "How do I check rules in CI?",
		"which agent can do what":    agents,
		"does it slow down my agent": "Does it slow my agent down?",
		"share with my team":         "How do I share rules with my team?",
		"only in one project":        "How do I use a rule in one project alone, or switch one off there?",
		"what leaves my machine":     "Does anything leave my machine? Is code sent anywhere? Privacy, telemetry",
		"privacy":                    "Does anything leave my machine? Is code sent anywhere? Privacy, telemetry",
		"how do I get rid of a rule": remove,

		// twenty that were written down before the answers were looked at
		"how do I undo everything":             remove,
		"where are my rules stored":            "Where are my rules and the state stored?",
		"can two agents share rules":           "Can two or more agents share the same rules?",
		"how do I test a rule":                 "How do I test a rule before it has an effect?",
		"does it work offline":                 "Does it work offline, without a network, or with a local model?",
		"what is a turn":                       "What is a turn?",
		"remind every ten minutes":             write,
		"only when tests fail":                 write,
		"how long can a text be":               "How long can the text of a rule be?",
		"which rule wins":                      "Which rule wins where two have the same name?",
		"a rule for subagents":                 "subagents",
		"does it see my code":                  "What does the program see of my code, and what does it keep?",
		"use it with ollama":                   "Does it work offline, without a network, or with a local model?",
		"turn a rule off for now":              off,
		"why is my rule not loaded":            "Why is a rule of this repository not read?",
		"does it work with cursor":             agents,
		"how do I write a condition on a file": write,
		"stop it from repeating itself":        often,
		"upgrade to a new version":             "How do I get a newer version? Upgrade, update",
		"how much does it cost":                cost,
		"turn everything off for a while":      off,
		"two rules fire together":              "What happens when several rules fire on the same turn, together?",
		"how do I test my xylophone quintet":   "How do I test a rule before it has an effect?",
		"xylophone quintet":                    "",
	} {
		found := manual.Search(sections, strings.Fields(question))
		if len(found) == 0 && want == "" || len(found) > 0 && found[0].Title == want {
			continue
		}
		t.Errorf("%s: want %q of %d", question, want, len(found))
		for _, s := range found[:min(len(found), 3)] {
			t.Errorf("    %s: %s", s.Page, s.Title)
		}
	}
}

// TestGlossary: it has at most 30 words, each in one row.
func TestGlossary(t *testing.T) {
	t.Parallel()
	text, _ := manual.Page("glossary")
	_, rows, _ := strings.Cut(text, "|---|---|\n")
	if n := strings.Count(rows, "\n| ") + 1; n < 20 || n > 30 {
		t.Errorf("%d rows", n)
	}
}

// TestWord: words of the language, of its types and of the glossary have a text, and others none.
func TestWord(t *testing.T) {
	t.Parallel()
	same := func(s string) string { return s }
	for word, want := range map[string]string{"ratio": "75%", "event": "each occurrence",
		"edge":      "after it was false",
		"user turn": "all that follows", "rearm": "aside help keys", "meaning": "", "word": "",
	} {
		var b strings.Builder
		found := manual.Word(&b, word, same)
		if found != (want != "") || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v, %q", word, found, b.String())
		}
	}
}

// TestExamples: each trigger and each pattern in a table compiles, each file of rules loads, and each rule
// test passes.
func TestExamples(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile("^\\| `(.+?)`(?: or `(.+?)`)* \\|")
	triggers, files := 0, 0
	for _, topic := range manual.Topics() {
		text, _ := manual.Page(topic)
		head := ""
		for line := range strings.Lines(text) {
			switch g := code.FindStringSubmatch(line); {
			case !strings.HasPrefix(line, "|"):
				head = ""
			case head == "":
				head, _, _ = strings.Cut(line[2:], " |")
			case g != nil && (head == "trigger" || head == "pattern"):
				src := strings.ReplaceAll(g[1], `\|`, "|")
				if head == "pattern" {
					src = "after_tool:" + src
				}
				if _, ds := trigger.Compile(src, nil); len(ds) > 0 {
					t.Errorf("%s: %s: %v", topic, src, ds)
				}
				triggers++
			}
		}
		for _, block := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(block[1], "vars:") {
				continue // a configuration: TestConfigurationPage
			}
			files++
			if strings.Contains(block[1], "\ntests:") {
				f := ruletest.RunSource(t.Context(), "a_test.yaml", []byte(block[1]), ruletest.Options{})
				if len(f.Diagnostics) > 0 || len(f.Tests) == 0 {
					t.Errorf("%s: %v", topic, f.Diagnostics)
				}
				for _, test := range f.Tests {
					if test.Status != ruletest.Passed {
						t.Errorf("%s: %s: %+v", topic, test.Name, test.Checks)
					}
				}
				continue
			}
			rs, ds := document.Read("a.yaml", []byte(block[1]))
			set, more := compile.FromFiles(rs, compile.Options{})
			if len(ds)+len(more) > 0 || set.Len() == 0 {
				t.Errorf("%s: %v %v", topic, ds, more)
			}
		}
	}
	if triggers < 30 || files < 2 {
		t.Errorf("only %d triggers and %d files", triggers, files)
	}
}
