package session

import (
	"bytes"

	"github.com/tidwall/gjson"

	"github.com/aside-go/aside/cmd/aside/internal/hook"
)

const (
	maxName  = 256 // bytes of an id or a name; what is longer is none
	maxCount = 1 << 40
)

// kindOf returns what a line says it is. The line has not been checked.
func kindOf(line []byte) string {
	if len(line) < 2 || line[0] != '{' {
		return ""
	}
	return text(gjson.GetBytes(line, "type"))
}

// object reads a line that holds one whole object; false means that it holds anything else, or is cut off.
func object(line []byte) (gjson.Result, bool) {
	line = bytes.TrimSpace(line)
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' || hook.TooDeep(line) || !gjson.ValidBytes(line) {
		return gjson.Result{}, false
	}
	return gjson.ParseBytes(line), true
}

// text returns a string, "" for anything else.
func text(v gjson.Result) string {
	if v.Type != gjson.String {
		return ""
	}
	return v.Str
}

// name returns a string that is short enough to be an id or a name.
func name(v gjson.Result) string {
	if s := text(v); len(s) <= maxName {
		return s
	}
	return ""
}

// count returns a number of tokens; nil for anything else.
func count(v gjson.Result) *int64 {
	n := int64(v.Num)
	if v.Type != gjson.Number || v.Num < 0 || v.Num > maxCount || float64(n) != v.Num {
		return nil
	}
	return &n
}

// sum adds up the counts that are there; ok is false where none is.
func sum(counts ...*int64) (total int64, ok bool) {
	for _, c := range counts {
		if c != nil {
			total, ok = total+*c, true
		}
	}
	return total, ok
}
