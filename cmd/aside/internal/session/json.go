package session

import (
	"bytes"

	"github.com/tidwall/gjson"

	"github.com/aside-go/aside/internal/agent"
)

const (
	maxName  = 256     // bytes of an id or a name; a longer one is taken for none
	maxCount = 1 << 40 // tokens
)

// kindOf returns the member "type" of a line, which need not be valid JSON; "" where there is none.
func kindOf(line []byte) string {
	if len(line) < 2 || line[0] != '{' {
		return ""
	}
	return text(gjson.GetBytes(line, "type"))
}

// object reads a line, false where that is not one whole object, or is nested too deeply.
func object(line []byte) (gjson.Result, bool) {
	line = bytes.TrimSpace(line)
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' || agent.TooDeep(line) || !gjson.ValidBytes(line) {
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

// name returns a string of at most maxName bytes, "" for anything else.
func name(v gjson.Result) string {
	if s := text(v); len(s) <= maxName {
		return s
	}
	return ""
}

// count returns a whole number from 0 to maxCount, nil for anything else.
func count(v gjson.Result) *int64 {
	n := int64(v.Num)
	if v.Type != gjson.Number || v.Num < 0 || v.Num > maxCount || float64(n) != v.Num {
		return nil
	}
	return &n
}

// sum returns the sum of the counts that are not nil; ok is false where all are.
func sum(counts ...*int64) (total int64, ok bool) {
	for _, c := range counts {
		if c != nil {
			total, ok = total+*c, true
		}
	}
	return total, ok
}
