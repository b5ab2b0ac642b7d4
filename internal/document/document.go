package document

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// Limits of a rule file (LANGUAGE.md §2). They stand before the YAML library, which is quadratic or recursive
// without them.
const (
	limitFile  = 256 << 10
	limitFront = 16 << 10
	// keys, list items and comments of a file: the YAML library's memory grows with them
	limitEntries    = 40_000
	limitKeys       = 1000 // keys of one mapping; a reminder has sixteen
	limitNesting    = 64
	limitWholeValue = 1<<31 - 1
)

// Keys returns the keys of a reminder, in the order of LANGUAGE.md §3. The caller may keep it.
func Keys() []string { return slices.Clone(keyNames) }

// ScheduleKeys returns the keys of a schedule. The caller may keep it.
func ScheduleKeys() []string { return slices.Clone(scheduleKeys) }

// ScheduleKinds returns the kinds of a schedule. The caller may keep it.
func ScheduleKinds() []string { return slices.Clone(scheduleKinds) }

// syntaxOf returns the syntax of a file by its name: ".md" or ".yaml"; "" where it is not a rule file.
func syntaxOf(file string) string {
	switch ext := path.Ext(baseName(file)); ext {
	case ".md", ".yaml":
		return ext
	case ".yml":
		return ".yaml"
	}
	return ""
}

// IsRuleFile reports whether a file of a directory is a rule file by its name, which ends in .md, .yaml or
// .yml. The names of editors' temporary files begin with a dot; those are not.
func IsRuleFile(file string) bool {
	return syntaxOf(file) != "" && !strings.HasPrefix(baseName(file), ".")
}

// IsTest reports whether a file is a rule test: its name ends in _test.yaml or _test.yml, and it has the key
// tests, which no reminder has. src and ds are the bytes of the file and the diagnostics of Read.
func IsTest(file string, src []byte, ds grammar.Diagnostics) bool {
	if !strings.HasSuffix(file, "_test.yaml") && !strings.HasSuffix(file, "_test.yml") {
		return false
	}
	return slices.ContainsFunc(ds, func(d grammar.Diagnostic) bool {
		from, to := d.Range.Start.Offset, d.Range.End.Offset
		if d.Code != code.UnknownKey || from < 0 || from >= to || to > len(src) {
			return false
		}
		return strings.Trim(string(src[from:to]), `"'`) == "tests"
	})
}

// Read reads the reminders of one rule file (LANGUAGE.md §3): one from Markdown (.md) or YAML (.yaml, .yml),
// or those of a YAML list under "reminders:". It finds everything that is wrong with the file but for
// triggers and templates, which are left to compile.New. A reminder with an error comes back Faulty, if so
// much as its id can be read: New looks at the rest of it and leaves it out, and the others of the file stay.
// The text of a reminder has "\n" line ends, no blank lines at its front and no white space at its end. src
// is not kept and file is not opened.
func Read(file string, src []byte) ([]compile.Source, grammar.Diagnostics) {
	rs, d := readDocument(file, src)
	d.ds.Sort()
	return rs, d.ds
}

func readDocument(file string, src []byte) ([]compile.Source, *decoder) {
	d := &decoder{page: newPage(file, src)}
	if !d.fits(limitFile) {
		return nil, d
	}
	if syntaxOf(file) != "" && (d.marked() || d.loneReturn()) {
		return nil, d
	}
	switch syntaxOf(file) {
	case ".md":
		return d.markdown(), d
	case "":
		message := fmt.Sprintf("%q is not a rule file by its name", baseName(file))
		d.add(code.NotRuleFile, d.page.between(0, 0), message, "name it .md, .yaml or .yml")
		return nil, d
	}
	d.to = len(d.page.text)
	if !d.legible() {
		return nil, d
	}
	root := d.read()
	if d.ds.HasErrors() {
		return nil, d
	}
	if list, ok := d.list(root); ok {
		return list, d
	}
	it := item{d: d, id: stem(file), text: noBody}
	if r, ok := it.read(root); ok {
		return []compile.Source{r}, d
	}
	return nil, d
}

// baseName is the name of a file without its directory, on any machine alike.
func baseName(file string) string { return file[strings.LastIndexAny(file, `/\`)+1:] }

// stem is the name of a file without directory and extension.
func stem(file string) string {
	name := baseName(file)
	return strings.TrimSuffix(name, path.Ext(name))
}

const fence = "---"

// isFence reports whether a line opens or closes a front matter.
func isFence(line string) bool { return strings.TrimRight(line, " \t") == fence }

func (d *decoder) markdown() []compile.Source {
	from, to, bodyFrom, ok := d.page.front()
	if !ok {
		if !d.legible() || d.lateFront() {
			return nil
		}
		it := item{d: d, id: stem(d.page.file), text: span{0, len(d.page.text)}}
		return it.alone(nil)
	}
	d.from, d.to = from, to
	if bodyFrom < 0 {
		if d.legible() {
			d.unclosed()
		}
		return nil
	}
	if d.to-d.from > limitFront {
		d.add(code.LargeFile, d.page.between(0, len(fence)),
			fmt.Sprintf("the front matter has %d bytes, and %d are allowed", d.to-d.from, limitFront),
			"move text into the body")
		return nil
	}
	if !d.legible() {
		return nil
	}
	root := d.read()
	if d.ds.HasErrors() || d.secondBlock(bodyFrom) {
		return nil
	}
	it := item{d: d, id: stem(d.page.file), text: span{bodyFrom, len(d.page.text)}, front: true}
	return it.alone(root)
}

// unclosed reports a front matter without its closing line. It should have been closed before the first line
// that cannot be part of it.
func (d *decoder) unclosed() {
	text := d.page.text
	x := d.add(code.UnclosedFrontMatter, d.page.between(0, len(fence)), "the front matter is not closed",
		"put a line `---` between the keys and the text")
	for from, to := range d.page.lines(d.from, len(text)) {
		if line := text[from:to]; line != "" && line[0] != ' ' && line[0] != '#' &&
			(line[0] != '-' || strings.HasPrefix(line, fence)) {
			if _, ok := d.keyLine(from, to); !ok {
				if strings.Trim(line, "- \t") == "" {
					x.Fix = d.edit(from, to, fence)
					return
				}
				x.Fix = d.edit(from, from, fence+"\n")
				return
			}
		}
	}
	at := len(text)
	edit := fence + "\n"
	if !strings.HasSuffix(text, "\n") {
		edit = "\n" + edit
	}
	x.Fix = d.edit(at, at, edit)
}

// list reads the reminders of a file that holds a list of them; ok is false when root is no such file.
func (d *decoder) list(root *yaml.Node) (rs []compile.Source, ok bool) {
	if root == nil || root.Kind != yaml.MappingNode {
		return nil, false
	}
	var list *yaml.Node
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Kind == yaml.ScalarNode && root.Content[i].Value == "reminders" && list == nil {
			list = root.Content[i+1]
		}
	}
	if list == nil {
		return nil, false
	}
	d.flow = root.Style&yaml.FlowStyle != 0
	// a mistake beside the list does not change the list
	d.pairs(root, []string{"reminders"}, "a file with a list of reminders")
	return d.items(list), true
}

// YAML is a YAML file of a person's, other than a rule file, with the places of its nodes. It must not be
// used concurrently.
type YAML struct {
	Root *yaml.Node // nil where the file is empty, or cannot be read
	d    *decoder
}

// ReadYAML reads a YAML file of at most most bytes, and says why it cannot be read: under the code id, but
// for characters that nobody can see.
func ReadYAML(file string, src []byte, most int, id grammar.Code) (*YAML, grammar.Diagnostics) {
	y := &YAML{d: &decoder{page: newPage(file, src)}}
	y.d.to = len(y.d.page.text)
	if y.d.fits(most) && y.d.legible() && !y.d.marked() && !y.d.loneReturn() {
		y.Root = y.d.read()
	}
	for i := range y.d.ds {
		x := &y.d.ds[i]
		if x.Code == code.SeveralDocuments {
			x.Message, x.Hint = "a second document in one file", ""
		}
		if x.Code != code.FileBytes {
			x.Code = id
		}
	}
	return y, y.d.ds
}

// Where returns where a node stands; for a list and a mapping that is its first character.
func (y *YAML) Where(n *yaml.Node) grammar.Range {
	if n.Kind == yaml.ScalarNode {
		return y.d.where(n)
	}
	from := y.d.start(n)
	return y.d.page.between(from, min(from+1, y.d.to))
}

// ReadList reads the items of a list of reminders inside another YAML file, such as a rule test. node is
// the list, and src the whole file. Every item needs an id. The results are those of Read.
func ReadList(file string, node *yaml.Node, src []byte) ([]compile.Source, grammar.Diagnostics) {
	d := &decoder{page: newPage(file, src)}
	d.to = len(d.page.text)
	rs := d.items(node)
	d.ds.Sort()
	return rs, d.ds
}

func (d *decoder) items(list *yaml.Node) []compile.Source {
	flow := d.flow
	defer func() { d.flow = flow }()
	if !d.unnamed(list, "reminders") {
		return nil
	}
	if list.Kind != yaml.SequenceNode {
		d.add(code.YAMLShape, d.where(list), "`reminders` must be a list", "begin each reminder with `- id: NAME`")
		return nil
	}
	d.flow = d.flow || list.Style&yaml.FlowStyle != 0
	rs := make([]compile.Source, 0, len(list.Content))
	first := make(map[string]int, len(list.Content))
	for _, n := range list.Content {
		it := item{d: d, text: noBody, inList: true}
		r, ok := it.read(n)
		switch {
		case !ok:
			continue
		case r.Faulty:
			rs = append(rs, r)
			continue
		}
		if line, taken := first[r.ID]; taken {
			d.add(code.TakenID, r.Place("id"),
				fmt.Sprintf("duplicate id %q: it is taken by the reminder in line %d", r.ID, line), "give it another id")
			continue
		}
		first[r.ID] = r.Place("id").Start.Line
		rs = append(rs, r)
	}
	return rs
}
