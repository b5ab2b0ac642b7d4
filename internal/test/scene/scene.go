// Package scene is a session that clients and frameworks play in tests: what a person and a model say, ten
// reminders, and a check of what has reached the API.
package scene

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/inject/transport/adapters"
	"github.com/aside-go/aside/internal/test/modelapi"
)

// Prompts are what the person says.
var Prompts = []string{"Why do the tests fail?", "Mend it.", "Now deploy it."}

// replies are what the model says: calls side by side, of which one fails, calls one by one, and a text at
// the end of each user turn.
var replies = []modelapi.Reply{
	says("", "Read a.go", "Bash test.bad"),
	says("I look at it.", "Edit a.go"),
	says("", "Bash test"),
	says(Ends[0]),
	says("", "Edit b.go", "Read c.go"),
	says("", "Read b.go"),
	says("Now the other one.", "Edit c.bad"),
	says(Ends[1]),
	says("", "Bash push", "Bash push.bad"),
	says("", "Read log"),
	says("", "Edit deploy.yaml"),
	says(Ends[2]),
}

// Ends are the texts with which the model ends each user turn. Each is so long that it identifies the
// conversation of a client that keeps these texts alone.
var Ends = []string{
	"The name is wrong: the test looks for a file that nobody has written under that name so far.",
	"It is mended: the file has the name that the test looks for, and all of the tests pass again now.",
	"It is deployed: the new version answers, and the log of the last minutes holds no error at all.",
}

// says returns a reply with a text and calls, each a tool and its path.
func says(text string, calls ...string) modelapi.Reply {
	r := modelapi.Reply{Parts: []modelapi.Part{{Thinking: "I think about " + text + strings.Join(calls,
		", ") + "."}}}
	if text != "" {
		r.Parts = append(r.Parts, modelapi.Part{Text: text})
	}
	for i, c := range calls {
		name, path, _ := strings.Cut(c, " ")
		id := regexp.MustCompile(`\W`).ReplaceAllString(c, "_")
		r.Parts = append(r.Parts, modelapi.Use("call_"+id+"_"+string(rune('a'+i)), name, `{"path":"`+path+`"}`))
	}
	return r
}

// Options say what is special about a client. The zero Options are those of a client without tools of its
// own.
type Options struct {
	Retries bool                                   // it sends a request again that has failed
	Names   map[string]string                      // what it calls the tools, where it has its own
	Args    func(name, path string) map[string]any // of these tools
	Cuts    bool                                   // it does not send all of its history
	// so many clients play at once, through two processes that share a store; the nth asks below the path /n
	Siblings int
}

func (o Options) name(tool string) string { return cmp.Or(o.Names[tool], tool) }

// script is what the model says. A request without tools, such as one for a title, gets a word.
func (o Options) script() modelapi.Script {
	turns, begun := modelapi.Turns(replies...), 0
	return func(p *modelapi.Prompt) modelapi.Reply {
		if len(p.Tools) == 0 {
			return modelapi.Say("done")
		}
		r := turns(p)
		if o.Cuts {
			r = replies[min(begun, len(replies)-1)]
			begun++
		}
		r.Parts = slices.Clone(r.Parts)
		if o.Siblings > 0 {
			whose := whose.FindString(strings.Join(raws(p), "\n"))
			if whose == "" { // they ask the same, and get answers of their own
				begun++
				whose = fmt.Sprintf("_of_%d_", begun)
			}
			for i, x := range r.Parts {
				if x.Call != nil {
					r.Parts[i] = modelapi.Use(x.Call.ID+whose, x.Call.Name, x.Call.Args)
				}
			}
		}
		if o.Args == nil {
			return r
		}
		for i, x := range r.Parts {
			if x.Call != nil {
				args, err := json.Marshal(o.Args(x.Call.Name, Path(x.Call.Args)))
				if err != nil {
					panic(err) // the test's own
				}
				r.Parts[i] = modelapi.Use(x.Call.ID, o.name(x.Call.Name), string(args))
			}
		}
		return r
	}
}

// whose finds the conversation in the id of one of its calls.
var whose = regexp.MustCompile(`_of_\d+_`)

// raws are the blocks of a prompt.
func raws(p *modelapi.Prompt) (out []string) {
	for _, m := range p.Messages {
		for _, b := range m.Blocks {
			out = append(out, b.Raw, b.ID)
		}
	}
	return out
}

// fails reports whether a call with this path, or with these arguments, fails.
func fails(path string) bool { return strings.Contains(path, ".bad") }

// Tool runs a tool.
func Tool(name, path string) (string, error) {
	if fails(path) {
		return "", errors.New(name + ": exit status 1")
	}
	return name + " of " + path + ": done", nil
}

// Tools are the names of the tools.
var Tools = []string{"Read", "Edit", "Bash"}

// Schema is that of the arguments of each tool.
var Schema = map[string]any{"type": "object", "properties": map[string]any{"path": map[string]any{
	"type": "string"}}}

// Path reads the path in the arguments of a call.
func Path(args string) string {
	var in struct{ Path string }
	_ = json.Unmarshal([]byte(args), &in) // the model has made it
	return in.Path
}

// Setting is what a framework is given.
type Setting struct {
	URL, Model string
	Client     *http.Client
	Stream     bool
	Tool       func(ctx context.Context, name, path string) (string, error)
}

// Agent is a conversation by way of a framework, which keeps the history.
type Agent interface {
	Ask(ctx context.Context, prompt string) (string, error)
	History() any
}

// Framework is a row of a table of frameworks for Go.
type Framework struct {
	Name, Model string
	Told        bool // its adapter tells which calls have failed
	Retries     bool // it sends a request again that has failed
	Open        func(Setting) (Agent, error)
}

// Run plays the session through "aside serve", and with the adapter, streaming and not, with a subagent.
func (f Framework) Run(t *testing.T) {
	for _, stream := range []bool{false, true} {
		form := map[bool]string{false: "whole", true: "stream"}[stream]
		t.Run(f.Name+"/"+f.Model+"/"+form, func(t *testing.T) {
			t.Parallel()
			t.Run("serve", func(t *testing.T) {
				t.Parallel()
				w := Serve(t, Options{Retries: f.Retries})
				f.play(t.Context(), t, Setting{URL: w.URL, Model: f.Model, Client: http.DefaultClient,
					Stream: stream, Tool: func(_ context.Context, name, path string) (string, error) {
						return Tool(name, path)
					}})
				w.Check(t, false)
			})
			t.Run("adapter", func(t *testing.T) {
				t.Parallel()
				f.adapted(t, stream)
			})
		})
	}
}

// adapted plays with the adapter. The first tool runs a subagent, which is asked the very same.
func (f Framework) adapted(t *testing.T, stream bool) {
	t.Helper()
	w, ev := Direct(t, Options{Retries: f.Retries})
	s := Setting{URL: w.URL, Model: f.Model, Client: w.Client, Stream: stream}
	started := make(chan struct{}, 1)
	s.Tool = func(ctx context.Context, name, path string) (string, error) {
		if path == "a.go" && len(started) == 0 {
			started <- struct{}{}
			sub, err := f.Open(s)
			if err != nil {
				return "", err
			}
			ctx, _ := adapters.Begin(ctx, ev, "sub")
			if _, err := sub.Ask(ctx, Prompts[0]); err != nil {
				return "", err
			}
		}
		return Tool(name, path)
	}
	ctx, _ := adapters.Begin(t.Context(), ev, "main")
	f.play(ctx, t, s)
	if len(started) == 0 {
		t.Error("there was no subagent")
	}
	w.Check(t, f.Told)
}

// play plays the session and holds that nothing gets into the framework's history.
func (f Framework) play(ctx context.Context, t *testing.T, s Setting) {
	t.Helper()
	a, err := f.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range Prompts {
		got, err := a.Ask(ctx, p)
		if err != nil || got != Ends[i] {
			t.Fatalf("the client was told %q (%v), want %q", got, err, Ends[i])
		}
	}
	h, err := json.Marshal(a.History())
	if err != nil {
		t.Fatal(err)
	}
	if len(h) < 200 || ours.Match(h) || strings.Contains(string(h), "system-reminder") {
		t.Errorf("the history: %s", h)
	}
}
