package compile

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aside-go/aside/compile/fact"
)

// shown is how many bytes of a string fact an explanation shows.
const shown = 60

// describe says what facts are, for people: "context_usage is 71%, tool_used is [Edit]". What a person or a model said is
// only measured, since explanations end up in reports and logs.
func describe(f *fact.Frame, ids ...fact.ID) string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteString(", ")
		}
		ft := f.Schema().Fact(id)
		b.WriteString(ft.Name)
		b.WriteString(" is ")
		switch v := f.Value(id).(type) {
		case nil:
			b.WriteString("unknown")
		case bool:
			b.WriteString(strconv.FormatBool(v))
		case int64:
			b.WriteString(strconv.FormatInt(v, 10))
		case float64:
			b.WriteString(fact.Percent(v))
		case time.Duration:
			b.WriteString(v.String())
		case string:
			if id == fact.Prompt || id == fact.Response {
				b.WriteString(plural(len(v), "byte") + " long")
			} else {
				b.WriteString(strconv.Quote(cut(v)))
			}
		case []string:
			b.WriteString("[" + cut(strings.Join(v, ", ")) + "]")
		}
	}
	return b.String()
}

// cut shortens s to what is shown, on a character boundary.
func cut(s string) string {
	if len(s) <= shown {
		return s
	}
	n := shown
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

func plural(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return strconv.Itoa(n) + " " + unit + "s"
}

func wholeText(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
