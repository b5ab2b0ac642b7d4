package doctor

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/aside/internal/install"
	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/agent"
)

// tried is a command of hooks that runs.
type tried struct {
	*agent.Agent
	install.Command
}

// probes sends a text all the way that it takes to a model, short of the model: a prompt that fires a
// reminder by hand goes into the hooks of each agent, and into each server that runs here. It says where the
// text is lost. The runs of the probes are forgotten.
func (d *doctor) probes(ctx context.Context) {
	dir, err := d.StateDir()
	if err != nil {
		return // the check of the state directory reports it
	}
	servers := hook.Servers(dir)
	for _, c := range d.commands {
		d.agent = c.Agent
		d.probeHook(ctx, c, servers)
	}
	d.agent = nil
	for _, s := range servers {
		d.probeServer(ctx, s)
	}
}

// sample returns a reminder that can be told by its text, of a file that has is true of.
func (d *doctor) sample(has func(file string) bool) (id, text string) {
	if d.set == nil {
		return "", ""
	}
	for i := range d.set.Len() {
		r := d.set.Reminder(i)
		text, _, _ = strings.Cut(strings.TrimSpace(r.Text), "\n")
		if text != "" && !strings.Contains(r.Text, "{{") && r.Attach != reminder.RunStart && has(r.File) {
			return r.ID, text
		}
	}
	return "", ""
}

// holds reports whether JSON has a text in one of its strings.
func holds(b []byte, text string) bool {
	for dec := json.NewDecoder(bytes.NewReader(b)); ; {
		token, err := dec.Token()
		if s, ok := token.(string); ok && strings.Contains(s, text) {
			return true
		}
		if err != nil {
			return strings.Contains(string(b), text) && err != io.EOF // an agent that takes plain text
		}
	}
}

// probeHook sends a prompt into the hooks of an agent.
func (d *doctor) probeHook(ctx context.Context, c tried, servers []hook.Server) {
	id, text := d.sample(func(string) bool { return true })
	session := "aside-doctor-" + rand.Text()
	event, ok := promptOf(c.Agent, session, id, d.Dir)
	if id == "" || !ok {
		d.say("delivery", note, "", "no prompt was sent through the hooks of %s: %s", c.Title, map[bool]string{
			true:  "no reminder has a text that can be told",
			false: "this agent takes texts at other events, in a form that doctor does not write"}[id == ""])
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Program(), c.Plain()...)
	cmd.Dir, cmd.Stdin, cmd.WaitDelay = d.Dir, bytes.NewReader(event), time.Second
	out, err := cmd.Output()
	if store := d.store(); store != nil {
		_ = store.Delete(ctx, hook.RunOf(c.Name, session, ""))
	}
	switch {
	case err == nil && holds(out, text):
		d.say("delivery", fine, "", "a prompt that fires %s by hand comes back from the hooks with its text", id)
	case err == nil && len(bytes.TrimSpace(out)) == 0 && slices.ContainsFunc(servers,
		func(s hook.Server) bool { return d.host.SendsTo(c.Agent, s) }):
		d.say("delivery", note, "", "the hooks are silent, as they leave the rules to aside serve")
	default:
		d.say("delivery", wrong, "aside list; aside why "+id, "a prompt that fires %s by hand comes back from the "+
			"hooks without its text: %.100q", id, out)
	}
}

// promptOf returns the event in which an agent tells that a person has fired a reminder by hand. ok is false
// where the agent takes no text with such an event.
func promptOf(a *agent.Agent, session, id, dir string) (event []byte, ok bool) {
	names := []string{"UserPromptSubmit"}
	for name, kind := range a.Names {
		if kind == agent.UserPrompt {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		event = a.Stdin(map[string]string{"hook_event_name": name, "cwd": dir, "prompt": "/remind " + id,
			"session_id": session})
		e := a.Decode(agent.Input{Stdin: event, Env: os.Getenv})
		if e.Kind == agent.UserPrompt && e.CanInject && e.Manual == id && e.Session == session {
			return event, true
		}
	}
	return nil, false
}

// probeServer sends a request that fires a reminder by hand to a server, which answers with what it would
// have sent on. It only has its tokens counted, so no run takes a turn.
func (d *doctor) probeServer(ctx context.Context, s hook.Server) {
	id, text := d.sample(s.Has)
	if id == "" {
		d.say("delivery", note, "", "no request was sent through aside serve on %s: none of its reminders has "+
			"a text that can be told here", s.Address)
		return
	}
	body := fmt.Sprintf(`{"model":"of doctor","max_tokens":9,"messages":[`+
		`{"role":"user","content":%q}]}`, "/remind "+id)
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.Address+"/v1/messages/count_tokens",
		strings.NewReader(body))
	if err != nil {
		return
	}
	r.Header.Set(proxy.ProbeHeader, "1")
	r.Header.Set("X-Aside-Run", "aside-doctor-"+rand.Text())
	r.Header.Set(access.Header, os.Getenv("ASIDE_TOKEN"))
	var back []byte
	res, err := (&http.Client{Transport: &http.Transport{}}).Do(r) // no proxy of the environment stands between
	if err == nil {
		defer res.Body.Close()
		back, err = io.ReadAll(io.LimitReader(res.Body, 1<<20))
	}
	switch {
	case err != nil:
		d.say("delivery", wrong, "start aside serve again", "aside serve on %s does not answer: %s", s.Address,
			terminal.Plain(err))
	case res.StatusCode == http.StatusUnauthorized:
		d.say("delivery", note, "export ASIDE_TOKEN, and again: aside setup --check",
			"aside serve on %s asks for its token, so no request was sent through it", s.Address)
	case res.StatusCode == http.StatusOK && holds(back, text):
		d.say("delivery", fine, "", "a request that fires %s by hand leaves aside serve on %s with its text", id,
			s.Address)
	default:
		d.say("delivery", wrong, "curl http://"+s.Address+"/readyz says what is wrong there",
			"a request that fires %s by hand leaves aside serve on %s without its text: status %d, %.100q", id,
			s.Address, res.StatusCode, back)
	}
}
