package main

import (
	"bufio"
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestI11ServeSlow slows down the disk under serve, in the middle of a conversation with a model that binds
// its thinking, and then lets it hang. On a slow disk each turn has its text. Where reading or writing hangs,
// each request goes out all the same, with the texts of earlier ones; afterwards each turn has its text
// again.
func TestI11ServeSlow(t *testing.T) {
	if !testkit.Thorough() {
		t.Skip("with -long: a quarter of a minute of waiting for slow disks")
	}
	t.Parallel()
	fake := modelapi.New(modelapi.Options{Script: client.Script()})
	api := httptest.NewServer(fake)
	t.Cleanup(api.Close)
	dir := t.TempDir()
	process.Put(t, dir, "r.md", "---\nwhile: always\n---\nTurn {{.turn_count}}.\n")
	s := exe.Serve(t, dir, nil, "--state", filepath.Join(dir, "s"), "--rules", "r.md", "--upstream", api.URL)
	a := client.New(s, client.Options{API: modelapi.Anthropic, Model: "claude-opus-5-5", Seed: 5,
		Habits: client.Habits{Think: 80}})
	run := func(calls int) (texts int) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		if err := a.Run(ctx, calls); err != nil {
			t.Error(err)
		}
		records := fake.Records()
		return len(records[len(records)-1].Prompt.Reminders())
	}
	state := func() []string {
		files, err := filepath.Glob(filepath.Join(dir, "s", "*.run"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		return files
	}
	before := run(4)
	end := delay(t, s, "pread64,pwrite64,fsync,fdatasync", "50ms", state())
	slow := run(4)
	end()
	if before == 0 || slow <= before {
		t.Errorf("on a slow disk: %d texts, and %d before", slow, before)
	}
	for _, call := range []string{"pwrite64", "pread64"} {
		end := delay(t, s, call, "3600s", state())
		if hung := run(1); hung != slow {
			t.Errorf("while %s hangs: %d texts, and %d before", call, hung, slow)
		}
		end()
		after := run(4)
		if after <= slow {
			t.Errorf("after %s has hung: %d texts, and %d before", call, after, slow)
		}
		slow = after
	}
	for _, r := range fake.Refused() {
		t.Errorf("request %d: %v", r.N, r.Answer.Refusal)
	}
	if err := (modelapi.Stable{}).Check(fake.Records()); err != nil {
		t.Error(err)
	}
	s.Await("state is back")
	s.Signal(os.Interrupt)
	if code := s.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if n := strings.Count(s.Said.String(), `msg="state failed`); n > 2 { // outages close to each other are one
		t.Errorf("%d lines on outages\n%s", n, &s.Said)
	}
}

// delay has system calls of a process that are about files take longer, until end is called.
func delay(t *testing.T, s *process.Server, calls, by string, files []string) (end func()) {
	t.Helper()
	args := []string{"-f", "-o", "/dev/null", "-e", "trace=" + calls, "-e", "inject=" + calls +
		":delay_enter=" + by}
	for _, f := range files { // the runtime of Go reads other files, and does nothing meanwhile
		args = append(args, "-P", f)
	}
	cmd := exec.Command(testkit.Program(t, "strace"), append(args, "-p", strconv.Itoa(s.PID()))...)
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var line string
	for r := bufio.NewReader(said); err == nil && !strings.Contains(line, "attached"); {
		line, err = r.ReadString('\n')
	}
	end = func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	t.Cleanup(end)
	if err != nil {
		end()
		testkit.Absent(t, "processes cannot be traced here: %s", line)
	}
	return end
}
