package cursor

import (
	_ "embed"
	"regexp"
	"sync"

	"gopkg.in/yaml.v3"
)

// Word is a word of the rule language with its documentation.
type Word struct {
	Name   string
	Form   string // how the word is used, such as used("TOOL"); "": the name alone
	Doc    string // a paragraph or two of Markdown
	Insert string // the text that completion inserts, a snippet with $1 and the like; "": the name
}

// Key is a key of a file, with the kind of its value.
type Key struct {
	Word   `yaml:",inline"`
	Takes  Takes
	Values []Word // the values that it may have, as far as they are known
	Of     string // the table of the keys of a mapping in it
}

// Takes is the kind of value that a key takes.
type Takes string

const (
	TakesText    Takes = ""
	TakesTrigger Takes = "trigger"
	TakesSpan    Takes = "span"  // turns or time
	TakesWords   Takes = "words" // one of values
	TakesID      Takes = "id"
	TakesIDs     Takes = "ids"
	TakesKeys    Takes = "keys" // a mapping or a list
)

// Dictionary holds the words of words.yaml.
type Dictionary struct {
	Facts      []Word // the built-in facts
	Kinds      []Word // of facts
	Functions  []Word
	Shorthands []Word
	Constants  []Word // triggers of a single word, and every
	Classes    []Word // of tools, as call patterns name them
	Subjects   []Word // examples of what stands in the parentheses of a call pattern, by class
	Joins      []Word // and, or, not, the operators in words, and functions of general expressions
	Templates  []Word // the words that may stand in {{ }} besides facts

	Examples map[string][]Word // values of facts, by the name of a fact or of a type

	Tables map[string][]Key `yaml:",inline"` // the keys of mappings, by the names of Key.Of
}

//go:embed words.yaml
var wordsFile []byte

// Words returns the Dictionary. It must not be written to.
var Words = sync.OnceValue(func() *Dictionary {
	var d Dictionary
	if err := yaml.Unmarshal(wordsFile, &d); err != nil {
		panic(err) // the file is part of the program, and TestWords reads it
	}
	return &d
})

// Written returns the form in which the word is used.
func (w *Word) Written() string {
	if w.Form != "" {
		return w.Form
	}
	return w.Name
}

// Find returns the word of a name in the first list that has it, nil where there is none.
func Find(name string, lists ...[]Word) *Word {
	for _, words := range lists {
		for i := range words {
			if words[i].Name == name {
				return &words[i]
			}
		}
	}
	return nil
}

// FindKey returns the key of a name, nil where there is none.
func FindKey(keys []Key, name string) *Key {
	for i := range keys {
		if keys[i].Name == name {
			return &keys[i]
		}
	}
	return nil
}

// Table says which keys a mapping may have.
type Table struct {
	Keys  []Key
	Names Names
}

// Names is the kind of the keys of a mapping that has no fixed keys.
type Names uint8

const (
	NamesKeys  Names = iota // the fixed keys
	NamesFacts              // facts
	NamesIDs                // ids of reminders
	NamesOwn                // any words of the author's
)

// listFile matches a file with a list of reminders.
var listFile = regexp.MustCompile(`(?m)^reminders:`)

// RuleTable returns the table of the mapping at path in a rule file with the text src.
func RuleTable(path []string, src string) Table {
	if listFile.MatchString(src) || len(path) > 0 && path[0] == "reminders" {
		return table("reminders", path)
	}
	return table("reminder", path)
}

// RuleTestTable returns the table of the mapping at path in a rule test.
func RuleTestTable(path []string) Table { return table("testfile", path) }

// table returns the table of the mapping at path below a mapping with the keys of a table.
func table(of string, path []string) Table {
	tables := Words().Tables
	for _, name := range path {
		key := FindKey(tables[of], name)
		switch {
		case key != nil:
			of = key.Of
		case of == "facts" && name == "calls":
			of = "call"
		default:
			of = ""
		}
	}
	switch of {
	case "facts":
		return Table{Names: NamesFacts}
	case "ids":
		return Table{Names: NamesIDs}
	case "":
		return Table{Names: NamesOwn}
	}
	return Table{Keys: tables[of]}
}
