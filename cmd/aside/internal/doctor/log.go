package doctor

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/cmd/internal/runs"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/internal/agent"
)

const (
	shownFailures = 5
	oldFailure    = 7 * 24 * time.Hour // an older failure is not shown
	// settled is how much later than a failure something must be that shows that it is over: the log tells
	// seconds, and a hook that fails may have stored its turn.
	settled = 2 * time.Second
)

// failure is a failure of hooks, as the log tells it.
type failure struct {
	agent string // "": none is known
	text  string
	at    time.Time // the last time
	times int
}

// log looks at the failures in the hooks' logs. A failure that is over is not wrong: of an agent whose hooks
// have taken a turn since, whose configuration or program has changed since, or that has no hooks any longer.
func (d *doctor) log(ctx context.Context) {
	var all []failure
	for _, path := range d.host.LogFiles() {
		all = gather(all, tail(path, 64<<10), time.Now())
	}
	if d.only != "" {
		all = slices.DeleteFunc(all, func(f failure) bool { return f.agent != d.only && f.agent != "" })
	}
	if d.stuck != "" { // doctor names it already; what follows from it is not a failure of its own
		all = slices.DeleteFunc(all, func(f failure) bool { return strings.Contains(f.text, d.stuck) })
		if len(all) == 0 {
			return
		}
	}
	latest := d.latest(ctx)
	open := slices.DeleteFunc(slices.Clone(all), func(f failure) bool { return d.over(f, latest) })
	switch {
	case len(all) == 0:
		d.say("log", fine, "", "no hook has failed of late")
	case len(open) == 0:
		d.say("log", fine, "", "no hook fails: %s of late, all of them over", terminal.Count(times(all), "failure"))
	}
	slices.SortStableFunc(open, func(a, b failure) int { return b.at.Compare(a.at) })
	for _, f := range open[:min(len(open), shownFailures)] {
		d.say("log", wrong, d.remedy(f), "%s %s%s", f.at.Local().Format("2006-01-02 15:04"),
			strings.TrimSpace(f.agent+" "+f.text), map[bool]string{true: fmt.Sprintf(" (%d times)",
				f.times)}[f.times > 1])
	}
	if n := len(open) - shownFailures; n > 0 {
		d.say("log", note, "tail -n 20 "+d.machine.Quoted(d.host.LogFiles()[0]), "%s before these",
			terminal.Count(times(open[shownFailures:]), "failure"))
	}
}

// gather adds the lines of a log to failures; equal ones are counted.
func gather(all []failure, lines []string, now time.Time) []failure {
	for _, l := range lines {
		stamp, rest, _ := strings.Cut(l, " ")
		at, err := time.Parse(time.RFC3339, stamp)
		if err != nil || now.Sub(at) > oldFailure {
			continue
		}
		name, text, _ := strings.Cut(rest, " ")
		if _, known := agent.Named(name); !known {
			if name != "-" {
				text = rest
			}
			name = ""
		}
		i := slices.IndexFunc(all, func(f failure) bool { return f.agent == name && f.text == text })
		if i < 0 {
			i, all = len(all), append(all, failure{agent: name, text: text})
		}
		all[i].times++
		if at.After(all[i].at) {
			all[i].at = at
		}
	}
	return all
}

func times(all []failure) (n int) {
	for _, f := range all {
		n += f.times
	}
	return n
}

// latest returns when each agent has last taken a turn; under "" is the latest of all of them.
func (d *doctor) latest(ctx context.Context) map[string]time.Time {
	store := d.store()
	if store == nil {
		return nil
	}
	latest := runs.Latest(ctx, d.Env, store)
	for _, at := range latest {
		if at.After(latest[""]) {
			latest[""] = at
		}
	}
	return latest
}

// over reports whether a failure is over. What is wrong with a rule's text shows only when it fires, so turns
// say nothing of it: its file must have changed.
func (d *doctor) over(f failure, turns map[string]time.Time) bool {
	after := func(at time.Time) bool { return at.Sub(f.at) > settled }
	if strings.HasPrefix(f.text, textFailed) {
		return after(d.ruled)
	}
	if f.agent == "" {
		return after(turns[""]) || after(d.mended[""])
	}
	mended, registered := d.mended[f.agent]
	return after(turns[f.agent]) || after(mended) || !registered
}

// textFailed begins the failure of a hook that could not write the text of a reminder.
const textFailed = "the text of reminder "

// remedy returns what to do about a failure that is not over.
func (d *doctor) remedy(f failure) string {
	install := "aside setup" + strings.TrimRight(" "+f.agent, " ")
	text := strings.ToLower(f.text)
	for _, r := range []struct{ words, remedy string }{
		{"wrong usage", install + " writes the command anew"},
		{"there is no agent", install + " writes the command anew"},
		{textFailed, "aside check"},
		{"rules together take too long", "aside list; fewer rules, or aside disable NAME"},
		{"it took too long", "aside check; the next hook makes up for it"},
		{"stdin", "update aside, then " + install + ": the agent sends what this version does not know"},
		{"names no session", "update aside, then " + install + ": the agent sends what this version does not know"},
		{hook.KeepVariable, "unset " + hook.KeepVariable},
		{"home is not set", "export HOME"},
		{"file for texts", "rm " + d.machine.Quoted(d.textPath(f.agent)) + ", if what it says is not needed"},
		{"no space", "df -h " + d.machine.Quoted(d.machine.State)},
		{"disk", "df -h " + d.machine.Quoted(d.machine.State)},
		{"permission", "ls -ld " + d.machine.Quoted(d.machine.State)},
		{"read-only", "ls -ld " + d.machine.Quoted(d.machine.State)},
		{"corrupt", "aside setup --check, after the next turn of the agent"},
		{"damaged", "aside setup --check, after the next turn of the agent"},
	} {
		if strings.Contains(text, strings.ToLower(r.words)) {
			return r.remedy
		}
	}
	return "tail -n 20 " + d.machine.Quoted(d.host.LogFiles()[0]) +
		"; it counts until the next turn that succeeds"
}

// textPath returns the path of the file from which an agent reads its texts, or of the state directory.
func (d *doctor) textPath(name string) string {
	if a, ok := agent.Named(name); ok && a.Config.TextFile != "" {
		return cmp.Or(os.Getenv(a.Config.TextFile), d.machine.TextFile(a))
	}
	return d.machine.State
}

// tail returns the lines in the last bytes, at most most, of a regular file; none where it cannot be read.
// The first may be cut off.
func tail(path string, most int64) (lines []string) {
	fi, err := os.Lstat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if fi.Size() > most {
		if _, err := f.Seek(-most, io.SeekEnd); err != nil {
			return nil
		}
	}
	for s := bufio.NewScanner(f); s.Scan(); {
		lines = append(lines, s.Text())
	}
	return lines
}
