package trust_test

import (
	"crypto/sha256"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/trust"
)

const approves = "TRUST_TEST_APPROVES"

// approveForEver approves and takes back, until somebody ends the process.
func approveForEver(state, project string) {
	s := trust.Open(state)
	for {
		r, err := s.Review(project)
		if err == nil {
			err = s.Approve(r, when)
		}
		if err == nil {
			_, err = s.Revoke(project)
		}
		if err != nil {
			_, _ = os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		_, _ = os.Stdout.WriteString(".")
	}
}

// TestKilled ends processes at any moment of an approval: all is trusted afterwards or nothing is, the record
// is whole, and the next change leaves no temporary file.
func TestKilled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 25 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), approves+"="+w.state+"\n"+w.project)
		out, err := cmd.StdoutPipe()
		w.try(err)
		w.try(cmd.Start())
		one := make([]byte, 1)
		if _, err := out.Read(one); err != nil { // it is at work
			t.Fatal(err)
		}
		for range i * 4 { // a little work, so that it is hit elsewhere each time
			sha256.Sum256(make([]byte, 1<<16))
		}
		w.try(cmd.Process.Kill())
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code == 1 {
			t.Fatal("it ended by itself")
		}
		r := w.review()
		texts, _ := loaded(w.store, w.project)
		if r.Broken != nil || len(texts) != 0 && len(texts) != 2 {
			t.Fatal(r.Broken, texts)
		}
	}
	w.trust(w.project)
	left, err := filepath.Glob(filepath.Join(w.state, "*"))
	w.try(err)
	for _, name := range left {
		if strings.Contains(name, ".aside-tmp-") || strings.Contains(name, ".bad") {
			t.Error(name)
		}
	}
}
