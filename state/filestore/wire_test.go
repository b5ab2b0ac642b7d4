package filestore_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state/filestore"
)

// TestI11Disks lets the disk of a conversation fail at each of its operations in turn, for one of them and
// for many, in each way, on a model that binds its thinking: the API refuses nothing, what went out stays to
// the byte, nothing fires twice, and new texts go out when the disk is back.
func TestI11Disks(t *testing.T) {
	t.Parallel()
	fails := func(err error, steps ...string) func(*filestore.Broken, string) error {
		return func(_ *filestore.Broken, step string) error {
			for _, s := range steps {
				if strings.HasPrefix(step, s) {
					return err
				}
			}
			return nil
		}
	}
	writes := []string{"write", "create", "open", "rename", "mark", "lock", "mkdir"}
	for name, how := range testkit.Few(map[string]func(*filestore.Broken, string) error{
		"full":      fails(syscall.ENOSPC, "write", "create", "mkdir"),
		"read only": fails(syscall.EROFS, writes...),
		"broken":    fails(syscall.EIO, append(writes, "read")...),
		"unread":    fails(syscall.EIO, "read"),
		"slow":      func(*filestore.Broken, string) error { time.Sleep(time.Millisecond); return nil },
		"damaged":   func(b *filestore.Broken, _ string) error { return ignore(b.Damage()) },
		"removed":   func(b *filestore.Broken, _ string) error { return ignore(os.RemoveAll(b.Dir)) },
		"taken away": func(b *filestore.Broken, _ string) error {
			return ignore(os.Rename(b.Dir, b.Dir+"-away"))
		},
	}, 4) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for length, step := range map[int]int{1: testkit.Repeat(9, 1), 40: testkit.Repeat(20, 7)} {
				t.Run(fmt.Sprint(length), func(t *testing.T) {
					t.Parallel()
					for from := 0; ; from += step {
						steps := failing(t, name, from, length, how)
						if steps <= from || t.Failed() {
							break
						}
					}
				})
			}
		})
	}
}

func ignore(error) error { return nil }

// failing plays an agent while a disk fails at some of its operations, and returns how many there were.
func failing(t *testing.T, name string, from, length int, how func(*filestore.Broken, string) error) int {
	t.Helper()
	dir := filepath.Join(filestore.QuickDir(t), "s")
	defer os.RemoveAll(filepath.Dir(dir))
	var s *filestore.Broken
	away := func() { // and given back, unless the store has made a new directory
		if _, err := os.Stat(dir + "-away"); err == nil {
			_ = os.RemoveAll(dir)
			_ = os.Rename(dir+"-away", dir)
		}
	}
	s, err := filestore.OpenBroken(dir, func(n int, step string) error {
		if n == from+length {
			away()
		}
		if n < from || n >= from+length {
			return nil
		}
		return how(s, step)
	})
	if err != nil {
		t.Fatal(err)
	}
	set, ds := compile.New([]reminder.Reminder{
		{ID: "each", Mode: reminder.While, Trigger: "always", Text: "each {{.turn_count}}."},
		{ID: "once", Trigger: "turn_count >= 2", Text: "once."},
		{ID: "start", Trigger: "always", Attach: reminder.RunStart, Text: "start."},
	}, compile.Options{})
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	fake := modelapi.New(modelapi.Options{Script: client.Script()})
	sent := &sent{next: client.Direct(fake)}
	rt := transport.New(eval.New(set, eval.Options{Store: s.Store}), transport.Options{Base: sent})
	a := client.New(rt, client.Options{API: modelapi.Anthropic, Model: "claude-opus-5-5", Seed: 3,
		Habits: client.Habits{Think: 80, Fail: 10}})
	if err := a.Run(t.Context(), 5); err != nil {
		t.Errorf("%s from %d for %d: %v", name, from, length, err)
	}
	for _, r := range fake.Refused() {
		t.Errorf("%s from %d for %d: request %d: %v", name, from, length, r.N, r.Answer.Refusal)
	}
	if err := (modelapi.Stable{}).Check(fake.Records()); err != nil {
		t.Errorf("%s from %d for %d: %v", name, from, length, err)
	}
	texts := map[string]int{}
	for _, text := range ours.FindAllSubmatch(sent.last(), -1) {
		texts[string(text[1])]++
	}
	for text, n := range texts {
		if n > 1 {
			t.Errorf("%s from %d for %d: %q stands there %d times", name, from, length, text, n)
		}
	}
	if length == 1 && (texts["once."] == 0 || len(texts) < 4) {
		t.Errorf("%s from %d for %d: the last request holds only %v", name, from, length, texts)
	}
	return s.Steps()
}

var ours = regexp.MustCompile(`<system-reminder mark=\\"[^\\"]*\\">\\n(.*?)\\n</system-reminder>`)

// sent keeps the last body that went out.
type sent struct {
	next http.RoundTripper

	mu   sync.Mutex
	body []byte
}

func (s *sent) RoundTrip(r *http.Request) (*http.Response, error) {
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, errors.Join(err, fmt.Errorf("body of a request"))
	}
	s.mu.Lock()
	s.body = b
	s.mu.Unlock()
	c := r.Clone(r.Context())
	c.Body = io.NopCloser(bytes.NewReader(b))
	return s.next.RoundTrip(c)
}

func (s *sent) last() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.body
}
