package hook_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestH2Kills: hooks of a session are killed before random system calls. Each text goes out once, by a hook
// that ends by itself, and at most the event of a hook that was killed before it had recorded it is unknown.
// The record holds each firing and what became of it, of no other, and no line is torn.
func TestH2Kills(t *testing.T) {
	t.Parallel()
	strace := testkit.Program(t, "strace")
	m := newMachine(t)
	kills := testkit.Repeat(10, 40)
	for n := range 2*kills + 2 {
		m.rule(fmt.Sprintf("r%03d", n+1), fmt.Sprintf("when: turn_count == %d\nmax_fires: 1\nexpect: always", n+1),
			fmt.Sprintf("Text %03d.", n+1))
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	// each with how often a hook calls it, at most
	calls := []struct {
		name string
		most int
	}{{"openat", 20}, {"newfstatat", 20}, {"read", 14}, {"write", 4}, {"close", 18}, {"flock",
		4}, {"pread64", 4},
		{"pwrite64", 1}, {"unlinkat", 2}, {"fcntl", 16}, {"getdents64", 6}, {"exit_group", 1}}
	text := regexp.MustCompile(`Text (\d+)\.`)
	var said []string
	early := 0
	spooled := func() []string {
		files, _ := filepath.Glob(m.path("state", "aside", "spool", "*"))
		return slices.DeleteFunc(files, func(path string) bool { // one that was killed before it could write
			b, _ := os.ReadFile(path)
			return len(b) == 0
		})
	}
	for n := range kills {
		at := calls[r.IntN(len(calls))]
		cmd := exec.Command(strace, "-f", "-o", m.path("trace"), "-e", "trace="+at.name, "-e",
			fmt.Sprintf("inject=%s:signal=KILL:when=%d", at.name, 1+r.IntN(at.most)), m.program, "--agent",
			"claude-code", "--timeout", "60s")
		var out, errs bytes.Buffer
		cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = m.env, strings.NewReader(batch("s1",
			fmt.Sprint("k", n))), &out,
			&errs
		before := spooled()
		err := cmd.Run()
		if strings.Contains(strings.ToLower(errs.String()), "ptrace") {
			testkit.Absent(t, "processes cannot be traced here: %s", &errs)
		}
		left := slices.ContainsFunc(spooled(), func(path string) bool { return !slices.Contains(before, path) })
		switch texts := text.FindAllString(out.String(), -1); {
		case err == nil, !left && texts != nil:
			said = append(said, texts...)
		case !left:
			early++
		}
		if n%2 == 1 {
			said = append(said, text.FindAllString(m.run(batch("s1", fmt.Sprint("e", n)), claude...).stdout, -1)...)
		}
	}
	said = append(said, text.FindAllString(m.run(batch("s1", "end"), claude...).stdout, -1)...)
	events := kills + kills/2 + 1
	turns := events - early
	var want []string
	for n := range turns {
		want = append(want, fmt.Sprintf("Text %03d.", n+1))
	}
	slices.Sort(said)
	if !slices.Equal(said, want) {
		t.Errorf("seed %d: of %d events, %d before they were known, came %q", seed, events, early, said)
	}
	if left := spooled(); len(left) > 0 {
		t.Errorf("seed %d: records stay: %q", seed, left)
	}
	for n, text := range want {
		want[n] = "r" + text[len("Text "):len(text)-1] + " heeded"
	}
	if n := len(want); n > 0 {
		want[n-1] = strings.Replace(want[n-1], reminder.Heeded, reminder.Fired, 1) // no turn follows it
	}
	if got := m.outcomes(); !slices.Equal(got, want) {
		t.Errorf("seed %d: the record has %q", seed, got)
	}
}

// outcomes returns the reminder and the outcome of each firing in the record.
func (m *machine) outcomes() (all []string) {
	m.t.Helper()
	b, err := os.ReadFile(m.path("state", "aside", "outcomes"))
	if err != nil {
		m.t.Fatal(err)
	}
	last := map[string]string{} // by firing
	for line := range bytes.Lines(b) {
		var r reminder.Record
		if err := json.Unmarshal(line, &r); err != nil {
			m.t.Errorf("%v: %q", err, line)
		}
		last[r.Firing] = r.ID + " " + r.Outcome
	}
	return slices.Sorted(maps.Values(last))
}
