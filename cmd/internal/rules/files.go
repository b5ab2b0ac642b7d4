package rules

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/compile/load"
)

// maxFile is how many bytes of stdin are read. More are refused by the language anyway, so this only bounds
// the memory.
const maxFile = 1 << 20

// ErrNoMatch is the error for a path or pattern that no file matches.
var ErrNoMatch = errors.New("no such file or directory")

// Files returns the files that arguments stand for: a directory stands for the rule files directly in it, a
// pattern for the files that it matches. Each comes with the directory out of which no link to it is
// followed.
func Files(e *command.Env, args []string) ([]File, error) {
	var files []File
	for _, a := range args {
		found, err := Expand(a)
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			files = append(files, File{Name: name, below: load.Below(e.Home, a)})
		}
	}
	if len(files) == 0 {
		return nil, command.No("%s", NoRuleFile(args))
	}
	return files, nil
}

// File is a rule file that a person has named.
type File struct {
	Name  string
	below string // the directory out of which no link is followed
}

// Read reads the file. Its errors are those of load.ReadFile.
func (f File) Read() ([]byte, error) { return load.ReadFile(f.below, f.Name, 0) }

// NoRuleFile says that there is no rule file in these directories, and where one below them perhaps is: they
// are not searched.
func NoRuleFile(dirs []string) string {
	said := "there is no rule file (.md, .yaml, .yml) in " + strings.Join(dirs, ", ")
	for _, dir := range dirs {
		for _, below := range []string{"reminders", ".aside/reminders"} {
			at := filepath.Join(dir, below)
			if files, err := listing(at); err == nil && len(files) > 0 {
				return said + ": did you mean " + at + "?"
			}
		}
	}
	return said
}

// Expand returns the files that an argument stands for: a file, the rule files directly in a directory, or
// the files that a pattern matches. A pattern that matches nothing is an error.
func Expand(arg string) ([]string, error) {
	fi, err := os.Stat(arg)
	switch {
	case err == nil && fi.IsDir():
		return listing(arg)
	case err == nil:
		return []string{arg}, nil
	case !strings.ContainsAny(arg, "*?["):
		return nil, err
	}
	found, gerr := filepath.Glob(arg)
	if gerr != nil {
		return nil, command.Usage("%q is not a pattern: %v", arg, gerr)
	}
	if len(found) == 0 {
		return nil, &fs.PathError{Op: "glob", Path: arg, Err: ErrNoMatch}
	}
	var files []string
	for _, f := range found {
		if fi, err := os.Stat(f); err == nil && fi.IsDir() {
			continue
		}
		files = append(files, f)
	}
	return files, nil
}

// listing returns the rule files directly in dir, by name.
func listing(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, en := range entries {
		if !en.IsDir() && load.IsRuleFile(en.Name()) {
			files = append(files, filepath.Join(dir, en.Name()))
		}
	}
	return files, nil
}

// ReadStdin reads a rule file from stdin and returns its name and its text. called is its name in the user's
// words, nil for the usual one.
func ReadStdin(e *command.Env, called *string) (name string, src []byte, err error) {
	name = "stdin.md"
	if called != nil {
		name = *called
	}
	if !load.IsRuleFile(name) {
		return "", nil, command.Usage("--name %q: a rule file ends in .md, .yaml or .yml", name)
	}
	if src, err = io.ReadAll(io.LimitReader(e.In, maxFile)); err != nil {
		return "", nil, fmt.Errorf("stdin: %w", err)
	}
	return name, src, nil
}

// Split returns args without "-", and whether that was among them. called is the value of --name, which goes
// with "-": a file has a name already, so the user expects something that --name does not do.
func Split(args []string, called *string) (stdin bool, rest []string, err error) {
	for _, a := range args {
		if a == "-" {
			stdin = true
		} else {
			rest = append(rest, a)
		}
	}
	if !stdin && called != nil {
		return false, nil, command.Usage("--name goes with -: it is what stdin would be called")
	}
	return stdin, rest, nil
}

// IsTest reports whether a file is a rule test by its name.
func IsTest(name string) bool {
	return strings.HasSuffix(name, "_test.yaml") || strings.HasSuffix(name, "_test.yml")
}
