package fuzz

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
)

// script writes a command line from choices and notes, while it writes, which simple commands are in it. It
// shares no code with the package under test: it knows the commands because it has put them there.
type script struct {
	choices  []byte
	commands []string
}

// choose returns a number below n; 0 when the choices are used up, which ends every recursion.
func (s *script) choose(n int) int {
	if len(s.choices) == 0 {
		return 0
	}
	c := int(s.choices[0]) % n
	s.choices = s.choices[1:]
	return c
}

// piece is a part of a command line. A piece with a here-document must be followed by a newline.
type piece struct {
	text     string
	document bool
}

func (p piece) closed(end string) piece {
	if p.document {
		return piece{p.text + "\n" + end, false}
	}
	return piece{p.text + " ; " + end, false}
}

// list writes one to three pieces with what stands between commands.
func (s *script) list(depth int) piece {
	p := s.item(depth)
	for range s.choose(3) {
		next := s.item(depth)
		between := []string{"; ", " && ", " || ", " | ", "\n", " & ", ";", "&&", " |\n",
			" # git push\n"}[s.choose(10)]
		if p.document || strings.HasPrefix(next.text, "! ") { // no pipe goes into a negation
			between = "\n"
		}
		p = piece{p.text + between + next.text, next.document}
	}
	return p
}

func (s *script) item(depth int) piece {
	if depth == 0 {
		return s.command(0)
	}
	switch s.choose(16) {
	case 1:
		s.add("true")
		return piece{"( " + s.list(depth-1).closed("true )").text, false}
	case 2:
		return piece{"{ " + s.list(depth-1).closed("}").text, false}
	case 3:
		cond := s.list(depth - 1).closed("then ").text
		return piece{"if " + cond + s.list(depth-1).closed("fi").text, false}
	case 4:
		body := s.list(depth - 1).closed("done").text
		return piece{"for i in a 'b c'; do " + body, false}
	case 5:
		cond := s.list(depth - 1).closed("do ").text
		return piece{"while " + cond + s.list(depth-1).closed("done").text, false}
	case 6:
		return piece{"f() { " + s.list(depth-1).closed("}").text, false}
	case 7:
		body := s.list(depth - 1)
		if body.document {
			body.text += "\n"
		}
		return piece{"case $x in a|'b') " + body.text + " ;; esac", false}
	case 8:
		return s.shell(depth)
	case 9:
		s.add("cat")
		if s.choose(2) == 1 {
			s.add("git push")
			return piece{"cat <<EOF\ngit push $(git push) \"\nEOF", true}
		}
		return piece{"cat <<'EOF'\ngit push $(git push) \"\nEOF", true}
	case 10:
		return piece{"! ", false}.join(s.command(depth))
	default:
		return s.command(depth)
	}
}

func (p piece) join(q piece) piece { return piece{p.text + q.text, q.document} }

func (s *script) add(command string) { s.commands = append(s.commands, command) }

// wrappers are commands that run the command behind them.
var wrappers = []string{"sudo", "sudo -u bob", "sudo -E --", "sudo A=1", "env", "env -i A=1 B=2", "env -u A",
	"/usr/bin/time -f %e",
	"timeout 5", "timeout -s KILL 5s", "nice", "nice -n 10", "nohup", "command", "exec", "exec -a x", "xargs",
	"xargs -0 -n 1", "xargs -I {}", "/usr/bin/sudo -nu bob"}

// command writes a simple command, perhaps behind assignments and wrappers, with a redirection.
func (s *script) command(depth int) piece {
	text := []string{"", "", "", "A=1 ", "A='b c' B= "}[s.choose(5)]
	var before []string
	for range []int{0, 0, 1, 2}[s.choose(4)] {
		before = append(before, wrappers[s.choose(len(wrappers))])
	}
	words := []string{[]string{"git", "rm", "make", "./x.sh", "[", "echo"}[s.choose(6)]}
	source := words[0]
	if s.choose(6) == 5 {
		source = `"` + source + `"`
	}
	for range s.choose(4) {
		src, value := s.word(depth)
		source += []string{" ", "  ", "\t", " \\\n"}[s.choose(4)] + src
		words = append(words, value)
	}
	value := strings.Join(words, " ")
	for i := range before {
		s.add(strings.Join(before[i:], " ") + " " + value)
	}
	s.add(value)
	text += strings.Join(append(before, source), " ")
	return piece{text + []string{"", "", " > out", " 2>&1", " >> 'a b' < in"}[s.choose(5)], false}
}

// shell writes sh -c with a command line of its own.
func (s *script) shell(depth int) piece {
	call := []string{"sh -c", "bash -lc", "bash -euo pipefail -c", "/bin/zsh -c", "dash -x -c --"}[s.choose(5)]
	inner := s.list(depth - 1)
	s.add(call + " " + inner.text)
	return piece{call + " '" + strings.ReplaceAll(inner.text, "'", `'\''`) + "'", false}
}

// word writes a word and returns it as it is written and without its quotes.
func (s *script) word(depth int) (source, value string) {
	for range 1 + s.choose(3) {
		src, val := s.part(depth)
		source += src
		value += val
	}
	return source, value
}

func (s *script) part(depth int) (source, value string) {
	switch s.choose(10) {
	case 1:
		text := s.text()
		return "'" + strings.ReplaceAll(text, "'", "") + "'", strings.ReplaceAll(text, "'", "")
	case 2:
		text := s.text()
		return `"` + strings.NewReplacer("$", `\$`, "`", "\\`", `"`, `\"`, `\`, `\\`).Replace(text) + `"`, text
	case 3:
		c := []string{" ", ";", "$", "'", `"`, "(", "&", "#", `\`, "*"}[s.choose(10)]
		return `\` + c, c
	case 4:
		v := []string{"$HOME", "${x}", "${x:-y z}", "$((1 + 2))", "$@", "${a[0]}"}[s.choose(6)]
		return v, v
	case 5:
		return `"a $x b"`, "a $x b"
	case 6, 7:
		if depth == 0 {
			return "b", "b"
		}
		p := s.list(depth - 1)
		if p.document {
			p.text += "\n"
		}
		v := "$(" + p.text + ")"
		if strings.HasPrefix(p.text, "(") {
			v = "$( " + p.text + ")"
		}
		if s.choose(2) == 1 {
			return `"` + v + `"`, v
		}
		return v, v
	default:
		w := []string{"a", "-f", "--force", "x=1", "a/b.go", "{a,b}", "*.go", "push", "~/x",
			"a:b@c%d+e"}[s.choose(10)]
		return w, w
	}
}

// text returns a text of signs that mean something to a shell.
func (s *script) text() string {
	var b strings.Builder
	for range s.choose(6) {
		b.WriteString([]string{"a", " ", "  ", ";", "&&", "|", "$(git push)", "`", "'", `"`, `\`, "\n", "é",
			"(", "}", "#",
			"<<EOF", "git push"}[s.choose(18)])
	}
	return b.String()
}

// FuzzCommands: the simple commands of a command line are those that it was made of.
func FuzzCommands(f *testing.F) {
	random := uint32(1)
	for range 256 {
		choices := make([]byte, 96)
		for i := range choices {
			random = random*1664525 + 1013904223
			choices[i] = byte(random >> 24)
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		s := &script{choices: choices[:min(len(choices), 400)]}
		line := s.list(3).text
		if len(line) > callpattern.MaxLine {
			return // the engine looks into no such line
		}
		want, got := slices.Clone(s.commands), slices.Clone(callpattern.Commands(line))
		slices.Sort(want)
		slices.Sort(got)
		got, want = slices.Compact(got), slices.Compact(want)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%s\n%q\n%s", line, line, d)
		}
		found(t, line, got)
	})
}

// found fails if a pattern made of a command does not match the line that the command stands in: patterns
// look for their parts in the line before it is parsed.
func found(t *testing.T, line string, commands []string) {
	t.Helper()
	call := fact.Call{Tool: "Bash", Class: fact.Shell, Command: line, Told: true}
	for _, c := range commands[:min(len(commands), 8)] {
		third, word := len(c)/3, strings.IndexByte(c, ' ')
		for _, text := range []string{c, c[:third] + "*", "*" + c[third:2*third] + "*", "*" + c[third:],
			c[:third] + "*" + c[2*third:], c[:word+1] + "*"} {
			p, m := callpattern.Parse("@shell(" + text + ")")
			if m == nil && p.Match(&call, fact.Place{}) != fact.True {
				t.Fatalf("%q has the command %q, and %q does not match it", line, c, p)
			}
		}
	}
}

// FuzzCallPattern: a text is a pattern or has a mistake that lies in it; a fix removes its mistake; the
// canonical form stands for the same pattern; and what is said of two patterns holds for every call.
func FuzzCallPattern(f *testing.F) {
	for _, seed := range [][3]string{
		{"Bash(git push*)", "Bash(git*)", "cd a && git push"}, {"@edit(*.env)", "@edit({a,b}/**)", "a/x.env"},
		{"mcp__*", "mcp__fs__*", `{"a":1}`}, {"@shel", "@shell*", "x"}, {"Bash()", "(x)", ""}, {"@edit([a)",
			"@read(/etc/*)", "/etc/x"},
		{"*", "* (a)", "a\nb"}, {"@web(domain:x)", "@todo(x)", "x"}, {"@read(~/**)", "@read(../a)", "../a"},
		{"@edit(C:\\a\\*)", "Bash(ls:*)", "C:\\a\\b"}, {"X({a,{b,c}}d)", "X(a**)", "$(git push"},
		{":0", "Edit:a)", "a"}, {"Read,Bash(a(b)", "@edit(*.go), *,@shell(x,y)", "x,y"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	places := []fact.Place{{}, {Project: "/home/ann/app", Home: "/home/ann"},
		{Project: `C:\app`, Home: "C:/Users/ann"}}
	f.Fuzz(func(t *testing.T, first, second, subject string) {
		var patterns []*callpattern.Pattern
		for _, text := range []string{first, second} {
			p, m := callpattern.ParseList(text)
			if m != nil {
				mended(t, text, fact.NoClass, m)
				continue
			}
			again, m := callpattern.ParseList(p.String())
			if m != nil || again.String() != p.String() {
				t.Fatalf("%q is %q in canonical form, which is read as %v, %v", text, p, again, m)
			}
			for _, class := range append(fact.Classes(), fact.NoClass) {
				if m := p.Doubt(class); m != nil {
					mended(t, p.String(), class, m)
				}
			}
			patterns = append(patterns, p)
		}
		for _, a := range patterns {
			for _, b := range patterns {
				for _, call := range callsAbout(subject, a.Parts()[0].Name(), b.Parts()[0].Name()) {
					for _, at := range places {
						related(t, a, b, &call, at)
					}
				}
			}
		}
	})
}

// mended fails if the mistake lies outside the text or its fix leaves it as it is, of tools of that class.
func mended(t *testing.T, text string, class fact.Class, m *callpattern.Mistake) {
	t.Helper()
	if m.Offset < 0 || m.Length < 0 || m.Offset+m.Length > len(text) || m.Message == "" || m.Hint == "" {
		t.Fatalf("%q: %+v", text, m)
	}
	if !m.Replace {
		return
	}
	fixed := text[:m.Offset] + m.Fix + text[m.Offset+m.Length:]
	p, again := callpattern.ParseList(fixed)
	if again != nil && again.Kind == m.Kind {
		t.Fatalf("%q is mended to %q, which has the same mistake: %v", text, fixed, again)
	}
	if m.Kind == callpattern.Doubtful {
		if again != nil {
			t.Fatalf("%q is mended to %q: %v", text, fixed, again)
		}
		if d := p.Doubt(class); d != nil && d.Message == m.Message {
			t.Fatalf("%q is mended to %q, which is as doubtful: %v", text, fixed, d)
		}
	}
}

// callsAbout returns calls of all classes with one subject.
func callsAbout(subject string, names ...string) []fact.Call {
	var calls []fact.Call
	for _, class := range append(fact.Classes(), fact.NoClass) {
		for _, name := range append(names, "Bash", "") {
			c := fact.Call{Tool: strings.ReplaceAll(name, "*", "x"), Class: class}
			calls = append(calls, c)
			c.Told = true
			switch class {
			case fact.Shell:
				c.Command = subject
			case fact.Edit, fact.Read:
				c.Paths = []string{"a", subject}
			default:
				c.Subject = subject
			}
			calls = append(calls, c)
			if class == fact.NoClass {
				calls = append(calls, fact.Call{Tool: c.Tool, Command: subject, Told: true},
					fact.Call{Tool: c.Tool, Paths: []string{subject}, Told: true})
			}
		}
	}
	return calls
}

// related fails if what is said of a and b does not hold for the call.
func related(t *testing.T, a, b *callpattern.Pattern, c *fact.Call, at fact.Place) {
	t.Helper()
	x, y, either := a.Match(c, at), b.Match(c, at), fact.False
	for _, p := range a.Parts() {
		either = either.Or(p.Match(c, at))
	}
	single := len(a.Parts()) == 1
	switch {
	case x != either:
		t.Fatalf("%v is %v for %+v, and its parts are %v", a, x, c, either)
	case !a.Fits(c.Tool, c.Class) && x != fact.False,
		a.Fits(c.Tool, c.Class) && !a.Subject() && x != fact.True,
		single && a.Fits(c.Tool, c.Class) && a.Subject() && (x == fact.Unknown) == c.HasSubject():
		t.Fatalf("%v is %v for %+v", a, x, c)
	case x == fact.True && y != fact.True && callpattern.Implies(a, b):
		t.Fatalf("%v implies %v, but not for %+v in %+v", a, b, c, at)
	case x != fact.False && y != fact.False && callpattern.Disjoint(a, b):
		t.Fatalf("%v and %v are disjoint, but both may match %+v", a, b, c)
	}
}

// FuzzCommandText: every text has commands, the same each time.
func FuzzCommandText(f *testing.F) {
	for _, seed := range []string{
		"cd a && git push", "a <<EOF\nb", "((a; b) | c)", "sh -c 'sh -c \"a\"'", "a \\", "$'\\", "\x00", "a |& b",
		"`a \\`b\\``", "${a[$(b)]}", "let a=1 b", "declare -A a=([x]=1)", "coproc a { b; }", "a\r\nb", "a=(b c)",
		"case a in (b) c;; esac", "function f { a; }", "[[ a =~ (b) ]]", "for ((;;)); do a; done", "a{1..3}",
		"cat > f <<E\na\nE", "cd d && sed -i s/a/b/ f | tee g", "git mv a b; rm -r c; cp a b d/",
		"ls | xargs rm", "a 2>&1 >f",
	} {
		f.Add(seed, uint16(0))
	}
	f.Fuzz(func(t *testing.T, text string, times uint16) {
		if len(text) > 0 {
			text = strings.Repeat(text, 1+int(times)%(1+callpattern.MaxLine/len(text)))
		}
		commands := callpattern.Commands(text)
		if len(commands) == 0 || !slices.Equal(commands, callpattern.Commands(text)) {
			t.Fatalf("%q has the commands %q", text, commands)
		}
		found(t, text, commands)
		a, b := writesOf(text), writesOf("( "+text+"\n)")
		if !a.Edits && (a.Unsaid || len(a.Paths)+len(a.Written) > 0) {
			t.Fatalf("%q changes no file: %+v", text, a)
		}
		if d := cmp.Diff(a.Paths, b.Paths); d != "" && !a.Unsaid && !b.Unsaid && a.Edits && b.Edits &&
			!strings.ContainsAny(text, "\x00()\"'`$<\\#") {
			t.Fatalf("%q in a subshell changes others: %s", text, d)
		}
	})
}

// writesOf is a call of a shell with what its command line changes.
func writesOf(line string) fact.Call {
	c := fact.Call{Class: fact.Shell, Command: line, Told: true}
	callpattern.Writes(&c, path.Clean)
	return c
}
