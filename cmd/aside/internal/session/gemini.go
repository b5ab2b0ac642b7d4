package session

import (
	"context"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/agent"
)

// Gemini reads a session file of Gemini CLI, in its form with a record on each line (HOOKS.md §6). A file that does not exist is a zero
// Record and no error.
func Gemini(ctx context.Context, path string, o Options) (Record, error) {
	return read(ctx, path, o, func(o Options) reader {
		return &gemini{Options: o, rec: Record{LastFailed: fact.Unknown}, seen: map[string]struct{}{}}
	})
}

// gemini reads lines of a session file, the last one first. Of several records with one id the last counts.
type gemini struct {
	Options
	rec     Record
	counted bool                // nothing earlier in the file can set ContextTokens any more
	rewound string              // id of a message that was removed with all after it, and is still to come; "": none
	begun   bool                // all messages from here back were replaced, and count no more
	seen    map[string]struct{} // ids of messages
	turns   int64               // prompts of persons
}

func (g *gemini) done(whole bool) Record {
	if (whole || g.begun) && g.Whole {
		g.rec.HumanTurns = &g.turns
	}
	g.rec.ContextWindow = window(g.rec.Model, g.rec.ContextTokens)
	return g.rec
}

func (g *gemini) line(at int64, line []byte) (from int64) {
	if v, ok := object(line); ok && !g.begun {
		g.take(at, v)
	}
	if g.begun || !g.Whole && g.counted {
		return at
	}
	return 0
}

func (g *gemini) take(at int64, v gjson.Result) {
	if id := name(v.Get("$rewindTo")); id != "" && g.rewound == "" {
		g.rewound = id
		return
	}
	if list := v.Get("$set.messages"); list.IsArray() {
		messages := list.Array()
		for _, m := range slices.Backward(messages) {
			g.message(at, m)
		}
		g.begun, g.counted = true, true
		return
	}
	g.message(at, v)
}

func (g *gemini) message(at int64, m gjson.Result) {
	id := name(m.Get("id"))
	if id == "" {
		return
	}
	if _, again := g.seen[id]; again {
		return
	}
	g.seen[id] = struct{}{}
	if g.rewound != "" {
		if id == g.rewound {
			g.rewound = ""
		}
		return
	}
	switch text(m.Get("type")) {
	case "gemini":
		if tokens := m.Get("tokens"); tokens.IsObject() && !g.counted {
			g.counted = true
			g.rec.Model = name(m.Get("model"))
			if n := count(tokens.Get("input")); n != nil && *n > 0 {
				g.rec.ContextTokens, g.rec.At = n, at
			}
			if n := count(tokens.Get("output")); n != nil {
				if thoughts := count(tokens.Get("thoughts")); thoughts != nil { // output does not include them
					*n += *thoughts
				}
				g.rec.ResponseTokens, g.rec.Response = n, id
			}
		}
	case "user":
		opening := text(m.Get("content"))
		if m.Get("content").IsArray() {
			opening = text(m.Get("content.0.text"))
		}
		if opening != "" && agent.Wrote(opening) == "" {
			g.turns++
		}
	}
}
