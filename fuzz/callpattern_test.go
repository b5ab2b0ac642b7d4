package fuzz

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/internal/callpattern"
)

// script writes a command line from choices and notes, while it writes, which simple commands are in it. It
// shares no code with the package under test: it knows the commands because it has put them there.
type script struct {
	choices  []byte
	commands []string
	size     int
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
		return piece{"cat <<'EOF'\ngit push $(git push) \"\nEOF", true}
	case 10:
		return piece{"! ", false}.join(s.command(depth))
	default:
		return s.command(depth)
	}
}

func (p piece) join(q piece) piece { return piece{p.text + q.text, q.document} }

func (s *script) add(command string) {
	s.commands = append(s.commands, command)
	s.size += len(command)
}

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
	if strings.Count(strings.Join(s.commands, ""), "'") > 200 {
		return s.command(depth) // each level of quotes is four times as long
	}
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
	for seed := range byte(64) {
		choices := make([]byte, 96)
		for i := range choices {
			choices[i] = byte(i*i*31+7*i) * (2*seed + 1)
		}
		f.Add(choices)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		s := &script{choices: choices[:min(len(choices), 400)]}
		line := s.list(3).text
		if len(line) > callpattern.MaxLine {
			t.Skip()
		}
		want, got := slices.Clone(s.commands), slices.Clone(callpattern.Commands(line))
		slices.Sort(want)
		slices.Sort(got)
		got, want = slices.Compact(got), slices.Compact(want)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%s\n%q\n%s", line, line, d)
		}
	})
}
