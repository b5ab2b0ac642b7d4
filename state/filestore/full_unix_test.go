//go:build darwin || dragonfly || freebsd || illumos || linux || netbsd || openbsd

package filestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/aside-go/aside/state"
)

// fillUp saves larger and larger snapshots in dir until a save fails. It returns that error, and a second one
// unless the last acknowledged snapshot is still there, whole, no temporary file is left, and a small
// snapshot can be saved.
func fillUp(dir string, up int) (why, wrong error) {
	s, err := Open(dir, Options{})
	if err != nil {
		return nil, err
	}
	var (
		ctx  = context.Background()
		rev  state.Revision
		last *state.Snapshot
	)
	for size := up; why == nil; size += up {
		if size > 100*up {
			return nil, errors.New("it never gets full")
		}
		next := ofSize(size)
		now, err := s.Save(ctx, "run", rev, next)
		if err != nil {
			why = err
			continue
		}
		rev, last = now, next
	}
	if errors.Is(why, state.ErrIndeterminate) || last == nil {
		return why, fmt.Errorf("%w, after revision %d", why, rev)
	}
	files, err := os.ReadDir(filepath.Join(dir, tmpDir))
	if err != nil || len(files) > 0 {
		return why, fmt.Errorf("left are %v, %w", files, err)
	}
	s, err = Open(dir, Options{})
	if err != nil {
		return why, err
	}
	snap, now, err := s.Load(ctx, "run")
	if err != nil || now != rev || !bytes.Equal(snap.Encode(), last.Encode()) {
		return why, fmt.Errorf("revision %d, want %d, %w", now, rev, err)
	}
	if _, err := s.Save(ctx, "run", rev, ofSize(1)); err != nil {
		return why, fmt.Errorf("a small one: %w", err)
	}
	return why, nil
}

// saveLimited fills up to a limit on the size of files, at which writes end in the middle.
func saveLimited(args []string, _ io.Reader, out io.Writer) error {
	const limit = 16 << 10
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		return err
	}
	why, wrong := fillUp(args[0], 1000)
	if wrong == nil && !errors.Is(why, syscall.EFBIG) {
		wrong = why
	}
	if wrong == nil {
		fmt.Fprintln(out, "well")
	}
	return wrong
}

func TestS9FileTooLarge(t *testing.T) {
	t.Parallel()
	if said, err := start(t, "limited", filepath.Join(t.TempDir(), "s")).Line(); err != nil || said != "well" {
		t.Errorf("%q, %v", said, err)
	}
}
