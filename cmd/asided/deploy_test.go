//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/testkit"
)

// promtool runs promtool in a directory.
func promtool(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command(testkit.Program(t, "promtool"), args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("promtool %q: %v\n%s", args, err, out)
	}
}

// TestAlerts: each alert fires when it should, and not before or without work.
func TestAlerts(t *testing.T) {
	t.Parallel()
	promtool(t, "deploy/prometheus", "test", "rules", "rules_test.yaml", "quiet_test.yaml")
	rules, err := os.ReadFile("deploy/chart/alerts.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tests []byte
	for _, name := range []string{"rules_test.yaml", "quiet_test.yaml"} {
		b, err := os.ReadFile(filepath.Join("deploy/prometheus", name))
		if err != nil {
			t.Fatal(err)
		}
		tests = append(tests, b...)
	}
	page := exe.Invoke(t, t.TempDir(), nil, "help", "telemetry").Out
	for _, m := range regexp.MustCompile(`alert: (\w+)`).FindAllStringSubmatch(string(rules), -1) {
		if !strings.Contains(string(tests), "alertname: "+m[1]+"\n        exp_alerts") ||
			!strings.Contains(page, "`"+m[1]+"`") {
			t.Errorf("%s is not tested, or not in the manual", m[1])
		}
	}
}

// place is where a panel stands.
type place struct{ X, Y, W, H int }

// dashboard is the part of the dashboard that is looked at.
type dashboard struct {
	UID    string
	Panels []struct {
		ID                       int
		Type, Title, Description string
		GridPos                  place
		Targets                  []struct{ Expr string }
	}
	Templating struct {
		List []struct{ Name, Definition string }
	}
	Annotations struct{ List []struct{ Expr string } }
}

// TestDashboard: its panels overlap nowhere, and each of its queries is one.
func TestDashboard(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("deploy/grafana/aside.json")
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(b, &d); err != nil {
		t.Fatal(err)
	}
	var exprs []string
	for _, a := range d.Annotations.List {
		exprs = append(exprs, a.Expr)
	}
	ids := map[int]bool{}
	for i, p := range d.Panels {
		if ids[p.ID] || p.Title == "" || p.Type != "row" && (p.Description == "" || len(p.Targets) == 0) {
			t.Errorf("panel %d %q: its id is taken, or it says too little", p.ID, p.Title)
		}
		ids[p.ID] = true
		at := p.GridPos
		if at.X+at.W > 24 {
			t.Errorf("%q is wider than the page", p.Title)
		}
		for _, o := range d.Panels[:i] {
			if q := o.GridPos; at.X < q.X+q.W && q.X < at.X+at.W && at.Y < q.Y+q.H && q.Y < at.Y+at.H {
				t.Errorf("%q lies over %q", p.Title, o.Title)
			}
		}
		for _, target := range p.Targets {
			exprs = append(exprs, target.Expr)
		}
	}
	if len(exprs) < 20 || d.UID == "" {
		t.Errorf("%d queries in %q", len(exprs), d.UID)
	}
	values := strings.NewReplacer("$__rate_interval", "5m", "$__range", "6h", "$job", "aside", "$instance", "a")
	var rules strings.Builder
	rules.WriteString("groups:\n- name: queries\n  rules:\n")
	for i, e := range exprs {
		fmt.Fprintf(&rules, "  - record: query_%d\n    expr: %q\n", i, values.Replace(e))
	}
	dir := t.TempDir()
	process.Put(t, dir, "queries.yaml", rules.String())
	promtool(t, dir, "check", "rules", "queries.yaml")
}

// TestMetricNames: dashboard, alerts and manual name metrics that a process has, and the manual names each.
func TestMetricNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	process.Put(t, dir, "rules/kind.md",
		"---\nwhile: always\nexpect: turn_count >= 1\nwithin: 1 turns\n---\nBe kind.\n")
	process.Put(t, dir, "rules/rare.md", "---\nwhile: always\ncooldown: 5 turns\n---\nBe rare.\n")
	process.Put(t, dir, "rules/half.md", "---\nwhile: always\nholdout: 100%\n---\nBe half.\n")
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"type":"message","content":[{"type":"text","text":"b"}]}`)
	}))
	defer up.Close()
	s := exe.Serve(t, dir, nil, "--upstream", up.URL, "--rules", "rules", "--state", "memory")
	for _, messages := range []string{`{"role":"user","content":"a"}`,
		`{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"}`} {
		r, err := http.NewRequest("POST", s.URL+"/v1/messages",
			strings.NewReader(`{"model":"m","messages":[`+messages+`]}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Aside-Run", "run")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
	s.Ask("POST", "/v1/messages", "no JSON")
	live := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (aside_\w+)`).FindAllStringSubmatch(
		s.Ask("GET", "/metrics", ""), -1) {
		live[m[1]] = true
	}
	// those of bundles are there where one is used
	bundles := exe.Invoke(t, t.TempDir(), nil, "help", "bundles").Out
	for _, name := range regexp.MustCompile(`aside_bundle_\w+`).FindAllString(bundles, -1) {
		live[name] = true
	}
	page := bundles + exe.Invoke(t, t.TempDir(), nil, "help", "telemetry").Out
	for name := range live {
		if !strings.Contains(page, "`"+name+"`") && !strings.Contains(page, "`"+name+"{") {
			t.Errorf("the manual does not name %s", name)
		}
	}
	files, _ := filepath.Glob("deploy/*/*")
	all := page
	for _, f := range files {
		if b, err := os.ReadFile(f); err == nil {
			all += string(b)
		}
	}
	names := regexp.MustCompile(`\baside_[a-z_]+\b`).FindAllString(all, -1)
	slices.Sort(names)
	names = slices.Compact(names)
	if len(names) < 17 {
		t.Errorf("only %q are named", names)
	}
	for _, name := range names {
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, suffix)
		}
		if !live[name] {
			t.Errorf("%s is named, and no process has it", name)
		}
	}
}
