package install_test

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/cmd/aside/internal/install"
)

// config draws configurations: the same members in all ways of writing them.
type config struct {
	t    *rapid.T
	b    strings.Builder
	nl   string
	ours bool // there may be hooks of ours
	had  bool // there is one
}

// gap is what may stand between two tokens.
func (c *config) gap() {
	c.b.WriteString(rapid.SampledFrom([]string{"", "", "", " ", c.nl, c.nl + "  ", c.nl + "\t",
		"  " + c.nl + "    ", " /* , */ ", " // ]" + c.nl, c.nl + "  // {\"hooks\": [" + c.nl}).Draw(c.t, "gap"))
}

// list writes what is between two brackets.
func (c *config) list(open, close string, n int, item func(i int)) {
	c.b.WriteString(open)
	c.gap()
	for i := range n {
		item(i)
		c.gap()
		if i+1 < n || rapid.IntRange(0, 4).Draw(c.t, "trailing") == 0 {
			c.b.WriteString(",")
			c.gap()
		}
	}
	c.b.WriteString(close)
}

func (c *config) name(s string) {
	c.b.WriteString(`"` + s + `"`)
	c.gap()
	c.b.WriteString(":")
	c.gap()
}

func (c *config) value(depth int) {
	switch k := rapid.IntRange(0, 6).Draw(c.t, "kind"); {
	case k < 2 && depth > 0:
		c.list("{", "}", rapid.IntRange(0, 3).Draw(c.t, "n"), func(int) {
			c.name(rapid.SampledFrom([]string{"a", "b", "hooks", "Stop", "é"}).Draw(c.t, "name"))
			c.value(depth - 1)
		})
	case k < 4 && depth > 0:
		c.list("[", "]", rapid.IntRange(0, 3).Draw(c.t, "n"), func(int) { c.value(depth - 1) })
	default:
		c.b.WriteString(rapid.SampledFrom([]string{"null", "true", "-1.5e3", `""`, `"// \"no\" /* comment"`,
			`"a, b"`}).Draw(c.t, "literal"))
	}
}

func (c *config) handler() {
	commands := []string{"say done", "aside check", "echo; aside hook --agent claude-code"}
	if c.ours {
		commands = append(commands, "aside hook --agent claude-code", "'/a b/aside-hook' --agent=claude-code",
			"/opt/aside/bin/aside-hook --agent claude-code --event x")
	}
	command := rapid.SampledFrom(commands).Draw(c.t, "command")
	c.had = c.had || strings.Contains(command, "--agent") && !strings.HasPrefix(command, "echo")
	c.list("{", "}", 2, func(i int) {
		c.name([]string{"type", "command"}[i])
		c.b.WriteString(`"` + []string{"command", command}[i] + `"`)
	})
}

func (c *config) hooks() {
	events := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"Stop", "SessionStart", "Notification",
		"PostToolBatch"}), 0, 3, rapid.ID[string]).Draw(c.t, "events")
	c.list("{", "}", len(events), func(i int) {
		c.name(events[i])
		c.list("[", "]", rapid.IntRange(0, 2).Draw(c.t, "groups"), func(int) {
			c.list("{", "}", 1, func(int) {
				c.name("hooks")
				c.list("[", "]", rapid.IntRange(0, 3).Draw(c.t, "handlers"), func(int) { c.handler() })
			})
		})
	})
}

func (c *config) draw() string {
	c.nl = rapid.SampledFrom([]string{"\n", "\n", "\r\n"}).Draw(c.t, "nl")
	c.b.WriteString(rapid.SampledFrom([]string{"", "", "\ufeff"}).Draw(c.t, "bom"))
	c.gap()
	n, at := rapid.IntRange(0, 4).Draw(c.t, "members"), rapid.IntRange(0, 5).Draw(c.t, "at")
	c.list("{", "}", n, func(i int) {
		if i == at {
			c.name("hooks")
			c.hooks()
			return
		}
		c.name(rapid.SampledFrom([]string{"a", "model", "permissions"}).Draw(c.t, "name"))
		c.value(3)
	})
	c.gap()
	return c.b.String()
}

// rapidWorld is a world of one check.
func rapidWorld(t *testing.T, rt *rapid.T) (*world, string) {
	w := newWorldAt(rt, must(os.MkdirTemp(t.TempDir(), "")))
	return w, filepath.Join(w.Home, ".claude", "settings.json")
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestInstallLaws: installing keeps each byte and each member that is not ours, twice is once, and
// uninstalling gives back what was there; without the backup, what means the same.
func TestInstallLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := &config{t: rt, ours: rapid.Bool().Draw(rt, "ours")}
		text := c.draw()
		w, path := rapidWorld(t, rt)
		w.write(rt, "home/.claude/settings.json", text)
		r := request(rt, "claude-code", install.User)
		w.install(rt, r)
		after := w.files(rt)["home/.claude/settings.json"]
		if !c.had && !subsequence(text, after) {
			rt.Fatalf("bytes are gone:\n%s\n---\n%s", text, after)
		}
		if got, want := without(decode(rt, after)), without(decode(rt, text)); !reflect.DeepEqual(got, want) {
			rt.Fatalf("it means something else:\n%s\n---\n%s\n%v\n%v", text, after, got, want)
		}
		if res := w.install(rt, r); res.Changed() {
			rt.Fatalf("a second installation changes it:\n%s\n---\n%s", after,
				w.files(rt)["home/.claude/settings.json"])
		}
		if f := w.Inspect(r.Agent, r.Scope); len(f) != 1 || len(f[0].Missing)+len(f[0].Twice) > 0 {
			rt.Fatalf("found %+v in\n%s", f, after)
		}
		backup := must(filepath.Glob(path + ".aside-backup-*"))
		if len(backup) > 1 {
			rt.Fatalf("backups: %q", backup)
		}
		forget := rapid.Bool().Draw(rt, "forget")
		if forget && len(backup) == 1 {
			if err := os.Remove(backup[0]); err != nil {
				rt.Fatal(err)
			}
		}
		w.uninstall(rt, r)
		left := w.files(rt)["home/.claude/settings.json"]
		if !c.had && !forget && left != text {
			rt.Fatalf("left:\n%s\n---\n%s", text, left)
		}
		if got, want := without(decode(rt, left)), without(decode(rt, text)); left != "" &&
			!reflect.DeepEqual(got, want) {
			rt.Fatalf("left means something else:\n%s\n---\n%s", text, left)
		}
		if strings.Contains(left, "/opt/aside/bin/aside-hook") {
			rt.Fatalf("something of ours is left:\n%s", left)
		}
	})
}

// without is a configuration without hooks of ours, and without what is empty then.
func without(x any) any {
	root, ok := x.(map[string]any)
	if !ok {
		return x
	}
	hooks, ok := root["hooks"].(map[string]any)
	if !ok {
		return x
	}
	for event, groups := range hooks {
		var kept []any
		list, _ := groups.([]any)
		for _, g := range list {
			group, _ := g.(map[string]any)
			handlers, is := group["hooks"].([]any)
			if !is {
				kept = append(kept, g)
				continue
			}
			var others []any
			for _, h := range handlers {
				m, _ := h.(map[string]any)
				command, _ := m["command"].(string)
				if !strings.HasPrefix(command, "aside hook") && !strings.HasPrefix(command, "/opt/aside/") &&
					!strings.HasPrefix(command, "'/a b/") {
					others = append(others, h)
				}
			}
			if len(others) > 0 || len(handlers) == 0 {
				kept = append(kept, map[string]any{"hooks": others})
			}
		}
		if len(kept) == 0 {
			delete(hooks, event)
		} else {
			hooks[event] = kept
		}
	}
	if len(hooks) == 0 {
		delete(root, "hooks")
	}
	return x
}
