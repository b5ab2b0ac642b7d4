package callpattern_test

import (
	"os"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
	"github.com/aside-go/aside/internal/test/testkit"
)

// commandCase is a case of testdata/commands.txt.
type commandCase struct {
	line     string
	commands []string
}

func commandCases(t *testing.T) []commandCase {
	t.Helper()
	text, err := os.ReadFile("testdata/commands.txt")
	if err != nil {
		t.Fatal(err)
	}
	var cases []commandCase
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		var last *commandCase
		if len(cases) > 0 {
			last = &cases[len(cases)-1]
		}
		switch {
		case strings.HasPrefix(line, "$ "):
			cases = append(cases, commandCase{line: line[2:]})
		case strings.HasPrefix(line, "> ") && last != nil:
			last.line += "\n" + line[2:]
		case strings.HasPrefix(line, `= "`) && strings.HasSuffix(line, `"`) && last != nil:
			command, err := strconv.Unquote(line[2:])
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			last.commands = append(last.commands, command)
		case strings.HasPrefix(line, "= ") && last != nil:
			last.commands = append(last.commands, line[2:])
		}
	}
	return cases
}

func TestCommands(t *testing.T) {
	t.Parallel()
	cases := commandCases(t)
	if len(cases) < 300 {
		t.Fatalf("testdata/commands.txt has %d cases", len(cases))
	}
	for _, c := range cases {
		if d := cmp.Diff(c.commands, callpattern.Commands(c.line)); d != "" {
			t.Errorf("%s\n%s", c.line, d)
		}
	}
}

// TestLongLine: 32 KiB of a line are parsed, and a here-document that is cut off is still one.
func TestLongLine(t *testing.T) {
	t.Parallel()
	document := strings.Repeat("git push\n", callpattern.MaxLine/9)
	for _, c := range []struct {
		line string
		want []string
	}{
		{"cat <<EOF\n" + document + document + "EOF\ngit push", []string{"cat"}},
		{"a; " + strings.Repeat(" ", callpattern.MaxLine-4) + "b", []string{"a", "b"}},
		{"a; " + strings.Repeat(" ", callpattern.MaxLine-3) + "b", []string{"a"}},
		{"a\n" + strings.Repeat("é", callpattern.MaxLine)[:callpattern.MaxLine] + "\nb",
			[]string{"a", strings.Repeat("é", callpattern.MaxLine/2-1)}},
	} {
		if got := callpattern.Commands(c.line); !slices.Equal(got, c.want) {
			t.Errorf("%.20q, %d bytes: got %d commands, first %.40q", c.line, len(c.line), len(got), got[0])
		}
	}
}

// hostile are texts that nest, repeat or confuse when they stand one behind the other.
var hostile = []string{
	"${a[$(0>", "a[$(0", "$(0>", "<(0)>(1", "((0>",
	"(", "( ", "((", "(((", "$((", "$( ", "$(", "`", "`a \\`", "{ ", "{", "[[ ", "[[ ( ", "((1",
	"${a:-", "${", "\"$(", "\"", "'", "<<a\n", "a <<a;", "a <<a\nb\na\n", "if ", "if a; then ",
	"elif ", "while ", "until ", "case a in ", "case a in a) ", "select a in b; do ", "for ((;;)) do ",
	"! ", "a|", "a&&", "a&& ", "a||b;", "a;", "a\n", "a=(", "a[", "a[a[", "${a[", "$[", "<(", "@(",
	"f() ", "f(){ ", "a() (", "time ", "coproc ", "function a ", "let a", "\\", "\\\n", "$((1+",
	"$((-", "((a?b:", "((a=", "[[ ! ", "[[ a || ", "$'", "$\"", "<<'a'\n", "${a/", "<<-a\n\t",
	"<<\"a\"$( ", "`$(", "$a", "${a", "#", "&", "|", ";", "((a;b)) ", "a <<a <<b\n", "eval ",
	"echo \"${a:-\"", "\x00", "\xff", "é", "{a,b}", "a <<$(", "<<a$(", "\\`", "${!", "${#",
	"declare a=(", "declare a[", "$(<", "((((1))))", "echo $(( $(( ", "$((( ", "a<<a\n`",
	"a<<a\n$(b<<b\n", "a **(", "$'\\", "a=$((", "a[$((", "a[1]=", "((a[", "export a=$(", "&>", ">&",
	"0>", "<<<", "<<<$(", "sudo ", "xargs -I ", "sh -c a;", "sh -c 'a';", "sh -c \"$(", "sh -c '$(",
	"sh -c sudo ", "sh -c \"sh -c ", "env A=1 ", "$(sudo ", "1+", "a,", "-", "~",
}

// TestHostileLines: no text of 32 KiB takes much stack, memory or time. The bounds are far above what is
// needed (0.3 MB of stack, 26 MB allocated, 30 ms) and far below what the parser takes by itself (134 MB of
// stack).
func TestHostileLines(t *testing.T) {
	var before, after runtime.MemStats
	for _, text := range hostile {
		for _, end := range []string{"x", "", "))"}[:testkit.Repeat(1, 3)] {
			for _, begin := range []string{"", "echo $((", "[[ a && "} {
				room := callpattern.MaxLine - len(begin) - len(end)
				line := begin + strings.Repeat(text, room/len(text)) + end
				runtime.ReadMemStats(&before)
				start := time.Now()
				commands := callpattern.Commands(line)
				callpattern.Writes(&fact.Call{Class: fact.Shell, Command: line + ">f", Told: true}, path.Clean)
				took := time.Since(start)
				runtime.ReadMemStats(&after)
				if len(commands) == 0 {
					t.Errorf("%q, %q, %q: no commands", begin, text, end)
				}
				if stack := after.StackSys; stack > 16<<20 {
					t.Fatalf("%q, %q, %q: the stacks have %d MB", begin, text, end, stack>>20)
				}
				if size := after.TotalAlloc - before.TotalAlloc; size > 64<<20 {
					t.Errorf("%q, %q, %q: %d MB were allocated", begin, text, end, size>>20)
				}
				if took > time.Minute { // which is generous to a busy machine
					t.Errorf("%q, %q, %q: took %v", begin, text, end, took)
				}
			}
		}
	}
}

// TestNested: what stands deep is found as long as the nesting is not absurd.
func TestNested(t *testing.T) {
	t.Parallel()
	for name, nest := range map[string]func(string) string{
		"substitution": func(s string) string { return "a $(" + s + ")" },
		"quoted":       func(s string) string { return `a "$(` + s + `)"` },
		"subshell":     func(s string) string { return "( " + s + " )" },
		"group":        func(s string) string { return "{ " + s + "\n}" },
		"loop":         func(s string) string { return "while a; do " + s + "\ndone" },
	} {
		line := "git push"
		for range 50 {
			line = nest(line)
		}
		if !slices.Contains(callpattern.Commands(line), "git push") {
			t.Errorf("%s: git push is not found", name)
		}
	}
	line := "git push"
	for range 6 {
		line = "sh -c '" + strings.ReplaceAll(line, "'", `'\''`) + "'"
	}
	if !slices.Contains(callpattern.Commands(line), "git push") {
		t.Error("sh -c: git push is not found")
	}
	if got := callpattern.Commands("echo `echo \\`git push\\``"); !slices.Contains(got, "git push") {
		t.Errorf("backquotes: git push is not found in %q", got)
	}
}

// TestSieve: a pattern matches a line if and only if it matches one of its commands, be it found without the
// parser or with it.
func TestSieve(t *testing.T) {
	t.Parallel()
	cases := commandCases(t)
	for _, line := range []string{
		"ls\\\\\ngit push", "ls \\\\\ngit push", "git pu\\\nsh", "git \\\n push", "sh -c 'ls\\\\\ngit push'",
		"git $\"push\"", "git $'pu\\x73h'", "sh -c \"git \\$\\\"push\\\"\"", "g'i't p\"us\"h", "\\git pu\\sh",
		"git\r\npush", "git p\x00ush", "echo `git push`", "a&&git push;b", "'git push'", "(git push)",
		"sh -c git\\ push", "x=1 git push>y", "git push<a", "sudo -u a git push", "case a in a)git push;;esac",
		"echo \"$(git push)\"", "git p''ush", "<<E git push\nE",
	} {
		cases = append(cases, commandCase{line, callpattern.Commands(line)})
	}
	all := map[string]bool{}
	for _, c := range cases {
		for _, command := range c.commands {
			for _, p := range patternsOf(command) {
				all[p] = true
			}
		}
	}
	places := make([]fact.Place, len(cases)) // which remember the commands of their line
	for i := range cases {
		f := fact.Builtin().NewFrame()
		f.SetCalls([]fact.Call{{Tool: "x"}})
		places[i] = f.Place()
	}
	for text := range all {
		p, m := callpattern.Parse("@shell(" + text + ")")
		if m != nil {
			continue
		}
		q := parse(t, "@web("+text+")") // which knows no commands, only texts
		for i, c := range cases {
			want := slices.ContainsFunc(c.commands, func(command string) bool {
				web := fact.Call{Tool: "x", Class: fact.Web, Subject: command, Told: true}
				return q.Match(&web, fact.Place{}) == fact.True
			})
			call := fact.Call{Tool: "x", Class: fact.Shell, Command: c.line, Told: true}
			if got := p.Match(&call, places[i]); got != fact.Of(want) {
				t.Errorf("%v and %q: %v", p, c.line, got)
			}
		}
	}
}

// patternsOf returns patterns that match a command.
func patternsOf(command string) []string {
	half, third := len(command)/2, len(command)/3
	words := strings.Fields(command)
	first := strings.Join(words[:min(1, len(words))], "")
	return []string{command, command[:half] + "*", "*" + command[half:], "*" + command[third:2*third] + "*",
		command[:third] + "*" + command[2*third:], strings.Join(words, "*"), first + " *"}
}
