package callpattern_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
)

var _ fact.Pattern = (*callpattern.Pattern)(nil)

func parse(t testing.TB, text string) *callpattern.Pattern {
	t.Helper()
	p, m := callpattern.ParseList(text)
	if m != nil {
		t.Fatalf("%s: %v", text, m)
	}
	return p
}

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Edit": "Edit", " Edit ": "Edit", "mcp__**": "mcp__*", "*": "*", "@shell": "@shell",
		"a.b/c:d-e":  "a.b/c:d-e",
		"@shell( x)": "@shell( x)", "Bash (git push*)": "Bash(git push*)", "Bash(echo (a))": "Bash(echo (a))",
		"@edit(a/**)": "@edit(a/**)", "*(x)": "*(x)", "Bash(a**)": "Bash(a**)", "WebFetch(é)": "WebFetch(é)",
		"Read, @shell(a,b) ,Edit": "Read,@shell(a,b),Edit", "Read,Bash(a(b)": "Read,Bash(a(b)",
		"Bash(a), b)": "Bash(a), b)",
	} {
		p := parse(t, text)
		if p.String() != want {
			t.Errorf("Parse(%q) = %v, want %s", text, p, want)
		}
		if again := parse(t, p.String()); !callpattern.Equal(p, again) {
			t.Errorf("%v is read as %v", p, again)
		}
	}
}

func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		kind  callpattern.Fault
		place string // the text that the mistake covers
		words string // in message or hint
		fixed string // the text with the fix; "" for none
	}{
		{"@shel", callpattern.UnknownClass, "@shel", "did you mean @shell?", "@shell"},
		{"@Shell(git*)", callpattern.UnknownClass, "@Shell", "did you mean @shell?", "@shell(git*)"},
		{" @bash", callpattern.UnknownClass, "@bash", "did you mean @shell?", " @shell"},
		{"@write", callpattern.UnknownClass, "@write", "did you mean @edit?", "@edit"},
		{"@shell*", callpattern.UnknownClass, "@shell*", "no wildcard", "@shell"},
		{"@foo", callpattern.UnknownClass, "@foo", "@shell, @edit, @read, @search, @web, @todo, @task", ""},
		{"Read, @shel(x)", callpattern.UnknownClass, "@shel", "did you mean @shell?", "Read, @shell(x)"},
		{"Read,,Edit", callpattern.NoName, "", "names no tool", ""},
		{"Read,", callpattern.NoName, "", "names no tool", ""},
		{"@", callpattern.UnknownClass, "@", "names no class", ""},
		{"@*", callpattern.UnknownClass, "@*", "no wildcard", ""},
		{"", callpattern.NoName, "", "names no tool", ""},
		{"  ", callpattern.NoName, "", "names no tool", ""},
		{"(git push)", callpattern.NoName, "(", "names no tool", ""},
		{"Bash()", callpattern.NoSubject, "()", "write Bash for every call", "Bash"},
		{"@shell( )", callpattern.NoSubject, "( )", "a pattern for the command", "@shell"},
		{"Bash(git push", callpattern.Unbalanced, "(", "never closed", ""},
		{"Bash(", callpattern.Unbalanced, "(", "never closed", ""},
		{"Bash(a)b", callpattern.Unbalanced, "b", "follows the closing parenthesis", ""},
		{"Bash)", callpattern.Unbalanced, ")", "cannot hold", ""},
		{"Ba\nsh", callpattern.Unbalanced, "\n", "cannot hold", ""},
		{"B\xff", callpattern.NoName, "B\xff", "UTF-8", ""},
		{"B(\xff)", callpattern.NoSubject, "\xff", "UTF-8", ""},
		{"@edit([a)", callpattern.BadGlob, "[a", "never closed", ""},
		{"@read(a{b)", callpattern.BadGlob, "a{b", "never closed", ""},
		{strings.Repeat("a", 1025), callpattern.TooLong, strings.Repeat("a", 1025), "1024", ""},
	} {
		p, m := callpattern.ParseList(c.text)
		if m == nil || p != nil {
			t.Errorf("%.40q: %v, no mistake", c.text, p)
			continue
		}
		if m.Kind != c.kind || !strings.Contains(m.Error(), c.words) {
			t.Errorf("%.40q: %d, %v", c.text, m.Kind, m)
		}
		if m.Offset < 0 || m.Offset > len(c.text) {
			t.Fatalf("%.40q: the mistake stands at %d", c.text, m.Offset)
		}
		if place := c.text[m.Offset:min(m.Offset+m.Length, len(c.text))]; place != c.place {
			t.Errorf("%.40q: the mistake stands at %q", c.text, place)
		}
		if c.fixed != "" != m.Replace {
			t.Errorf("%.40q: fix %v", c.text, m.Replace)
		} else if m.Replace && c.text[:m.Offset]+m.Fix+c.text[m.Offset+m.Length:] != c.fixed {
			t.Errorf("%.40q: the fix is %q", c.text, m.Fix)
		}
	}
	parse(t, strings.Repeat("a", 1024))
}

func TestNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern string
		match   []string
		not     []string
	}{
		{"Bash", []string{"Bash"}, []string{"bash", "Bash2", "", "@shell"}},
		{"mcp__*", []string{"mcp__", "mcp__fs__read"}, []string{"xmcp__", "mcp_"}},
		{"*", []string{"Bash", "", "a(b"}, nil},
		{"mcp__*__read", []string{"mcp__fs__read", "mcp____read"}, []string{"mcp__read", "mcp__fs__read2"}},
		{"*a*b*", []string{"ab", "xaxbx"}, []string{"ba"}},
		{"a.c", []string{"a.c"}, []string{"abc"}},
	} {
		p := parse(t, c.pattern)
		for want, names := range map[fact.Truth][]string{fact.True: c.match, fact.False: c.not} {
			for _, name := range names {
				if got := p.Match(&fact.Call{Tool: name}, linux); got != want {
					t.Errorf("%v: %q is %v", p, name, got)
				}
			}
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	shell := fact.Call{Tool: "Bash", Class: fact.Shell, Command: "cd a && git push -f", Told: true}
	untold := fact.Call{Tool: "Bash", Class: fact.Shell}
	web := fact.Call{Tool: "WebFetch", Class: fact.Web, Subject: "https://example.com/a?b", Told: true}
	todo := fact.Call{Tool: "TodoWrite", Class: fact.Todo}
	merge := fact.Call{Tool: "mcp__github__merge_pr", Subject: `{"base":"main","n":1}`, Told: true}
	run := fact.Call{Tool: "run", Command: "sudo git push", Told: true}
	save := fact.Call{Tool: "save", Paths: []string{"x/a.env"}, Told: true}
	for _, c := range []struct {
		pattern string
		call    fact.Call
		want    fact.Truth
	}{
		{"Bash(git push*)", shell, fact.True},
		{"Bash(git push)", shell, fact.False},
		{"Bash(cd a && git push -f)", shell, fact.False},
		{"@shell(*push*)", shell, fact.True},
		{"@edit(*push*)", shell, fact.False},
		{"*(cd *)", shell, fact.True},
		{"Bash(*)", shell, fact.True},
		{"Bash(git push*)", untold, fact.Unknown},
		{"Bash(*)", untold, fact.True},
		{"Bash", untold, fact.True},
		{"@shell", untold, fact.True},
		{"Edit(git push*)", untold, fact.False},
		{"@edit(git push*)", untold, fact.False},
		{"WebFetch(*example.com*)", web, fact.True},
		{"@web(https://example.com/a?b)", web, fact.True},
		{"@web(example.com)", web, fact.False},
		{"@web(https://example.com/a.b)", web, fact.False},
		{"TodoWrite(*)", todo, fact.True},
		{"TodoWrite(x)", todo, fact.False},
		{"@todo", todo, fact.True},
		{`mcp__github__merge*(*"base":"main"*)`, merge, fact.True},
		{`mcp__github__merge*(*"base":"dev"*)`, merge, fact.False},
		{"run(git push)", run, fact.True},
		{"@shell(git push)", run, fact.False},
		{"save(*.env)", save, fact.True},
		{"save(x/*)", save, fact.True},
		{"save(*.go)", save, fact.False},
		{"Read,@shell(git push*)", shell, fact.True},
		{"Read,Edit", shell, fact.False},
		{"Read,Bash(git push*)", untold, fact.Unknown},
		{"Bash,Bash(git push*)", untold, fact.True},
	} {
		p := parse(t, c.pattern)
		if got := p.Match(&c.call, linux); got != c.want {
			t.Errorf("%v: %s is %v, want %v", p, c.call.Tool, got, c.want)
		}
	}
}

// TestConcurrent: many patterns ask one frame for the commands of the same lines; run it with -race.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	f := fact.Builtin().NewFrame()
	calls := []fact.Call{{Tool: "Bash", Class: fact.Shell, Command: "a; b", Told: true},
		{Tool: "Bash", Class: fact.Shell, Command: "c | d", Told: true}}
	f.SetCalls(calls)
	var wg sync.WaitGroup
	for _, text := range []string{"Bash(a)", "Bash(b)", "Bash(c)", "Bash(d)"} {
		p := parse(t, text)
		wg.Go(func() {
			n := 0
			for i := range calls {
				if p.Match(&calls[i], f.Place()) == fact.True {
					n++
				}
			}
			if n != 1 {
				t.Errorf("%v matches %d calls", p, n)
			}
		})
	}
	wg.Wait()
}

func TestDoubts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Bash(git push:*)":             "Bash(git push*)",
		"WebFetch(domain:example.com)": "WebFetch(*example.com*)",
		"@edit(db/)":                   "@edit(db/**)",
		"@todo(x)":                     "@todo",
		"@shell(/git push/)":           "@shell(*git push*)",
		"@shell(git push.*)":           "@shell(git push*)",
		"Edit:*.go":                    "Edit(*.go)",
		"mcp:github:x":                 "mcp__github__x",
		"mcp.github.x":                 "mcp__github__x",
		"Bash( git push )":             "Bash(git push)",
		`@edit(src\*.go)`:              "@edit(src/*.go)",
		`@edit(src\b.go)`:              "@edit(src/b.go)",
		"git push":                     "@shell(git push*)",
		"@edit(../x/*)":                "",
		"@edit({a,../b/c})":            "",
		"@edit(^.*sql)":                "",
		"@edit(.*$)":                   "",
		"@shell(^git push)":            "",
		`@shell(\bgit\b)`:              "",
		`@shell("git push")`:           "@shell(git push)",
		"@edit('*.env')":               "@edit(*.env)",
		"@edit(*.ts, *.js)":            "@edit({*.ts,*.js})",
		"@shell(git push*,git pull*)":  "",
		"@shell(git push|git merge)":   "",
		"*.go":                         "@edit(*.go)",
		"rm":                           "@shell(rm *)",
		"Bash=git":                     "",
		"Edit>3":                       "",
		"src/*.go":                     "@edit(src/*.go)",
		"@shell(git add * && git *)":   "",
		"@shell(cat a | tee b)":        "",
		"@shell(cd a; ls)":             "",
		"@shell(echo * > *.env)":       "",
	} {
		p := parse(t, text)
		m := p.Doubt(fact.NoClass)
		if m == nil || m.Offset < 0 || m.Offset+m.Length > len(text) {
			t.Errorf("%v: %v", p, m)
			continue
		}
		if m.Replace != (want != "") || m.Replace && text[:m.Offset]+m.Fix+text[m.Offset+m.Length:] != want {
			t.Errorf("%v: %v, fix %q", p, m, m.Fix)
		}
	}
	for _, text := range []string{"Bash", "Bash(git push*)", "Bash(docker run -v /a:*)", "Bash(npm run test:*)",
		"WebFetch(https:*)", "@web(https:*)", "@shell(grep foo$ *)", "@edit(db/**)",
		"@edit(*.env)",
		`@shell(find . -exec rm {} \;)`, "@shell(grep a|b *)", "@shell(sort -k1,2 *)", "@shell(awk {a;b})",
		"mcp__a.b", "mcp__*.go", "functions.*", "*.*", "*.",
		"@edit(*.c,v)", "@edit({*.a,*.b})", `@search("x")`, `@shell("a" "b")`, "@search( x)",
		"@edit(/a/b)", "@edit(~/x)", `@edit(C:\a\*)`, "@todo", "WebFetch(*example.com*)"} {
		if m := parse(t, text).Doubt(fact.NoClass); m != nil {
			t.Errorf("%s: %v", text, m)
		}
	}
}

func TestRelations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b              string
		implies, disjoint bool
	}{
		{"Bash", "Bash", true, false},
		{"Bash", "*", true, false},
		{"*", "Bash", false, false},
		{"Bash", "Edit", false, true},
		{"mcp__fs__*", "mcp__*", true, false},
		{"mcp__*", "mcp__fs__*", false, false},
		{"mcp__a*", "mcp__b*", false, true},
		{"*_a", "*_b", false, true},
		{"Bash", "B*h", true, false},
		{"Bash(git push*)", "Bash", true, false},
		{"Bash", "Bash(*)", true, false},
		{"@shell(git push*)", "@shell(git*)", true, false},
		{"@shell(git push*)", "@shell(git pull*)", false, false},
		{"@shell(git*)", "@shell(git push*)", false, false},
		{"@shell", "@read", false, true},
		{"@shell(x)", "*", true, false},
		{"@shell", "Bash", false, false},
		{"Bash", "@shell", false, false},
		{"@edit(*.env)", "@edit(*)", true, false},
		{"@edit(a.env)", "@edit(*.env)", true, false},
		{"@edit(*.env)", "@edit(prod.env)", false, false},
		{"@edit(db/*.sql)", "@edit(db/**)", false, false}, // it does, but is not known
		{"@edit(db/*.sql)", "@edit(**/*)", false, false},
		{"@edit({a,b}.go)", "@edit(*.go)", true, false},
		{"@edit([ab].go)", "@edit([ab].go)", true, false},
		{"Bash(git push)", "Bash(git*)", true, false},
		{"Bash", "Read,Bash", true, false},
		{"Read,Bash", "Bash", false, false},
		{"Read,Bash(x)", "Bash,Read", true, false},
		{"Read,Bash", "Edit,Write", false, true},
		{"Bash(a/b)", "Bash(a*)", false, false}, // not as files
	} {
		a, b := parse(t, c.a), parse(t, c.b)
		if got := callpattern.Implies(a, b); got != c.implies {
			t.Errorf("Implies(%v, %v) = %v", a, b, got)
		}
		if got := callpattern.Disjoint(a, b); got != c.disjoint || got != callpattern.Disjoint(b, a) {
			t.Errorf("Disjoint(%v, %v) = %v", a, b, got)
		}
	}
}
