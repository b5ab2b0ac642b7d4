//go:build unix

package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestServeTogether: two of them at once, on one state directory.
func TestServeTogether(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "rules/hand.md", "---\nwhen: manual\n---\nx\n")
	a, b := exe.Serve(t, dir, nil, "--rules", "rules", "--state", "state"), exe.Serve(t, dir, nil,
		"--rules", "rules",
		"--state", "state")
	a.Ask("POST", "/v1/runs/r/turns", `{}`)
	if body := b.Ask("POST", "/v1/runs/r/remind/hand", ""); !strings.Contains(body, `"id":"hand"`) {
		t.Error(body)
	}
	if body := a.Ask("POST", "/v1/runs/r/turns", `{}`); !strings.Contains(body, `"id":"hand"`) {
		t.Error(body)
	}
}

// TestElsewhere: who asks asided for what aside has is told so, and the configuration may speak of both.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := exe.Invoke(t, dir, nil, "replay")
	if r.Code != command.ExitUsage || !strings.Contains(r.Err, "it is aside replay") {
		t.Errorf("exit code %d\n%s", r.Code, r.Err)
	}
	out := process.Program(testkit.Built(t, "aside")).Invoke(t, dir, nil, "schema", "config").Out
	var schema struct {
		Properties map[string]struct{ Properties map[string]any }
	}
	if err := json.Unmarshal([]byte(out), &schema); err != nil || len(schema.Properties) < 20 {
		t.Fatal(err, out)
	}
	commands := asided.Configurable(&command.Env{})
	for name, c := range schema.Properties {
		if slices.Contains([]string{"vars", "state", "keep", "color"}, name) {
			continue
		}
		if !slices.Contains(commands.Names(), name) {
			t.Errorf("asided knows nothing of aside %s", name)
		}
		for flag := range c.Properties {
			if own := commands.Flags(name); own != nil && !slices.Contains(own, flag) {
				t.Errorf("asided %s has no flag --%s, which aside gives it", name, flag)
			}
		}
	}
	process.Put(t, dir, "home/.config/aside/config.yaml", "replay: {cost: true}\nserve: {rate: 20}\n")
	if r := exe.Invoke(t, dir, nil, "runs"); strings.Contains(r.Err, "R1102") {
		t.Error(r.Err)
	}
	process.Put(t, dir, "home/.config/aside/config.yaml", "replya: {cost: true}\n")
	if r := exe.Invoke(t, dir, nil, "runs"); !strings.Contains(r.Err, "R1102") {
		t.Error(r.Err)
	}
}
