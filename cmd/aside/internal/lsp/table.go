package lsp

import (
	"regexp"
	"strings"
)

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
		return table{keys: listKeys}
	}
	return reminderTable(path)
}

// listFile matches a file with a list of reminders.
var listFile = regexp.MustCompile(`(?m)^reminders:`)

func reminderTable(path []string) table {
	switch strings.Join(path, " ") {
	case "":
		return table{keys: ruleKeys}
	case "schedule":
		return table{keys: scheduleKeys}
	}
	return table{names: namesOwn}
}

func testTable(path []string) table {
	if len(path) == 0 {
		return table{keys: testFileKeys}
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
		return table{keys: testKeys}
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
		return table{keys: stepKeys}
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
		return table{keys: optionKeys}
	case "budget":
		return table{keys: budgetKeys}
	}
	return table{names: namesOwn}
}
