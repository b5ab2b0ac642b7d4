package sample_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/sample"
	"github.com/aside-go/aside/cmd/internal/starter"
)

// TestStarters holds what a person sees who replays the recording with the starter reminders: five of them
// fire, each once in a session, on the turns that the conversation was written for.
func TestStarters(t *testing.T) {
	t.Parallel()
	_, set := starter.Set(nil)
	var out, errs bytes.Buffer
	if err := replay.Run(t.Context(), replay.Options{Set: set, Files: sample.Sessions, Paths: []string{"sample"},
		JSON: true, Out: &out, Err: &errs}); err != nil {
		t.Fatal(err)
	}
	got, turns, runs := map[string][]int{}, 0, map[string]bool{}
	for line := range strings.Lines(out.String()) {
		var x struct {
			Run, Thread, Moment string
			Turn                int
			Fired               []struct{ ID string }
		}
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatal(err)
		}
		if x.Turn > 0 && x.Moment == "" {
			turns++
			runs[x.Run+x.Thread] = true
		}
		for _, f := range x.Fired {
			got[f.ID] = append(got[f.ID], x.Turn)
		}
	}
	want := map[string][]int{"after-compaction": {38}, "before-destructive-command": {43},
		"context-nearly-full": {35}, "long-silence": {42, 3}, "repeated-failures": {12}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if turns != 53 || len(runs) != 3 {
		t.Errorf("%d turns in %d runs", turns, len(runs))
	}
	if !strings.Contains(errs.String(), "6f43.jsonl:14: note: the last line is cut off") {
		t.Error(errs.String())
	}
}

// TestSize holds the recording small enough to be part of the binary.
func TestSize(t *testing.T) {
	t.Parallel()
	var total int64
	err := fs.WalkDir(sample.Sessions, ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		total += info.Size()
		return err
	})
	if err != nil || total > 120<<10 || total < 60<<10 {
		t.Errorf("%d bytes, %v", total, err)
	}
}
