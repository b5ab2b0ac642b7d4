package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/process"
)

// TestAgentsBeside runs coding agents that have our hooks, beside an aside serve: sent straight to the model
// while it runs, through it, and straight again once it has ended. Each text stands in the requests once.
// Codex is sent by its file, as people do.
//
// ASIDE_AGENTS says which, as for TestAgents.
func TestAgentsBeside(t *testing.T) {
	sh, bin, asked := realAgents(t)
	for _, c := range []hookCase{{agent: "claude-code", scope: "user"}, {agent: "gemini", scope: "project"},
		{agent: "qwen", scope: "project"}, {agent: "codex", scope: "user"}, {agent: "opencode", scope: "user"},
		{agent: "kilo", scope: "user"}} {
		if asked(c.agent) {
			t.Run(c.agent, func(t *testing.T) { c.beside(t, sh, bin) })
		}
	}
}

// beside runs a session through a server, and one without.
func (c hookCase) beside(t *testing.T, sh, bin string) {
	dir := t.TempDir()
	for _, d := range []string{"home", "project"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const text = "A fact about the project."
	process.Put(t, dir, "home/.aside/reminders/once.md", "---\nwhen: user_message\n---\n"+text+"\n")
	c.aside(t, bin, dir, "install")
	port := freePort(t)
	server := exec.Command(filepath.Join(bin, "aside"), "serve", "--listen", "127.0.0.1:0", "--upstream",
		"http://127.0.0.1:"+port, "--log-format", "json")
	server.Dir, server.Env = dir, []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH")}
	errs, err := server.StderrPipe()
	if err == nil {
		err = server.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &station{cmd: server}
	listening := make(chan string, 1)
	go s.follow(errs, listening)
	url, ok := <-listening
	if !ok {
		t.Fatalf("aside serve did not begin\n%s", s.text())
	}
	flags := []string{"--env", "PATH=" + bin + ":" + os.Getenv("PATH")}
	straight := address{port, "http://127.0.0.1:" + port}
	if c.agent == "codex" { // as people set it up: its own provider, sent to an address by its file
		flags = append(flags, "--api", "builtin")
	}
	for _, at := range []address{straight, {port, url}, straight} {
		if c.agent == "codex" {
			process.Put(t, dir, "home/.codex/config.toml", "openai_base_url = \""+at.base+"/v1\"\n")
		}
		ss := session{prompt: "go", script: script{Turns: [][]item{{toolsOf(c.agent).shell(1, "echo one")},
			{say("done")}}}}
		o := ss.run(t, sh, c.agent, dir, at, flags)
		with, least := 0, 2
		if c.agent == "opencode" || c.agent == "kilo" { // what their hooks say goes into one request
			least = 1
		}
		for _, h := range o.got {
			switch n := bytes.Count(distinct(t, h.body), []byte(text)); {
			case n > 1:
				t.Errorf("by %q: the text is said %d times:\n%s", at.base, n, h.body)
			case n == 1:
				with++
			}
		}
		if with < least || o.code != 0 {
			t.Errorf("by %q: %d requests of %d hold the text, exit code %d\n%s", at.base, with, len(o.got), o.code,
				o.stderr)
		}
		if at.base == url {
			if err := server.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = server.Wait()
		}
	}
}
