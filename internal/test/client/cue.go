package client

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"github.com/aside-go/aside/internal/test/modelapi"
)

// Cue says, in the text of a prompt or a tool result, what the model is to answer.
type Cue struct {
	Seed  uint64 // of the answer's content; no other cue has the same
	Left  int    // rounds of tools to come; 0: the model answers with a text and ends the turn
	Think bool   // the model thinks first
	Lone  bool   // the model makes one call at a time, and calls no subagent
	Size  int    // of the answer without thinking, in tokens; 0: a few words
	Bare  bool   // of Gemini: calls have no id

	Fault string // what goes wrong: a status, "cut", "reset" or "garbage"; "": nothing
	Times int    // how often it goes wrong
}

var cues = regexp.MustCompile(`\[cue ([0-9a-f]+) left=(\d+) size=(\d+) ?([a-z0-9 =]*)\]`)

// String returns the cue as it is written in texts.
func (c Cue) String() string {
	s := fmt.Sprintf("[cue %x left=%d size=%d", c.Seed, c.Left, c.Size)
	for _, f := range []struct {
		name string
		is   bool
	}{{"think", c.Think}, {"lone", c.Lone}, {"bare", c.Bare}} {
		if f.is {
			s += " " + f.name
		}
	}
	if c.Fault != "" {
		s += fmt.Sprintf(" fault=%s times=%d", c.Fault, c.Times)
	}
	return s + "]"
}

// cueIn reads the last cue in a text; ok is false if there is none.
func cueIn(text string) (c Cue, ok bool) {
	all := cues.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return c, false
	}
	m := all[len(all)-1]
	c.Seed, _ = strconv.ParseUint(m[1], 16, 64)
	c.Left, _ = strconv.Atoi(m[2])
	c.Size, _ = strconv.Atoi(m[3])
	for _, f := range strings.Fields(m[4]) {
		name, v, _ := strings.Cut(f, "=")
		switch name {
		case "think":
			c.Think = true
		case "lone":
			c.Lone = true
		case "bare":
			c.Bare = true
		case "fault":
			c.Fault = v
		case "times":
			c.Times, _ = strconv.Atoi(v)
		}
	}
	return c, true
}

// Script returns a Script that answers the cues of agents. It counts how often each cue has gone wrong, so it
// is for one Fake.
func Script() modelapi.Script {
	tried := map[uint64]int{}
	return func(p *modelapi.Prompt) modelapi.Reply {
		for i := len(p.Messages) - 1; i >= 0; i-- {
			if r := p.Messages[i].Role; r == "assistant" || r == "model" {
				break // the cue stands behind the last answer
			}
			for k := len(p.Messages[i].Blocks) - 1; k >= 0; k-- {
				c, ok := cueIn(p.Messages[i].Blocks[k].Text)
				if !ok {
					continue
				}
				r := c.reply()
				if tried[c.Seed]++; tried[c.Seed] <= c.Times {
					r.Fault = c.asFault()
				}
				return r
			}
		}
		return modelapi.Say("there is no cue")
	}
}

func (c Cue) asFault() modelapi.Fault {
	switch c.Fault {
	case "cut":
		return modelapi.Fault{Cut: true, After: int(c.Seed % 3)}
	case "reset":
		return modelapi.Fault{Reset: true, After: int(c.Seed % 3)}
	case "garbage":
		return modelapi.Fault{Garbage: true}
	}
	status, _ := strconv.Atoi(c.Fault)
	return modelapi.Fault{Status: status}
}

// task is the tool that runs a subagent.
const task = "Task"

var toolNames = []string{"Read", "Edit", "Bash", "Grep", "TodoWrite", task}

func (c Cue) reply() modelapi.Reply {
	rng := rand.New(rand.NewPCG(c.Seed, 2))
	var parts []modelapi.Part
	if c.Think {
		parts = append(parts, modelapi.Part{Thinking: "I see. " + words(rng, 3+rng.IntN(12))})
	}
	size := c.Size * 4
	if size == 0 {
		size = 40 + rng.IntN(200)
	}
	if c.Left == 0 {
		return modelapi.Reply{Parts: append(parts, modelapi.Part{Text: filled(rng, size)})}
	}
	calls := 1
	if !c.Lone && rng.IntN(3) == 0 {
		calls = 2 + rng.IntN(3)
	}
	if c.Size > 0 {
		args := `{"path":"a.go"}`
		size -= len("Read") + len(args)
		return modelapi.Reply{Parts: append(parts, modelapi.Part{Text: filled(rng, size)}, modelapi.Use(c.id(0),
			"Read", args))}
	}
	if rng.IntN(2) == 0 {
		parts = append(parts, modelapi.Part{Text: words(rng, 2+rng.IntN(10))})
	}
	for i := range calls {
		name := toolNames[rng.IntN(len(toolNames)-1)]
		if !c.Lone && rng.IntN(12) == 0 {
			name = task
		}
		args := fmt.Sprintf(`{"path": "%s/%d.go", "limit": %d, "deep": {"z": [1, 2], "a": "<%s>"}}`, words(rng, 1),
			rng.IntN(100), rng.IntN(1000), words(rng, 1))
		parts = append(parts, modelapi.Use(c.id(i), name, args))
	}
	return modelapi.Reply{Parts: parts}
}

func (c Cue) id(i int) string {
	if c.Bare {
		return ""
	}
	return fmt.Sprintf("call_%x_%d", c.Seed, i)
}

var vocabulary = strings.Fields("the of build test file error parser index loop queue <b> naïve “quoted” " +
	"return \\n && 日本 cache config retry branch merge type " +
	"value state under after every clean green")

// words returns n words.
func words(rng *rand.Rand, n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = vocabulary[rng.IntN(len(vocabulary))]
	}
	return strings.Join(out, " ")
}

// filled returns a text of n bytes of ASCII, at least 1.
func filled(rng *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "line %04x;", rng.IntN(1<<16))
	}
	return b.String()[:max(n, 1)]
}
