// Package importer makes rule files of the rules of other tools: those of the hookify plugin of Claude Code,
// lists of reminders in YAML or JSON with a schedule, and rules of Cursor, Windsurf, Kiro, Claude Code,
// Copilot and others that are about files or always hold. It says, by line, what of each it could not take.
// The files are read, and never changed.
package importer

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/atomicfile"
	"github.com/aside-go/aside/internal/document"
)

// Cmd is "aside import".
type Cmd struct {
	Paths  []string `arg:"" optional:"" name:"path" help:"Rule files of hookify, lists of reminders (.yaml, .yml, .json), rules of Cursor, Windsurf, Kiro, Claude Code, Copilot and others, or directories of them; by default hookify's rules of this project and your own."`
	Scope  string   `enum:"user,project" default:"project" help:"Whose rules they become: yours in all projects (user), or this project's (project)."`
	Force  bool     `help:"Overwrite files that are there."`
	DryRun bool     `help:"Print the rules, and write nothing."`
}

// rule is a rule of another tool, as one of ours.
type rule struct {
	file string // it comes from
	id   string
	keys []setting
	text string
	lost []loss
	laws []string // what holds for all rules of its kind, and differs from the other tool
	fail bool     // it cannot be taken at all
}

// setting is a key of the front matter.
type setting struct{ key, value string }

// loss is something that could not be taken as it was.
type loss struct {
	line int // 0: not known
	what string
	hint string // "": none
}

func (r *rule) set(key, value string) { r.keys = append(r.keys, setting{key, value}) }

func (r *rule) lose(line int, hint, what string, args ...any) {
	r.lost = append(r.lost, loss{line, fmt.Sprintf(what, args...), hint})
}

// general says how all rules of a kind differ from those of the other tool. It is printed once.
func (r *rule) general(what string) { r.laws = append(r.laws, what) }

// refuse says why the rule cannot be taken at all.
func (r *rule) refuse(line int, hint, what string, args ...any) {
	r.lose(line, hint, what, args...)
	r.fail = true
}

// Run imports rules.
func (c *Cmd) Run(e *command.Env) error {
	files, err := c.files(e)
	if err != nil {
		return err
	}
	dir, err := c.target(e)
	if err != nil {
		return err
	}
	var all []*rule
	for _, file := range files {
		src, err := load.ReadFile("", file, 0)
		if err != nil {
			return err
		}
		all = append(all, read(file, src)...)
	}
	if len(all) == 0 {
		return command.No("there is no rule in %s", strings.Join(files, ", "))
	}
	taken, missed, laws := map[string]string{}, 0, map[string]bool{}
	for _, r := range all {
		if other, twice := taken[r.id]; twice && !r.fail {
			r.refuse(0, "give one of the two another name", "%s has a rule %q, too", e.Short(other), r.id)
		}
		text := r.bytes()
		if !r.fail {
			r.proven(text)
		}
		if r.fail {
			missed++
			e.Note("left     %s", e.Short(r.file))
		} else {
			taken[r.id] = r.file
			for _, law := range r.laws {
				laws[law] = true
			}
			if err := c.put(e, filepath.Join(dir, r.id+".md"), text); err != nil {
				return err
			}
		}
		for _, l := range r.lost {
			at := e.Short(r.file)
			if l.line > 0 {
				at = fmt.Sprintf("%s:%d", at, l.line)
			}
			e.Note("  %s: %s", terminal.Visible(at), terminal.Visible(l.what))
			if l.hint != "" {
				e.Note("    %s", terminal.Visible(l.hint))
			}
		}
	}
	for _, law := range slices.Sorted(maps.Keys(laws)) {
		e.Note("%s", law)
	}
	if missed > 0 {
		e.Note("%s could not be taken", terminal.Count(missed, "rule"))
	}
	if len(taken) > 0 && !c.DryRun {
		if c.Scope == "project" {
			e.Note("aside trust shows them, and asks whether your agents may read them.")
		}
		e.Note("aside replay shows what they would have done.")
	}
	return command.Verdict(missed > 0)
}

// put writes a file, unless one is there.
func (c *Cmd) put(e *command.Env, file string, text []byte) error {
	_, err := os.Lstat(file)
	switch there := err == nil; {
	case there && !c.Force:
		e.Note("kept     %s, which is there already (--force overwrites)", e.Short(file))
		return nil
	case c.DryRun:
		fmt.Fprintf(e.Out, "%s %s\n", e.Paint("1", "would write"), e.Short(file))
		for line := range strings.Lines(string(text)) {
			fmt.Fprintf(e.Out, "  │ %s\n", terminal.Visible(strings.TrimSuffix(line, "\n")))
		}
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := atomicfile.Write(file, text, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(e.Out, "wrote    %s\n", e.Short(file))
	return nil
}

// target returns the directory that the rules go to.
func (c *Cmd) target(e *command.Env) (string, error) {
	root := e.Home
	if c.Scope == "project" {
		if root = rules.Here(e); root == "" {
			return "", command.No("this is not a project: --scope user makes them rules of your own")
		}
	}
	if root == "" {
		return "", errors.New("there is no place for rules of your own: HOME is not set")
	}
	return filepath.Join(root, ".aside", "reminders"), nil
}

// files returns the files that the flags name.
func (c *Cmd) files(e *command.Env) (files []string, err error) {
	paths := c.Paths
	if len(paths) == 0 {
		for _, root := range []string{rules.Here(e), e.Home} {
			if dir := filepath.Join(root, ".claude"); root != "" {
				found, _ := filepath.Glob(filepath.Join(dir, hookifyFiles)) // the pattern is well formed
				files = append(files, found...)
			}
		}
		if len(files) == 0 {
			return nil, command.No("there is no rule of hookify here (.claude/%s)", hookifyFiles).
				And("aside add --from FILE takes a list of reminders in YAML or JSON, and rules of " +
					"Cursor, Windsurf, Kiro, Claude Code, Copilot and others: aside add --from .cursor/rules")
		}
		return slices.Compact(files), nil
	}
	for _, p := range paths {
		info, err := os.Stat(p)
		switch {
		case err != nil:
			return nil, err
		case !info.IsDir():
			files = append(files, p)
			continue
		}
		entries, err := os.ReadDir(p)
		if err != nil {
			return nil, err
		}
		n := len(files)
		for _, en := range entries {
			file := filepath.Join(p, en.Name())
			is, _ := filepath.Match(hookifyFiles, en.Name())
			if is || slices.Contains(lists, filepath.Ext(en.Name())) || aboutFiles(file) {
				files = append(files, file)
			}
		}
		if len(files) == n {
			return nil, &fs.PathError{Op: "read", Path: p, Err: errors.New("there is no rule of another tool in it")}
		}
	}
	return files, nil
}

// aboutFiles reports whether a file is a rule of another tool about files.
func aboutFiles(file string) bool {
	if ext := filepath.Ext(file); ext != ".md" && ext != ".mdc" {
		return false
	}
	src, err := load.ReadFile("", file, 0)
	_, is := readPaths(file, string(src))
	return err == nil && is
}

// Foreign reports whether a rule file is written for another tool, and Cmd can take it. One that has a
// trigger of ours is not.
func Foreign(file string, src []byte) bool {
	if slices.Contains(lists, filepath.Ext(file)) {
		return false
	}
	front, _, _ := strings.Cut(strings.TrimPrefix(string(src), "---\n"), "\n---")
	keys, _ := frontMatter(front)
	return keys["when"] == nil && keys["while"] == nil && !read(file, src)[0].fail
}

// lists are the extensions of lists of reminders.
var lists = []string{".json", ".yaml", ".yml"}

// read reads the rules in a file of another tool.
func read(file string, src []byte) []*rule {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	if slices.Contains(lists, filepath.Ext(file)) {
		return readList(file, src)
	}
	if r, ok := readPaths(file, string(src)); ok {
		return []*rule{r}
	}
	return []*rule{readHookify(file, string(src))}
}

// bytes returns the rule file.
func (r *rule) bytes() []byte {
	var b strings.Builder
	b.WriteString("---\n# from " + terminal.Line(filepath.Base(r.file)) + "\n")
	for _, s := range r.keys {
		value, _ := yaml.Marshal(s.value) // a text is always written
		if _, whole := wholeNumber(s.value); whole || s.value == "true" || s.value == "false" {
			value = []byte(s.value + "\n")
		}
		b.WriteString(s.key + ": " + string(value))
	}
	b.WriteString("---\n" + strings.TrimSpace(r.text) + "\n")
	out, ds := document.Format("rule.md", []byte(b.String()))
	if ds.HasErrors() {
		return []byte(b.String())
	}
	return out
}

// proven refuses a rule that is none of ours, for the first reason that there is.
func (r *rule) proven(text []byte) {
	if !reminder.ValidID(r.id) {
		r.refuse(0, "", "%q is not a name for a reminder", r.id)
		return
	}
	rs, found := document.Read(r.id+".md", text)
	_, more := compile.FromFiles(rs, compile.Options{})
	for _, d := range slices.Concat(found, more) {
		if d.Severity == grammar.Error {
			r.refuse(0, d.Hint, "it gives no rule: %s", d.Message)
			return
		}
	}
}
