// Package starter owns the reminders that "aside init" writes, and the rule test that comes with them.
//
// They are files, so that they read here as they will read there. All functions may be called concurrently.
package starter

import (
	"bytes"
	"embed"
	"path"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/document"
	"github.com/aside-go/aside/grammar"
)

//go:embed rules/*.md starter_test.yaml
var files embed.FS

const (
	// Dir is where the reminders go, below the .aside directory.
	Dir = "reminders"
	// Test is where the rule test goes. It stands beside Dir, in which every YAML file is read as reminders.
	Test = "reminders_test.yaml"
)

// File is a file to write.
type File struct {
	Name string // below the .aside directory, with slashes
	Text []byte
}

// Files returns all files in name order, reminders first.
func Files() []File {
	entries, err := files.ReadDir("rules")
	if err != nil {
		panic(err) // the directory is part of the program
	}
	var list []File
	for _, en := range entries {
		list = append(list, File{Name: path.Join(Dir, en.Name()), Text: read("rules/" + en.Name())})
	}
	test := bytes.Replace(read("starter_test.yaml"), []byte("rules/*.md"), []byte(Dir+"/*.md"), 1)
	return append(list, File{Name: Test, Text: test})
}

// Reminders returns the starter reminders, for when a user has none. Their File is "starter/NAME.md".
func Reminders() ([]compile.Reminder, grammar.Diagnostics) {
	var rs []compile.Reminder
	var ds grammar.Diagnostics
	for _, f := range Files() {
		if f.Name == Test {
			continue
		}
		r, d := document.Read("starter/"+path.Base(f.Name), f.Text)
		rs, ds = append(rs, r...), append(ds, d...)
	}
	return rs, ds
}

func read(name string) []byte {
	b, err := files.ReadFile(name)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return b
}
