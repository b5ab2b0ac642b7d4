// Package config reads configuration files: the user's own, which says what flags and environment variables
// say and declares facts, and that of a project, which declares facts alone, since somebody else has written
// it. It runs nothing, and trusts nothing: its callers read the files of projects through the gate of package
// trust.
//
// All functions may be called concurrently.
package config

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/facts"
	"github.com/aside-go/aside/cmd/internal/yamlfile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// File is a configuration file as far as it is without mistakes. It is immutable. A nil File says nothing.
type File struct {
	Path        string
	Src         []byte
	Diagnostics grammar.Diagnostics

	vars []fact.Fact
	// values by the names of a command and a flag; under "" those of all commands
	flags map[string]map[string]any
}

// Commands knows the commands and their flags.
type Commands interface {
	// Names returns the commands that have flags, such as "serve" and "bundle build".
	Names() []string
	// Flags returns the names of a command's flags without dashes.
	Flags(command string) []string
	// Check returns why a flag cannot have a value, which is a bool, a string or a list of strings; "" where it
	// can. The command "" has the keys of the file that are not commands.
	Check(command, flag string, value any) (why string)
}

// Path returns where the user's own file is: below $XDG_CONFIG_HOME, if that is absolute, else below
// ~/.config; "" where there is no home.
func Path(env func(string) string, home string) string {
	dir := env("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "aside", "config.yaml")
}

// User reads the user's own file at path. Links are followed wherever they lead, and a file that does not
// exist is not an error. Without commands the flags of commands are passed over.
func User(path string, commands Commands) (*File, error) {
	src, err := load.ReadFile(filepath.VolumeName(path)+string(filepath.Separator), path, 0)
	if path == "" || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return Own(path, src, commands), nil
}

// Own parses the user's own file, as User does.
func Own(path string, src []byte, commands Commands) *File {
	return read(path, src, func(f *File, r *yamlfile.Reader, root *yaml.Node) { f.user(r, root, commands) })
}

// Project parses the file of a project.
func Project(path string, src []byte) *File {
	return read(path, src, func(f *File, r *yamlfile.Reader, root *yaml.Node) {
		for _, e := range r.Entries(root, "the configuration of a project", []string{varsKey}) {
			f.vars = facts.Declared(r, e.Value)
		}
	})
}

const varsKey, stateKey, keepKey = "vars", "state", "keep"

// read parses a file, and hands its root to members.
func read(path string, src []byte, members func(*File, *yamlfile.Reader, *yaml.Node)) *File {
	r := &yamlfile.Reader{File: path, Src: src, Most: 256 << 10,
		Codes: yamlfile.Codes{YAML: code.ConfigYAML, Key: code.ConfigKey, Value: code.ConfigValue}}
	f := &File{Path: path, Src: src}
	if root := r.Parse(); root != nil {
		members(f, r, root)
	}
	f.Diagnostics = r.Diags
	f.Diagnostics.Sort()
	return f
}

// general are the keys of the user's own file that are not commands.
var general = []string{varsKey, stateKey, keepKey, "color"}

// user reads the members of the user's own file.
func (f *File) user(r *yamlfile.Reader, root *yaml.Node, commands Commands) {
	var allowed []string // nil: all
	if commands != nil {
		allowed = append(commands.Names(), general...)
	}
	f.flags = map[string]map[string]any{"": {}}
	for _, e := range r.Entries(root, "the configuration", allowed) {
		switch key := e.Key.Value; {
		case key == varsKey:
			f.vars = facts.Declared(r, e.Value)
		case slices.Contains(general, key):
			if v, ok := r.Text(e.Value, key); ok && fits(r, e, commands) {
				f.flags[""][key] = v
			}
		case commands != nil:
			f.flags[key] = section(r, e, commands)
		}
	}
}

// fits reports whether a key that is not a command has a value that it can have; where it has not, that is an
// error.
func fits(r *yamlfile.Reader, e yamlfile.Entry, commands Commands) bool {
	key, v := e.Key.Value, e.Value.Value
	why, hint := "", "aside help configuration says more"
	switch {
	case key == stateKey && !filepath.IsAbs(v) && v != "memory" && !strings.HasPrefix(v, "@") &&
		!strings.Contains(v, "://"):
		why, hint = "state is a whole path, memory, @FILE, or the URL of a database", "such as /var/lib/aside"
	case commands != nil && key != stateKey:
		why = commands.Check("", key, v)
	}
	if why != "" {
		r.Fail(e.Value, code.ConfigValue, hint, "%s", why)
	}
	return why == ""
}

// section reads the flags of a command.
func section(r *yamlfile.Reader, of yamlfile.Entry, commands Commands) map[string]any {
	command := of.Key.Value
	flags := map[string]any{}
	for _, e := range r.Entries(of.Value, command, commands.Flags(command)) {
		v, ok := value(facts.FromYAML(e.Value))
		if !ok {
			r.Fail(e.Value, code.ConfigValue, "", "%s is true, false, a text, a number or a list of texts",
				e.Key.Value)
			continue
		}
		if why := commands.Check(command, e.Key.Value, v); why != "" {
			r.Fail(e.Value, code.ConfigValue, "aside help "+command+" says more", "%s", why)
			continue
		}
		flags[e.Key.Value] = v
	}
	return flags
}

// value returns the value of a flag in the form in which a command line has it.
func value(v facts.Value) (any, bool) {
	switch v.Kind {
	case facts.Bool:
		return v.Text == "true", true
	case facts.Number, facts.Text:
		return v.Text, true
	case facts.List:
		list := make([]any, len(v.Items))
		for i, item := range v.Items {
			if item.Kind != facts.Text && item.Kind != facts.Number {
				return nil, false
			}
			list[i] = item.Text
		}
		return list, true
	}
	return nil, false
}

// Flag returns the value of a command's flag, and whether the file has one. The command "" stands for all
// commands.
func (f *File) Flag(command, flag string) (any, bool) {
	if f == nil {
		return nil, false
	}
	v, ok := f.flags[command][flag]
	return v, ok
}

// Keep returns how long runs are remembered, in the words of the file; "" where it does not say so.
func (f *File) Keep() string {
	v, _ := f.Flag("", keepKey)
	keep, _ := v.(string)
	return keep
}

// Directory returns the directory in which runs are remembered; "" where the file names none, or something
// else than a directory.
func (f *File) Directory() string {
	v, _ := f.Flag("", stateKey)
	if dir, _ := v.(string); filepath.IsAbs(dir) {
		return dir
	}
	return ""
}

// Facts returns the facts that files declare, with the declarations of given before them. A fact that is
// declared twice is what its first declaration says: a project does not change what the user's own rules
// read.
func Facts(given []fact.Fact, files ...*File) []fact.Fact {
	all := map[string]fact.Fact{}
	for _, f := range slices.Backward(files) {
		if f == nil {
			continue
		}
		for _, v := range f.vars {
			v.Doc = "declared in " + filepath.Base(filepath.Dir(f.Path)) + "/" + filepath.Base(f.Path)
			all[v.Name] = v
		}
	}
	for _, v := range slices.Backward(given) {
		all[v.Name] = v
	}
	return slices.SortedFunc(maps.Values(all), func(a, b fact.Fact) int { return cmp.Compare(a.Name, b.Name) })
}
