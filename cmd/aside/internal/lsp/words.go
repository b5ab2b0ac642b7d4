package lsp

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

// word is a word of the rule language with its documentation.
type word struct {
	name   string
	form   string // how the word is used, such as used("TOOL"); "": the name alone
	doc    string // a paragraph or two of Markdown
	insert string // the text that completion inserts, a snippet with $1 and the like; "": the name
}

// keyWord is a key of a file, with the kind of its value.
type keyWord struct {
	word
	takes  takes
	values []word // those that it may have, as far as they are known
}

// takes is the kind of value that a key takes.
type takes uint8

const (
	takesText takes = iota
	takesTrigger
	takesSpan  // turns or time
	takesWords // one of values
	takesID
	takesIDs
	takesKeys // a mapping or a list
)

var takesNames = []string{"text", "trigger", "span", "words", "id", "ids", "keys"}

// dictionary holds the words of words.yaml.
type dictionary struct {
	Facts      []word // the built-in facts
	Functions  []word
	Shorthands []word
	Constants  []word // triggers of a single word, and every
	Joins      []word // and, or, not, the operators in words, and functions of general expressions
	Templates  []word // what may stand in {{ }} besides facts

	Reminder, Schedule, Reminders, TestFile, Test, Step, Options, Budget []keyWord
}

//go:embed words.yaml
var wordsFile []byte

// words returns the dictionary. It must not be written to.
var words = sync.OnceValue(func() *dictionary {
	var d dictionary
	if err := yaml.Unmarshal(wordsFile, &d); err != nil {
		panic(err) // the file is part of the program, and TestWords reads it
	}
	return &d
})

// wordYAML is a word or a key in words.yaml.
type wordYAML struct {
	Name, Form, Doc, Insert, Takes string
	Values                         []word
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (w *word) UnmarshalYAML(n *yaml.Node) error {
	var k keyWord
	err := k.UnmarshalYAML(n)
	*w = k.word
	return err
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (k *keyWord) UnmarshalYAML(n *yaml.Node) error {
	x := wordYAML{Takes: takesNames[takesText]}
	if err := n.Decode(&x); err != nil {
		return err
	}
	kind := slices.Index(takesNames, x.Takes)
	if kind < 0 {
		return fmt.Errorf("line %d: takes: %q", n.Line, x.Takes)
	}
	*k = keyWord{word{x.Name, x.Form, x.Doc, x.Insert}, takes(kind), x.Values}
	return nil
}

func (w *word) written() string {
	if w.form != "" {
		return w.form
	}
	return w.name
}

// find returns the word of a name, nil where there is none.
func find(words []word, name string) *word {
	for i := range words {
		if words[i].name == name {
			return &words[i]
		}
	}
	return nil
}

// findKey returns the key of a name, nil where there is none.
func findKey(keys []keyWord, name string) *keyWord {
	for i := range keys {
		if keys[i].name == name {
			return &keys[i]
		}
	}
	return nil
}

// table says which keys a mapping may have.
type table struct {
	keys  []keyWord
	names names
}

// names says what the keys of a mapping are, where they are not the fixed keys of its table.
type names uint8

const (
	namesKeys  names = iota // the fixed keys
	namesFacts              // facts
	namesIDs                // ids of reminders
	namesOwn                // any words of the author's
)

// tableOf returns the table of the mapping at path in a file.
func tableOf(k kind, path []string, src string) table {
	if k == ruleTest {
		return testTable(path)
	}
	if len(path) > 0 && path[0] == "reminders" {
		path = path[1:]
	} else if len(path) == 0 && listFile.MatchString(src) {
		return table{keys: words().Reminders}
	}
	return reminderTable(path)
}

// listFile matches a file with a list of reminders.
var listFile = regexp.MustCompile(`(?m)^reminders:`)

func reminderTable(path []string) table {
	switch strings.Join(path, " ") {
	case "":
		return table{keys: words().Reminder}
	case "schedule":
		return table{keys: words().Schedule}
	}
	return table{names: namesOwn}
}

func testTable(path []string) table {
	if len(path) == 0 {
		return table{keys: words().TestFile}
	}
	head, rest := path[0], path[1:]
	switch {
	case head == "reminders":
		return reminderTable(rest)
	case head == "options":
		return optionTable(rest)
	case head != "tests":
		return table{names: namesOwn}
	case len(rest) == 0:
		return table{keys: words().Test}
	}
	head, rest = rest[0], rest[1:]
	switch head {
	case "reminders":
		return reminderTable(rest)
	case "options":
		return optionTable(rest)
	case "series":
		if len(rest) == 0 {
			return table{names: namesFacts}
		}
	case "fires_at":
		return table{names: namesIDs}
	case "steps":
		return stepTable(rest)
	}
	return table{names: namesOwn}
}

func stepTable(path []string) table {
	if len(path) == 0 {
		return table{keys: words().Step}
	}
	switch path[0] {
	case "facts":
		if len(path) == 1 {
			return table{names: namesFacts}
		}
	case "text":
		return table{names: namesIDs}
	case "reload":
		return reminderTable(path[1:])
	}
	return table{names: namesOwn}
}

func optionTable(path []string) table {
	switch strings.Join(path, " ") {
	case "":
		return table{keys: words().Options}
	case "budget":
		return table{keys: words().Budget}
	}
	return table{names: namesOwn}
}
