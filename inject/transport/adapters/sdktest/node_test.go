package sdktest_test

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	aside "github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

//go:embed node/*.mjs node/*.json
var scripts embed.FS

// install puts the scripts and the packages that they use into a folder of their own.
func install(t *testing.T) (dir string) {
	t.Helper()
	testkit.Program(t, "node")
	testkit.Program(t, "npm")
	dir = t.TempDir()
	entries, err := scripts.ReadDir("node")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := scripts.ReadFile("node/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, e.Name()), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--engine-strict=false", "--no-audit",
		"--no-fund", "--prefer-offline", "--loglevel=error",
		"--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000")
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		testkit.Absent(t, "the SDKs for Node are not tried: npm ci: %v\n%s", err, out)
	}
	return dir
}

// script is an agent by an SDK for Node, which a script of its own holds.
type script struct {
	t   *testing.T
	in  *json.Encoder
	out *bufio.Reader
}

type order struct {
	Do      string   `json:"do"`
	Text    string   `json:"text,omitempty"`
	Results []result `json:"results,omitempty"`
}

type reply struct {
	Answer  answer `json:"answer"`
	History string `json:"history"`
	Error   string `json:"error"`
	Status  int    `json:"status"`
}

// run starts a script. It ends with the test.
func run(t *testing.T, dir, name string, w way, m mode, more ...string) *script {
	t.Helper()
	form := "whole"
	if m.stream {
		form = "stream"
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := exec.CommandContext(ctx, "node", append([]string{name + ".mjs", w.url, m.model, form,
		strconv.Itoa(m.retries)}, more...)...)
	c.Dir = dir
	var trouble bytes.Buffer
	c.Stderr = &trouble
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := c.Wait(); err != nil || t.Failed() {
			t.Logf("%s: %v\n%s", name, err, trouble.Bytes())
		}
		cancel()
	})
	return &script{t, json.NewEncoder(in), bufio.NewReader(out)}
}

func (s *script) tell(o order) reply {
	s.t.Helper()
	if err := s.in.Encode(o); err != nil {
		s.t.Fatal(err)
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		s.t.Fatalf("%s: %v", o.Do, err)
	}
	var r reply
	if err := json.Unmarshal(line, &r); err != nil {
		s.t.Fatalf("%v: %s", err, line)
	}
	return r
}

func (s *script) User(text string)    { s.tell(order{Do: "user", Text: text}) }
func (s *script) Results(rs []result) { s.tell(order{Do: "results", Results: rs}) }
func (s *script) History() string     { return s.tell(order{Do: "history"}).History }

func (s *script) Ask(context.Context) (answer, error) {
	r := s.tell(order{Do: "ask"})
	if r.Error != "" {
		return r.Answer, errors.New(strconv.Itoa(r.Status) + ": " + r.Error)
	}
	return r.Answer, nil
}

// nodes are the SDKs for Node, which live in dir.
func nodes(dir string) []sdk {
	by := func(name string, more ...string) func(*testing.T, way, mode) agent {
		return func(t *testing.T, w way, m mode) agent { return run(t, dir, name, w, m, more...) }
	}
	return []sdk{
		{"@anthropic-ai/sdk", aside.Anthropic, []string{"claude-opus-5-5", "claude-sonnet-4-5"}, true, fact.True,
			529, by("anthropic")},
		{"openai chat", aside.Chat, []string{"gpt-5.6"}, false, fact.Unknown, 529, by("chat")},
		{"openai responses", aside.Responses, []string{"gpt-5.6"}, false, fact.Unknown, 529, by("responses")},
		{"openai responses, chained", aside.Responses, []string{"gpt-5.6"}, false, fact.Unknown, 529,
			by("responses", "chained")},
	}
}

// TestNode does for the SDKs for Node what the other tests do for those for Go.
func TestNode(t *testing.T) {
	t.Parallel()
	dir := install(t)
	t.Run("bare", func(t *testing.T) {
		each(t, nodes(dir), func(t *testing.T, s sdk, m mode) {
			m.retries = 2
			w := servePlain(t, modelapi.Options{Script: modelapi.Turns(replies...), Faults: s.troubled()})
			got := play(t, s.open(t, w, m))
			answered := accepted(w.fake.Records())
			sameAnswers(t, got, told(s.thinking), answered)
			sameAttempts(t, w.fake.Records())
			sameFacts(t, s, m, answered)
		})
	})
	t.Run("serve", func(t *testing.T) {
		each(t, nodes(dir), func(t *testing.T, s sdk, m mode) {
			m.retries = 2
			atServe(t, s, m)
		})
	})
}
