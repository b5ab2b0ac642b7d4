package trust_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/internal/trust"
)

// asked is one question of the process that is traced.
type asked struct{ Store, Project string }

const questions = "TRUST_TEST_QUESTIONS"

// TestMain is also the process that is traced: it asks as a host would, and prints which texts it got, a line
// an attack. And it is the one that is killed.
func TestMain(m *testing.M) {
	if name := os.Getenv(questions); name != "" {
		b, err := os.ReadFile(name)
		var all []asked
		if err == nil {
			err = json.Unmarshal(b, &all)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		for i, q := range all {
			// marks in the trace where the next one begins
			if _, err := os.Lstat(fmt.Sprintf("/attack-%d", i)); err == nil {
				os.Exit(1)
			}
			texts, _ := loaded(trust.Open(q.Store), q.Project)
			fmt.Printf("%q\n", texts)
		}
		os.Exit(0)
	}
	if state, project, ok := strings.Cut(os.Getenv(approves), "\n"); ok {
		approveForEver(state, project)
	}
	os.Exit(m.Run())
}

var (
	openedAt = regexp.MustCompile(`open(?:at|at2)?\((?:[^"]*, )?"((?:[^"\\]|\\.)*)", (\S+)`)
	mark     = regexp.MustCompile(`"/attack-(\d+)"`)
)

// TestT1Traced does the attacks that need no timing, and reads from the system's own trace of the process
// that asks which files it has opened.
func TestT1Traced(t *testing.T) {
	t.Parallel()
	strace := testkit.Program(t, "strace")
	var still []attack
	var qs []asked
	for _, a := range attacks(t) {
		if a.during != nil || strings.Contains(a.name, "device") || strings.Contains(a.name, "somebody else") ||
			strings.Contains(a.name, "no text") {
			continue // timing, rights of the superuser, and names that JSON cannot hold
		}
		w := newWorld(t)
		project := a.prepare(w)
		still, qs = append(still, a), append(qs, asked{w.state, project})
		if strings.HasPrefix(a.name, "a store that lies") {
			qs[len(qs)-1].Store = w.at("work/.state/aside/trust")
		}
	}
	b, err := json.Marshal(qs)
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	if err := os.WriteFile(filepath.Join(tmp, "questions"), b, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(strace, "-f", "-s", "4096", "-e", "trace=open,openat,openat2,newfstatat,fstatat64,lstat",
		"-o", filepath.Join(tmp, "trace"), os.Args[0])
	cmd.Env = append(os.Environ(), questions+"="+filepath.Join(tmp, "questions"))
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		if strings.Contains(errs.String(), "PTRACE") || strings.Contains(errs.String(), "ptrace") {
			testkit.Absent(t, "processes cannot be traced here: %s", &errs)
		}
		t.Fatal(err, errs.String())
	}
	if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); len(lines) != len(still) {
		t.Fatalf("%d answers to %d questions", len(lines), len(still))
	}
	trace, err := os.ReadFile(filepath.Join(tmp, "trace"))
	if err != nil {
		t.Fatal(err)
	}
	i, good := -1, 0
	for l := range strings.Lines(string(trace)) {
		if m := mark.FindStringSubmatch(l); m != nil {
			fmt.Sscan(m[1], &i)
			continue
		}
		m := openedAt.FindStringSubmatch(l)
		if i < 0 || m == nil || strings.Contains(m[2], "O_DIRECTORY") || strings.Contains(l, "= -1 ELOOP") {
			continue
		}
		a, base := still[i], filepath.Base(m[1])
		switch {
		case base == "good.md" && a.all == "":
			good++
		case base == "evil.md" && (a.at != "" && a.all == "" || a.hashed):
		case base == "evil2.md" && a.hashed:
		case slices.Contains([]string{"passwd", "zero", "evil.pipe"}, base), strings.HasSuffix(base,
			".md"), strings.HasSuffix(base, ".txt"):
			t.Errorf("%s: opened in %s", a.name, l)
		}
	}
	if i != len(still)-1 || good < len(still)/3 {
		t.Errorf("the trace does not show what was opened: %d attacks, good.md %d times", i+1, good)
	}
	if len(still) < 30 {
		t.Errorf("only %d attacks", len(still))
	}
}
