// Package schema owns the JSON Schemas (2020-12) of reminder files, of rule tests and of the configuration
// file, for editors, and of the protocol of aside eval and of what aside view prints, for programs.
//
// The schemas of files are files with gaps that are filled here: the definitions that both share, and the
// facts, which come from package fact. A schema says which keys a file may have, and of what type their
// values are. It cannot see into triggers and templates, and does not know the file's name. Tests check that
// the keys are those that the readers of the files know, and that the schemas agree with the readers about
// every sample file. All functions may be called concurrently.
package schema

import (
	"embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/aside-go/aside/cmd/internal/evaljson"
	"github.com/aside-go/aside/compile/fact"
)

//go:embed *.json
var files embed.FS

// file returns the text of a file of this package.
func file(name string) string {
	b, err := files.ReadFile(name + ".json")
	if err != nil {
		panic(err) // the file is part of the program
	}
	return string(b)
}

// Names are the names of the schemas. That of the configuration is Config's.
var Names = [...]string{"reminder", "test", "config", "eval", "view"}

// Config returns the schema of the configuration file. commands has, by the name of a command, the schemas of
// its flags by their names, without dashes.
func Config(commands map[string]map[string]any) []byte {
	properties := map[string]any{}
	for name, flags := range commands {
		properties[name] = map[string]any{"description": "The flags of aside " + name + ".", "type": "object",
			"properties": flags, "additionalProperties": false}
	}
	b, err := json.MarshalIndent(properties, "  ", "  ")
	if err != nil {
		panic(err) // texts, and maps of them, always have a JSON form
	}
	var test struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal([]byte(file("test")), &test); err != nil {
		panic(err) // a file that is part of the program
	}
	def := func(name string) string { return string(test.Defs[name]) }
	between := ",\n    "
	if len(properties) == 0 {
		between = ""
	}
	inner := strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(string(b), "{"), "}"))
	return []byte(strings.NewReplacer(
		",\n    "+gap("commands"), between+inner,
		`{"@def": "vars"}`, def("vars"), `{"@def": "type"}`, def("type"),
	).Replace(file("config")))
}

// Named returns the schema of a name as JSON text that ends in a newline; ok is false where there is none.
// That of the configuration is without the flags of commands.
func Named(name string) (text []byte, ok bool) {
	switch name {
	case "reminder", "test":
		return fill(file(name)), true
	case "eval":
		return []byte(strings.ReplaceAll(file(name), "@protocol", strconv.Itoa(evaljson.Protocol))), true
	case "config":
		return Config(nil), true
	case "view":
		return []byte(file(name)), true
	}
	return nil, false
}

// gap returns the text of a member in the files that stands for the members that fill puts in its place.
func gap(name string) string { return `"@` + name + `": {}` }

func fill(text string) []byte {
	shared := strings.TrimSpace(file("defs"))
	shared = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(shared, "{"), "}"))
	return []byte(strings.NewReplacer(
		gap("defs"), shared,
		gap("facts"), facts("", true),
		gap("series"), facts("_series", false),
	).Replace(text))
}

// types are the names of the definitions in test.json for the values of a type.
var types = map[fact.Type]string{
	fact.Bool: "flag", fact.Int: "whole", fact.Ratio: "ratio", fact.Dollars: "dollars",
	fact.Duration: "duration", fact.String: "words", fact.Set: "tools", fact.Calls: "calls",
}

// facts returns the members of a mapping from facts to their values. suffix "_series" is for lists of values,
// one a turn. doc adds the documentation of each fact.
func facts(suffix string, doc bool) string {
	s := fact.Builtin()
	members := make([]string, s.Len())
	for id := range members {
		f := s.Fact(fact.ID(id))
		def := types[f.Type] + suffix
		if f.Type == fact.Set && suffix != "" {
			def = "tool" + suffix
		}
		about := ""
		if doc {
			about = fmt.Sprintf(`"description": %s, `, quote(f.Doc))
		}
		members[id] = fmt.Sprintf(`%q: {%s"$ref": "#/$defs/%s"}`, f.Name, about, def)
	}
	return strings.Join(members, ",\n        ")
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(b)
}
