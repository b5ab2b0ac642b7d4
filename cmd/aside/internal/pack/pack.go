// Package pack owns the cookbook: reminders in packs, each with the reason for it and its rule test. They are
// files of this package, in the very form in which "aside add NAME@PACK" writes them. All functions may be
// called concurrently.
package pack

import (
	"embed"
	"io/fs"
	"path"
	"strings"

	"github.com/aside-go/aside/cmd/internal/starter"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/document"
)

//go:embed packs/*/*.md packs/*/*_test.yaml
var files embed.FS

// Recipe is a reminder of a pack.
type Recipe struct {
	Pack, ID string
	Rule     []byte // its file
	Test     []byte // its rule test, which finds the file in the directory "reminders" beside its own
}

// Name returns the name by which people ask for it: ID@PACK.
func (r *Recipe) Name() string { return r.ID + "@" + r.Pack }

// All returns the recipes, by packs and then by ids.
func All() (all []Recipe) {
	read := func(name string) []byte {
		b, err := files.ReadFile(name)
		if err != nil {
			panic(err) // the files are part of the program, as TestRecipes checks
		}
		return b
	}
	names, _ := fs.Glob(files, "packs/*/*.md") // a pattern that can be read
	for _, name := range names {
		stem := strings.TrimSuffix(name, ".md")
		all = append(all, Recipe{Pack: path.Base(path.Dir(name)), ID: path.Base(stem), Rule: read(name),
			Test: read(stem + "_test.yaml")})
	}
	return all
}

// Starters returns the starter rules, whose pack is "starter".
func Starters() (all []Recipe) {
	for _, id := range starter.All() {
		f := starter.Files(id)
		all = append(all, Recipe{Pack: "starter", ID: id, Rule: f[0].Text, Test: f[1].Text})
	}
	return all
}

// Find returns the recipe or the starter rule with a name; ok is false where there is none.
func Find(name string) (r Recipe, ok bool) {
	for _, r := range append(Starters(), All()...) {
		if r.Name() == name {
			return r, true
		}
	}
	return Recipe{}, false
}

// Source returns the reminder as it is read from its file.
func (r *Recipe) Source() compile.Source {
	rs, _ := document.Read(r.ID+".md", r.Rule) // one without mistakes, as TestRecipes checks
	return rs[0]
}

// TestFile returns the rule test as a file to be written below the .aside directory.
func (r *Recipe) TestFile() starter.File {
	return starter.File{Name: path.Join(starter.Tests, r.ID+"_test.yaml"), Text: r.Test}
}
