package grammar_test

import (
	"os"
	"strings"
	"testing"

	"github.com/aside-go/aside/grammar"
)

// canonical returns the triggers of testdata/canonical.txt.
func canonical(t testing.TB) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/canonical.txt")
	if err != nil {
		t.Fatal(err)
	}
	var triggers []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && !strings.HasPrefix(line, "#") {
			triggers = append(triggers, line)
		}
	}
	return triggers
}

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, src := range canonical(t) {
		tree, ds := grammar.Parse(src)
		if len(ds) > 0 {
			t.Errorf("%q: %v", src, ds)
			continue
		}
		if got := grammar.Format(tree); got != src {
			t.Errorf("%q is formatted as %q", src, got)
		}
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ src, want string }{
		{"a&&b||!c", "a and b or not c"},
		{"((a))", "a"},
		{"(a and b) or c", "a and b or c"},
		{"a and (b and (c and d))", "a and b and c and d"},
		{"a or (b or c)", "a or b or c"},
		{"not (not (a))", "not not a"},
		{"!(a||b)", "not (a or b)"},
		{"  turn_count\t>\n 10 ", "turn_count > 10"},
		{"75%<context_usage", "context_usage > 75%"},
		{"10 <= turn_count", "turn_count >= 10"},
		{"10 == turn_count", "turn_count == 10"},
		{`"x" in tool_used`, `"x" in tool_used`},
		{"true == user_message", "user_message == true"},
		{"plan == thread_type", "plan == thread_type"},
		{"[a,b]==tool_used", "tool_used == [a, b]"},
		{"after_tool: Edit , 'My Tool' , \"Write\"", `after_tool:Edit,"My Tool",Write`},
		// quotes of a shell hide the parentheses within; an apostrophe is none
		{`after_tool:Bash(echo "a)b") , Edit`, `after_tool:Bash(echo "a)b"),Edit`},
		{"after_tool:Bash(echo ')*')&&resumed", "after_tool:Bash(echo ')*') and resumed"},
		{`after_tool:Bash(x "\")" y)||resumed`, `after_tool:Bash(x "\")" y) or resumed`},
		{"after_tool:Bash(don't*)||after_tool:Bash(it's)", "after_tool:Bash(don't*) or after_tool:Bash(it's)"},
		{`after_tool:Bash(echo ")||resumed`, `after_tool:"Bash(echo \")" or resumed`},
		{`after_tool:"Bash(git push*)" , @edit( *.env )`, `after_tool:Bash(git push*),@edit( *.env )`},
		{`after_tool:"Bash(a))"`, `after_tool:"Bash(a))"`},
		{"thread_type  not\tin [a]", "thread_type not in [a]"},
		{"cost>$5", "cost > $5"},
		{"$5 < cost", "cost > $5"},
		{"every 48h", "every 2d"},
		{"every 1d12h", "every 36h"},
		{"any(calls,.tool=='x')", `any(calls, .tool == "x")`},
		{`prompt matches "\d+\.\b" or prompt matches "\\d"`, `prompt matches "\d+\.\b" or prompt matches "\d"`},
		{`after_tool:":"`, "after_tool::"},
		{`after_tool:" "`, `after_tool:" "`},
		{`after_tool:"and"`, "after_tool:and"},
		{"every 90s", "every 1m30s"},
		{"every 3600s", "every 1h"},
		{"every 1 turns", "every 1 turn"},
		{"every 2 turn", "every 2 turns"},
		{"every 1 user turns", "every 1 user turn"},
		{`prompt == 'it\'s "x"'`, `prompt == "it's \"x\""`},
		{`prompt == "\x41\u00e4\101"`, `prompt == "AäA"`},
		{"len( tool_used )>3", "len(tool_used) > 3"},
		{"any (tool_used,# startsWith 'x'  )", `any(tool_used, # startsWith "x")`},
		{"turn_count%5==0", "turn_count % 5 == 0"},
		{"turn_count-3>5", "turn_count - 3 > 5"},
		{"x == - 5 + y", "x == -5 + y"},
		{"- 5 < x or x in [1,- 2]", "x > -5 or x in [1, -2]"},
		{"5 < turn_count-3", "5 < turn_count - 3"},
		{"f ( ) +g( 0 )>1", "f() + g(0) > 1"},
		{"turn_count in f(1)", "turn_count in f(1)"},
		{"x in (y)", "x in y"},
		{"5<(x)", "x > 5"},
		{"(a&&!b)==c", "(a and not b) == c"},
		{"!(!a)==(b)", "not (not a) == b"},
		{"a-(b-c)*-(-d)+e<(-5)", "a - (b - c) * -(-d) + e < -5"},
		{`x not  matches '"\d"'`, `x not matches "\"\\d\""`},
	} {
		tree, ds := grammar.Parse(c.src)
		if got := grammar.Format(tree); got != c.want {
			t.Errorf("%q is formatted as %q, want %q (%v)", c.src, got, c.want, ds)
		}
	}
}

// A source that is full comes back as it is where its canonical form would not fit any more.
func TestFormatThatWouldNotFit(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		strings.Repeat("a&&", grammar.MaxTrigger/3) + "a",
		"f(" + strings.Repeat("1,", grammar.MaxGeneral/2-3) + "1) and  b",
	} {
		tree, ds := grammar.Parse(src)
		if len(ds) > 0 {
			t.Fatal(ds)
		}
		text := grammar.Format(tree)
		again, ds := grammar.Parse(text)
		if len(ds) > 0 {
			t.Errorf("the canonical form cannot be read: %v", ds)
		}
		if twice := grammar.Format(again); twice != text {
			t.Errorf("the canonical form is not canonical: %.60q", twice)
		}
	}
}
