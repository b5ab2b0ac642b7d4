package layout

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aside-go/aside/internal/test/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// programs are the programs of the tree that have commands.
var programs = []string{"aside", "asided"}

// unlisted are flags that exist, and that no help lists.
var unlisted = map[string]string{
	"--version": "the same as the command version",
	"--store":   "the older name of --state",
}

var (
	flagNamed     = regexp.MustCompile(`(?:^|[ (\["])(--?[a-z][a-z-]*)`)
	lowerWord     = regexp.MustCompile(`^[a-z][a-z-]*$`)
	quotedCommand = regexp.MustCompile(`"(asided? [^"]+)"`)
	example       = regexp.MustCompile(`\n    (asided? .+)`) // in a help
	listed        = regexp.MustCompile(`(?m)^  ([a-z]+(?: [a-z]+)?)  `)
)

// command is a command that a span names: a program, and what stands behind it.
type command struct{ program, words string }

// helps remembers what each program says of its commands.
var helps sync.Map

// help returns what a program says of a command; "" where it has no such command.
func (c command) help(t *testing.T) string {
	t.Helper()
	if text, ok := helps.Load(c); ok {
		return text.(string)
	}
	args := append(strings.Fields(c.words), "--help")
	if first := args[0]; first == "help" || first == "hook" { // a hook that explained itself would tell an agent
		args = strings.Fields("help " + strings.TrimPrefix(c.words, "help "))
	}
	if c.words == "" {
		args = []string{"help", "--all"}
	}
	cmd := exec.Command(testkit.Built(t, c.program), args...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + cmd.Dir, "NO_COLOR=1"}
	out, err := cmd.Output()
	if err != nil {
		out = nil
	}
	helps.Store(c, string(out))
	return string(out)
}

// below returns the commands below a command.
func (c command) below(t *testing.T) (all []command) {
	t.Helper()
	for _, m := range listed.FindAllStringSubmatch(c.help(t), -1) {
		sub := command{c.program, m[1]}
		all = append(append(all, sub), sub.below(t)...)
	}
	return all
}

// has reports whether the help of a command, or of its program, lists a flag.
func (c command) has(t *testing.T, flag string) bool {
	t.Helper()
	name := strings.TrimPrefix(strings.TrimPrefix(flag, "--"), "no-")
	lists := regexp.MustCompile(`(?m)^ +(?:-\w, +)?(?:` + flag + `|--\[no-\]` + name + `)\b`)
	return lists.MatchString(c.help(t)) || lists.MatchString(command{program: c.program}.help(t))
}

// commandOf returns the command with which a span begins, if it is one of ours: behind the name of its
// program, or with a flag behind its own name.
func commandOf(t *testing.T, span string) (command, bool) {
	t.Helper()
	words := strings.Fields(span)
	bare := !slices.Contains(programs, words[0])
	c := command{program: words[0]}
	if !bare {
		words = words[1:]
	}
	n := 0
	for n < len(words) && lowerWord.MatchString(words[n]) {
		n++
	}
	c.words = strings.Join(words[:n], " ")
	if !bare {
		return c, true
	}
	if n == 0 || n == len(words) || !strings.HasPrefix(words[n], "-") {
		return c, false
	}
	for _, c.program = range programs {
		if c.help(t) != "" {
			return c, true
		}
	}
	return c, false
}

// TestCommands: each command that a page, a comment, or an example of a help names is one that its program
// explains, and each flag beside it is one that the help of the command lists. In a page a flag that stands
// alone belongs to the command of its row, and outside of rows about commands to any.
func TestCommands(t *testing.T) {
	if !testkit.Thorough() {
		t.Skip("with -long: it builds the programs, and asks each command for its help")
	}
	t.Parallel()
	var all []command
	for _, program := range programs {
		all = append(all, command{program: program}.below(t)...)
	}
	found := 0
	check := func(where, text string, alone bool) {
		for _, par := range paragraphs(text) {
			var flags []string
			of, row := all, strings.HasPrefix(par, "| `")
			for i, span := range spans(par) {
				c, ours := commandOf(t, span)
				switch {
				case ours && c.help(t) == "":
					t.Errorf("%s names %s, and %s has no such command", where, span, c.program)
				case ours:
					found++
					if row && i == 0 {
						c.words, _, _ = strings.Cut(c.words, " ")
						of = append(c.below(t), c)
					}
					for _, m := range flagNamed.FindAllStringSubmatch(span, -1) {
						if !c.has(t, m[1]) && unlisted[m[1]] == "" {
							t.Errorf("%s names %s, and its help lists no %s", where, span, m[1])
						}
					}
				case alone && strings.HasPrefix(span, "--") && !strings.HasPrefix(span, "--aside-"): // names of CSS
					for _, m := range flagNamed.FindAllStringSubmatch(span, -1) {
						flags = append(flags, m[1])
					}
				}
			}
			for _, f := range flags {
				found++
				if unlisted[f] == "" && !slices.ContainsFunc(of, func(c command) bool { return c.has(t, f) }) {
					t.Errorf("%s names %s, which its command lacks", where, f)
				}
			}
		}
	}
	for name, text := range pages(t) {
		check(name, text, !ofOthers(name))
	}
	comments(t, func(where, text string) {
		check(where, quotedCommand.ReplaceAllString(text, "`$1`"), false)
	})
	for _, c := range all {
		check(c.program+" "+c.words+" --help", example.ReplaceAllString(c.help(t), "\n`$1`"), false)
	}
	if found < 300 {
		t.Errorf("only %d commands and flags are found", found)
	}
}

// TestCommandsTold: CLI.md of each program has each of its commands in a row.
func TestCommandsTold(t *testing.T) {
	if !testkit.Thorough() {
		t.Skip("with -long, as TestCommands")
	}
	t.Parallel()
	for _, program := range programs {
		page := "cmd/" + program + "/CLI.md"
		told := map[string]bool{}
		for line := range strings.Lines(pages(t)[page]) {
			cell, _, _ := strings.Cut(line, " | ")
			for _, span := range spans(cell) {
				if words := strings.Fields(span); strings.HasPrefix(line, "| `"+program+" ") && len(words) > 1 {
					told[words[1]] = true
				}
			}
		}
		for _, c := range (command{program: program}).below(t) {
			if word, _, _ := strings.Cut(c.words, " "); !told[word] {
				t.Errorf("%s lacks %s %s", page, program, word)
			}
		}
	}
}

// TestPrograms: the list of programs has each of cmd that has commands.
func TestPrograms(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", "cmd", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if p := filepath.Base(filepath.Dir(name)); bytes.Contains(src, []byte("program.Program")) &&
			!slices.Contains(programs, p) {
			t.Errorf("%s has commands", p)
		}
	}
}
