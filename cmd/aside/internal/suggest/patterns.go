package suggest

import (
	"bytes"
	"embed"
	"path"
	"slices"
	"strings"
	"text/template"

	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
)

//go:embed patterns
var patterns embed.FS

// testCommands are the beginnings of commands that run tests. Of the words of a person's commands, only these
// and programs stand in a proposal.
var testCommands = lines("tests.txt")

// programs are the programs of which a proposal may say that they fail.
var programs = lines("programs.txt")

// lines returns the lines of a file of the patterns.
func lines(name string) []string {
	text, err := patterns.ReadFile("patterns/" + name)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// candidate is a rule that may be proposed, with its rule test.
type candidate struct {
	id         string
	reading    bool // what it costs are turns that read files again
	program    bool // it stands for general, if most failing commands are of its program
	rule, test []byte
	source     compile.Source
}

// candidates returns the rules that may be proposed to a person whose agents run these tests: of two that
// could stand for each other, the narrower one first.
func candidates(tests []string) []*candidate {
	var all []*candidate
	if len(tests) > 0 {
		all = append(all, made("test-before-end", "test-before-end", tests))
	}
	for _, p := range programs {
		c := made("failing-"+p, "failing", p)
		c.program = true
		all = append(all, c)
	}
	again := made("reading-again", "reading-again", nil)
	again.reading = true
	return append(all, made(general, general, nil), again, made("todo-list", "todo-list", nil),
		made("force-after-failure", "force-after-failure", nil))
}

// general is the candidate for failing commands of any name.
const general = "failing-commands"

// made returns the candidate that a pattern makes of data.
func made(id, pattern string, data any) *candidate {
	c := &candidate{id: id, rule: filled(pattern+".md", data), test: filled(pattern+"_test.yaml", data)}
	var ds grammar.Diagnostics
	c.rule, ds = document.Format(id+".md", c.rule)
	rs, more := document.Read(id+".md", c.rule)
	if len(ds)+len(more) > 0 || len(rs) != 1 {
		panic(append(ds, more...)) // the patterns are part of the program, as TestProposals checks
	}
	c.source = rs[0]
	return c
}

// filled returns a file of a pattern for data.
func filled(name string, data any) []byte {
	text, err := patterns.ReadFile(path.Join("patterns", name))
	var b bytes.Buffer
	if err == nil {
		err = template.Must(template.New(name).Delims("[[", "]]").Parse(string(text))).Execute(&b, data)
	}
	if err != nil {
		panic(err) // the patterns are part of the program, as TestProposals checks
	}
	return b.Bytes()
}

// files returns the files of the candidate, to be written below the .aside directory.
func (c *candidate) files() []starter.File {
	return []starter.File{{Name: path.Join(starter.Dir, c.id+".md"), Text: c.rule},
		{Name: path.Join(starter.Tests, c.id+"_test.yaml"), Text: c.test}}
}

// mostUsed returns those of testCommands that ran, as often as runs says, most often first; at most four.
func mostUsed(runs []int) (used []string) {
	var at []int
	for i, n := range runs {
		if n > 0 {
			at = append(at, i)
		}
	}
	slices.SortStableFunc(at, func(a, b int) int { return runs[b] - runs[a] })
	for _, i := range at[:min(len(at), 4)] {
		used = append(used, testCommands[i])
	}
	return used
}
