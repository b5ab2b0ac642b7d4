package reference

import (
	"fmt"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/reminder"
)

// Draw makes choices from bytes; past the end each is the first one. So a fuzzer that changes the bytes
// changes the choices, and every byte counts.
type Draw struct {
	Bytes   []byte
	drawn   map[string]reminder.Reminder // by id, as Rules or a reload last had it
	here    []string                     // the ids of the last Rules or reload
	own     []string                     // the ids of reminders of the run
	keys    int                          // of turns
	behind  string                       // behind the number of a key
	changes int                          // of triggers
	before  *fact.Call                   // the last one that was about to be executed
	again   *fact.Call                   // the last one that was made
	repeats bool                         // calls come again, and reminders ask for that
	at      *fact.Place                  // of all calls; nil until one is asked for
	tells   bool                         // nearly all that happens is told
	lists   bool                         // texts are told without their calls, and the rules stay
	moments bool                         // most reminders are read at another moment than a turn
}

// Below returns a number from 0 to n-1.
func (d *Draw) Below(n int) int {
	if len(d.Bytes) == 0 {
		return 0
	}
	c := int(d.Bytes[0])
	d.Bytes = d.Bytes[1:]
	return c % n
}

func (d *Draw) chance(in int) bool { return d.Below(in) == in-1 }

func (d *Draw) one(from ...string) string { return from[d.Below(len(from))] }

func (d *Draw) some(quote bool, from ...string) string {
	items := make([]string, 1+d.Below(3))
	for i := range items {
		if items[i] = d.one(from...); quote {
			items[i] = `"` + items[i] + `"`
		}
	}
	return strings.Join(items, d.one(", ", ",", " , "))
}

// Facts are the declared facts that Draw uses.
func Facts() []fact.Fact {
	return []fact.Fact{
		{Name: "vars.n", Type: fact.Int}, {Name: "vars.flag", Type: fact.Bool, Kind: fact.Event},
		{Name: "vars.share", Type: fact.Ratio}, {Name: "vars.wait", Type: fact.Duration},
		{Name: "vars.name", Type: fact.String}, {Name: "vars.tags", Type: fact.Set, Kind: fact.Event},
		{Name: "vars.x", Type: fact.Number}, {Name: "vars.hits", Type: fact.Int, Kind: fact.Event},
		{Name: "vars.word", Type: fact.String, Kind: fact.Event},
	}
}

var (
	orders = []string{">", ">=", "<", "<=", "==", "!="}
	wholes = []string{"0", "1", "2", "3", "4", "10", "4k"}
	ratios = []string{"0%", "50%", "0.75", "75%", "100%", "62.5%"}
	spans  = []string{"0s", "90s", "5m", "1h30m", "2d", "1d1h"}
	words  = []string{"plan", "learn", "x", "a b", "", "Plan"}
	lines  = []string{"git push -f", "git push", "ls -la", "go test ./...", "rm -rf x", "echo hi"}
	files  = []string{"a.go", "src/a.go", "src/b/c.sql", ".env", "../out.go", "/p/x/a.go", "/home/u/.env",
		"/tmp/z.sql", "~/.env", "~/.ssh/id", "~/p/src/a.go", "/home/u/.ssh/id", "/home/u/p/src/a.go"}
	places = []fact.Place{{Project: "/p", Home: "/home/u"}, {Project: "/p"}, {Project: "/home/u/p",
		Home: "/home/u"}, {}}
	patterns = []string{"Edit", "Bash", "mcp__*", "@shell", "@edit", "@read", "@search", "@todo",
		"Bash(git push*)",
		"Bash(git*)", "@shell(*test*)", "Bash(rm -rf *)", "Edit(*.go)", "@edit(src/**)", "@edit(*.{go,sql})",
		"Read(/tmp/*)", "@read(~/**)", "@edit(~/.ssh/*)", "@read(.env)", "@edit(~/{.env,p/**})",
		"@search(TODO*)", "mcp__*(*main*)", "*(*x*)", "Bash(ls*)", "Bash(git push)"}
)

// Trigger draws the source of a trigger that compiles with Facts. moment asks for one that is read at another
// moment than a turn.
func (d *Draw) Trigger(depth int) string {
	if depth > 0 {
		switch d.Below(8) {
		case 1, 2:
			return d.Trigger(depth-1) + d.one(" and ", " && ", "&&") + d.Trigger(depth-1)
		case 3, 4:
			return d.Trigger(depth-1) + d.one(" or ", " || ", "||") + d.Trigger(depth-1)
		case 5:
			return d.one("(", "not (", "!(", "not not (") + d.Trigger(depth-1) + ")"
		case 6:
			return d.one("not ", "!", "not ! ") + d.operand()
		}
	}
	return d.operand()
}

// Momentary draws the source of a trigger that is read at another moment than a turn.
func (d *Draw) Momentary() string {
	s := "stopping"
	if d.chance(2) {
		s = "before_tool:" + d.one("*", "*", "@shell", d.pattern(false))
	}
	switch d.Below(8) {
	case 1:
		return s + " and " + d.one("", "not ") + "(" + d.said() + ")"
	case 2:
		return s + " and (" + d.Trigger(1) + ")"
	case 3:
		return s + " and (" + d.happening() + d.one(" and ", " or ") + d.happening() + ")"
	case 0:
		return s
	}
	return s + " and " + d.one("", "not ") + "(" + d.happening() + ")"
}

// happening draws a condition on calls, on their results, or on another event.
func (d *Draw) happening() string {
	if d.repeats && d.chance(3) {
		return d.operand()
	}
	kind := d.Below(11)
	if d.lists && kind < 3 {
		kind = 4
	}
	switch kind {
	case 0:
		return d.one("after_tool:", "tool_failed:", "tool_used == ", "tool_used != ") + d.pattern(true)
	case 1:
		return d.one("any", "all", "none", "one", "one") + "(calls, " + d.condition(1) + ")"
	case 2:
		return "count(calls, " + d.condition(1) + ") " + d.one(orders...) + " " + d.one("0", "1", "2", "4")
	case 3:
		return "len(" + d.one("calls", "tool_used", "command", "output", "path", "vars.tags") + ") " +
			d.one(orders...) + " " + d.one("0", "1", "2", "4")
	case 4:
		return d.one("command", "output", "path", "output", "command", "written", "vars.tags") + " " +
			d.one("contains", "startsWith", "endsWith", "==", "!=") + " " +
			d.one(`"git"`, `"x"`, `"src/a.go"`, `"FAIL"`, `".sql"`, `"ls -la"`, `""`)
	case 5, 8:
		return d.one("one", "one", "any", "none", "all") + d.one(`(vars.tags, # == "x")`, `(vars.tags, # != "x")`,
			`(output, # contains "FAIL")`, `(tool_used, # == "Edit")`, `(tool_used, # != "Edit")`,
			`(calls, .tool != "Bash" or .failed)`, `(calls, .class == "edit" or .output contains "a")`,
			"(vars.tags, # == vars.name)", "(vars.tags, # != vars.name)", "(vars.tags, # != vars.word)")
	case 6:
		return d.one("vars.hits > 1", "vars.hits > 0 and vars.hits < 3", "vars.hits in [1, 2]",
			"vars.hits * 2 != 2", `vars.word == "x"`, `vars.word != "plan"`, "vars.name in vars.tags", "vars.name startsWith vars.word",
			"vars.hits <= len(vars.tags)", "vars.hits + turn_count > 3")
	case 9:
		return d.one("last_tool_call_failed", "last_tool_call_failed", "last_tool_call_failed != true",
			"failures_in_row == 1", "failures_in_row == 2", "failures_in_row > 1")
	default:
		return d.one("compacted", "user_message", "resumed", "vars.flag", "started",
			"compacted == resumed", "vars.flag in [true]", "vars.flag not in [true]", "user_message != true")
	}
}

// said draws a condition on texts that nobody keeps, alone or beside another fact.
func (d *Draw) said() string {
	return d.one(`prompt contains "deploy"`, `prompt matches "(?i)\bdeploy\b"`,
		`lower(prompt) contains "deploy"`,
		`len(prompt) > 3`, `prompt startsWith "please"`, `len(prompt) > turn_count`,
		`len(prompt) >= len(response)`, "prompt contains response", "prompt endsWith response", `response contains "done"`, `prompt in ["x", "y"]`,
		`prompt contains branch`, `prompt != "x"`, `response not in ["x", ""]`, `lower(prompt) != "x"`,
		`len(response) < 2`, "prompt in vars.tags", "any(vars.tags, # == response)", `response == "x"`)
}

func (d *Draw) pattern(quoted bool) string {
	p := d.one(patterns...)
	if quoted || d.chance(2) {
		return `"` + p + `"`
	}
	return p
}

// broad are patterns that look at subjects and match most of those drawn, so that calls of one turn match
// two.
var broad = []string{"@shell(**)", "@edit(**)", "@read(**)"}

func (d *Draw) quoted(from []string) string { return `"` + d.one(from...) + `"` }

func (d *Draw) operand() string {
	if d.repeats && d.chance(3) {
		return "identical_calls " + d.one(orders...) + " " + d.one("1", "2", "3")
	}
	switch d.Below(26) {
	case 24, 25:
		return d.happening()
	case 0:
		return d.one("always", "never", "manual", "started", "user_message", "compacted", "resumed")
	case 1:
		return d.one("last_tool_call_failed", "vars.flag", "compacted == false", "vars.flag != true",
			"vars.flag in [true, false]", "compacted == resumed")
	case 2:
		return d.one("turn_count", "context_tokens", "failures_in_row", "user_turn_count", "tool_calls",
			"message_count", "identical_calls") +
			d.one(" ", "") + d.one(orders...) + d.one(" ", "") + d.one(wholes...)
	case 3:
		return d.one("context_usage", "vars.share") + d.one(orders...) + d.one(ratios...)
	case 4:
		return d.one("elapsed", "idle", "vars.wait") + " " + d.one(orders...) + " " + d.one(spans...)
	case 5:
		return d.one(wholes...) + " " + d.one(orders...) + " turn_count"
	case 6:
		return d.one("turn_count", "vars.n") + d.one(" in [", " not in [") + d.some(false, wholes...) + "]"
	case 7:
		return d.one("thread_type", "model", "vars.name") + d.one(" == ", " != ") + d.quoted(words)
	case 8:
		return d.one("thread_type", "vars.name") + d.one(" in [", " not in [") + d.some(true, words...) + "]"
	case 9:
		return "tool_used " + d.one("==", "!=") + " " + d.pattern(true)
	case 10:
		if d.chance(3) {
			return "vars.tags in [" + d.some(true, words...) + "]"
		}
		return "tool_used" + d.one(" in [", " not in [") + d.some(true, patterns...) + "]"
	case 11, 12:
		args := make([]string, 1+d.Below(2))
		for i := range args {
			args[i] = d.pattern(false)
		}
		return d.one("after_tool:", "tool_failed:", "after_tool: ") + strings.Join(args, d.one(",", ", "))
	case 13:
		return d.one("turn_gt:2", "user_turn_gt:1", "thread:plan,learn", `thread_type matches "^Pl"`,
			`thread_type contains "PLA"`, "thread:PLAN", `lower(thread_type) == "plan"`, "vars.name == lower(thread_type)", "repeated_tool_chain:Edit|2",
			"repeated_tool_chain:Edit>Ba*|1", "turn_gt:4k")
	case 14:
		return d.one("every 3 turns", "every 2 user turns", "every 5m", "every 1 turn",
			"every 2 turns", "every 90s")
	case 15:
		return d.one("tool_count", "turns_since_tool") + "(" + d.pattern(true) + ") " + d.one(orders...) + " " +
			d.one("0", "1", "2", "3")
	case 16:
		return d.one("used("+d.pattern(true)+")", "called_since("+d.pattern(true)+", "+d.pattern(true)+")",
			"called_since("+d.quoted(broad)+", "+d.quoted(broad)+")",
			"not called_since("+d.quoted(broad)+", "+d.quoted(broad)+")",
			`turns_since("r") >= 3`, `output_tokens_since("r") > 1`, `tool_chain_repeats("Edit > Bash") == 1`,
			`2 < turns_since("a")`, `turns_since("a") <= 2`)
	case 17:
		return d.one("command", "path", "output", "vars.tags", "written") + " " +
			d.one("contains", "startsWith", "endsWith", "==", "!=", "matches") + " " +
			d.one(`"git"`, `"x"`, `"a.go"`, `"FAIL"`, `".sql"`)
	case 18:
		return d.one(`output matches "\bFAIL\b"`, `output matches "\\bFAIL\\b"`,
			`command matches "^git (push|pull)"`,
			`path endsWith ".go"`)
	case 19:
		return d.one("any", "all", "none", "one") + "(" + d.one("calls", "calls", "calls") + ", " +
			d.condition(2) + ")"
	case 22:
		return d.said()
	case 23:
		return d.one("user_message", "compacted") + d.one(" and ", " or not ") + d.said()
	case 20:
		return d.one(`any(tool_used, # startsWith "mcp__")`, `none(vars.tags, # contains "x")`,
			`count(tool_used, # == "Edit") > 1`, "count(calls, "+d.condition(1)+") "+d.one(orders...)+" 1",
			`all(output, not (# contains "FAIL"))`, "len(calls) > 1", "len(tool_used) >= 2", "len(command) == 1")
	default:
		return d.one("len(tool_used) + 1 > turn_count", "turn_count % vars.n == 0",
			"context_tokens / context_window > 0.5", `tool_count("Edit") > turns_since_tool("Bash")`,
			"turn_count * turn_count > 9", "vars.x * 2 - 1 >= 0.5", "vars.name in vars.tags",
			"elapsed - idle > 5m", "elapsed > 2 * idle", "elapsed / idle >= 1.5", "-idle + 1h < elapsed",
			"cost / turn_count > $0.5", "cost - $1 <= 2 * cost", "context_usage + 10% > 60%", "len(prompt) > 0.01k",
			"context_tokens / context_window > 50%", "turn_count % 3 == 0", "vars.wait + idle > 1m30s",
			"turn_count / vars.n == 2", "context_usage * 2 > vars.share",
			"context_tokens > context_window",
			"turn_count <= vars.n", "weekday in [sat, sun]", "hour >= 22", "weekday == mon", "cost > $5",
			"cost <= $0.5", "branch == main", `cwd endsWith "x"`, "-1 < vars.n", "thread_type in tool_used", "thread_type in vars.tags")
	}
}

// condition draws a condition on one call.
func (d *Draw) condition(depth int) string {
	if depth > 0 && d.chance(2) {
		return d.condition(depth-1) + d.one(" and ", " or ") + d.condition(depth-1)
	}
	return d.one(`.written contains "x"`, `.tool == "Bash"`, ".failed", "not .failed", `.output contains "FAIL"`, `.path endsWith ".go"`,
		`.command startsWith "git"`, `.class == "edit"`, `.path == "src/a.go"`, `.path contains "a"`, `.command matches "push|rm"`,
		"len(.output) > 3", ".duration > 90s", ".duration * 2 <= 5m", `.input.x == "a"`, `.input.n != "1"`,
		`.input.x in ["b", ""]`)
}

// Line draws a command line.
func (d *Draw) Line(depth int) string {
	s := d.one(lines...)
	if depth == 0 {
		return s
	}
	switch d.Below(12) {
	case 1:
		return d.Line(depth-1) + d.one(" && ", "; ", " || ", " | ", "\n", ";", "&&") + d.Line(depth-1)
	case 2:
		return "( " + d.Line(depth-1) + ")"
	case 3:
		return d.one("sudo ", "env ", "nohup ", "time ", "timeout 5 ", "nice ", "exec ", "command ",
			"A=1 ", "env A=b ",
			"xargs ") + s
	case 4:
		inner := d.Line(depth - 1)
		if strings.Contains(inner, "'") {
			inner = s
		}
		return d.one("sh -c '", "bash -c '", "zsh -lc '", "sudo sh -c '") + inner + "'"
	case 5:
		return "echo $( " + d.Line(depth-1) + ")"
	case 6:
		return `echo "` + s + `"`
	case 7:
		return `echo "x $( ` + d.Line(depth-1) + `)" y`
	case 8:
		return "cd a && " + d.Line(depth-1)
	case 9:
		return "echo '" + s + "; " + d.one(lines...) + "'"
	}
	return s
}

// call draws a call, any part of which may not be told.
func (d *Draw) call() fact.Call {
	c := fact.Call{Failed: fact.Truth(d.Below(3)), Told: !d.untold(6), OutputTold: !d.untold(5)}
	if d.tells {
		c.Failed = fact.Of(c.Failed == fact.True)
	}
	tool := []struct {
		name  string
		class fact.Class
	}{{"Bash", fact.Shell}, {"Edit", fact.Edit}, {"Read", fact.Read}, {"mcp__gh__merge", fact.NoClass}, {"Grep",
		fact.Search},
		{"Todo", fact.Todo}, {"shell", fact.Shell}, {"Other", fact.NoClass}}[d.Below(8)]
	c.Tool, c.Class = tool.name, tool.class
	if d.chance(3) {
		c.Duration, c.DurationTold = time.Duration(d.Below(4))*time.Minute, true
	}
	if d.chance(3) {
		c.Input = d.one(`{"x":"a","n":1}`, `{"n":1,"x":"a"}`, `{"x":"b"}`, "{}")
	}
	if c.OutputTold {
		c.Output = d.one("", "ok", "FAIL x", "a FAILED b", "x git")
	}
	if c.Told {
		switch c.Class {
		case fact.Shell:
			c.Command = d.Line(2)
			d.edits(&c)
		case fact.Edit, fact.Read:
			for range 1 + d.Below(2) {
				c.Paths = append(c.Paths, d.one(files...))
			}
			if c.Class == fact.Edit && !d.untold(4) {
				c.WrittenTold = true
				for range d.Below(3) {
					c.Written = append(c.Written, d.one("x", "a\nx", "git", "", "FAIL"))
				}
			}
		case fact.Todo:
		default:
			c.Subject = d.one("TODO x", `{"base":"main"}`, "x", "y")
		}
	}
	return c
}

// edits draws what a command changes in files.
func (d *Draw) edits(c *fact.Call) {
	if !d.chance(3) {
		return
	}
	c.Edits, c.Unsaid, c.WrittenTold = true, d.chance(2), !d.chance(3)
	for range d.Below(3) {
		c.Paths, c.Written = append(c.Paths, d.one(files...)), append(c.Written, d.one("x", "git", ""))
	}
}

// bare is a call of which the name and the class alone are told.
func bare(c fact.Call) fact.Call { return fact.Call{Tool: c.Tool, Class: c.Class} }

// place is where the paths of all calls lie.
func (d *Draw) place() fact.Place {
	if d.at == nil {
		d.at = &places[d.Below(len(places))]
	}
	return *d.at
}

// untold draws whether something is not told.
func (d *Draw) untold(in int) bool { return d.chance(in) && (!d.tells || d.chance(4)) }

// calls draws what a turn tells of calls.
func (d *Draw) calls(o *Occasion) {
	defer func() {
		for _, name := range []string{"command", "output"} {
			if d.lists && !o.Told && d.chance(2) {
				o.Facts[name] = []string{d.one("git push", "FAIL x"), d.one("ls -la", "a.go")}
			}
		}
	}()
	switch {
	case d.lists && d.chance(2), d.untold(6):
		return
	case d.untold(3):
		o.Tools = true
	default:
		o.Tools, o.Told = true, true
	}
	for range d.Below(4) {
		c := d.call()
		if d.repeats && d.again != nil && d.Below(3) > 0 {
			c = *d.again // its input in another spelling
			c.Input = strings.Replace(c.Input, `{"x":"a","n":1}`, `{ "n": 1, "x": "a" }`, 1)
		}
		if d.again = &c; !o.Told {
			c = bare(c)
		}
		o.Calls = append(o.Calls, c)
	}
	if !o.Told && d.chance(2) {
		o.FailedTold, o.Failed = true, []string{}
		for _, c := range o.Calls {
			if d.chance(2) {
				o.Failed = append(o.Failed, c.Tool)
			}
		}
	}
}

// facts draws the facts of a turn.
func (d *Draw) facts(o *Occasion) {
	put := func(name string, v any) {
		if !d.untold(4) {
			o.Facts[name] = v
		}
	}
	for _, name := range []string{"user_message", "resumed", "vars.flag"} {
		put(name, d.chance(2))
	}
	put("compacted", d.chance(5))
	put("vars.hits", float64(d.Below(4)))
	put("vars.word", d.one(words...))
	for _, name := range []string{"context_tokens", "context_window", "message_count", "vars.n"} {
		put(name, []float64{0, 1, 2, 3, 4, 10, 11, 4000}[d.Below(8)])
	}
	put("context_usage", []float64{0, 0.5, 0.625, 0.75, 0.8, 1}[d.Below(6)])
	put("vars.share", []float64{0, 0.5, 0.75, 1}[d.Below(4)])
	put("vars.wait", []float64{0, 90e9, 300e9, 5400e9}[d.Below(4)])
	put("vars.x", []float64{0, 0.75, -1, 2.5}[d.Below(4)])
	put("cost", []float64{0, 0.5, 4.99, 5, 6}[d.Below(5)])
	for _, name := range []string{"thread_type", "model", "vars.name"} {
		put(name, d.one(words...))
	}
	if !d.chance(3) { // else the latest one stands
		put("prompt", d.one("", "please deploy now", "Deployment", "DEPLOY", "x"))
	}
	put("response", d.one("all done", "", "x"))
	put("branch", d.one("main", "dev"))
	put("cwd", d.one("/p", "/p/x"))
	tags := make([]string, d.Below(3))
	for i := range tags {
		tags[i] = d.one(words...)
	}
	put("vars.tags", tags)
}

// Occasion draws a turn with its past.
func (d *Draw) Occasion() *Occasion {
	o := &Occasion{Facts: map[string]any{}, Place: d.place(), Self: "self"}
	d.calls(o)
	d.facts(o)
	for _, name := range []string{"turn_count", "user_turn_count", "tool_calls", "failures_in_row"} {
		if !d.chance(4) {
			o.Facts[name] = float64(d.Below(6))
		}
	}
	for name, v := range map[string]float64{"elapsed": []float64{0, 90e9, 5400e9}[d.Below(3)], "idle": 300e9} {
		o.Facts[name] = v
	}
	o.Facts["started"] = d.chance(4)
	o.Facts["hour"] = float64(d.Below(24))
	o.Facts["weekday"] = d.one("mon", "sat", "sun")
	if d.chance(8) {
		return o
	}
	o.Past = &Journal{Place: d.place(), UserTurn: d.Below(5), UserKnown: d.chance(2),
		Output: float64(d.Below(9)), OutputKnown: d.chance(2), At: int64(d.Below(9)) * 90e9,
		Fires: map[string]Fired{}}
	for range d.Below(5) {
		var before Occasion
		d.calls(&before)
		o.Past.Turns = append(o.Past.Turns, Reported{Calls: before.Calls, Tools: before.Tools, Told: before.Told})
	}
	o.Past.Turns = append(o.Past.Turns, Reported{Calls: o.Calls, Tools: o.Tools, Told: o.Told})
	for _, id := range []string{"r", "a", "self"} {
		if len(o.Past.Turns) > 1 && d.chance(2) {
			o.Past.Fires[id] = Fired{Turn: 1 + d.Below(len(o.Past.Turns)-1), UserTurn: d.Below(o.Past.UserTurn + 1),
				UserKnown: d.chance(2), Output: float64(d.Below(9)), OutputKnown: d.chance(2), At: int64(
					d.Below(9)) * 60e9}
		}
	}
	switch d.Below(6) {
	case 4:
		o.Moment = fact.Stopping
	case 5:
		c := d.call()
		o.Moment, o.Before = fact.BeforeTool, &c
	}
	return o
}

// String describes the occasion for the message of a failed test.
func (o *Occasion) String() string {
	past := "nothing"
	if o.Past != nil {
		past = fmt.Sprintf("%+v", *o.Past)
	}
	return fmt.Sprintf("facts %v\ncalls %+v told %v %v failed %v %v\nmoment %v %+v between %v\npast %s", o.Facts,
		o.Calls, o.Tools, o.Told, o.Failed, o.FailedTold, o.Moment, o.Before, o.Between, past)
}
