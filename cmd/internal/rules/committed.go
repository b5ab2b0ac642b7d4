package rules

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/document"
)

// Committed loads the rules of q as git has them, at HEAD: a file that git does not have holds no reminder.
// It is an error if git has none of the files, or cannot be asked.
func Committed(ctx context.Context, e *command.Env, q Request) (*Loaded, error) {
	var mu sync.Mutex // files are read at the same time
	known := 0
	var failed error
	q.read = func(path string, _ []byte) ([]compile.Source, grammar.Diagnostics) {
		src, err := atHead(ctx, path)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			failed = err
			return nil, nil
		}
		known++
		return document.Read(path, src)
	}
	r, err := Load(e, q)
	switch {
	case err != nil:
		return nil, err
	case known == 0 && errors.Is(failed, exec.ErrNotFound):
		return nil, command.No("--diff alone asks git, which is not installed; --diff FILE needs no git")
	case known == 0:
		return nil, command.No("--diff alone compares with the rules that git has, and it has none of these; " +
			"--diff FILE names other rules")
	}
	return r, nil
}

// atHead returns the text of a file as git has it at HEAD. No filter or hook of the repository runs.
func atHead(ctx context.Context, path string) ([]byte, error) {
	dir, name := filepath.Split(path)
	cmd := exec.CommandContext(ctx, "git", "cat-file", "blob", "HEAD:./"+name)
	cmd.Dir = filepath.Clean(dir)
	var out bytes.Buffer
	cmd.Stdout = &out
	err := cmd.Run()
	return out.Bytes(), err
}

// IsRecording reports whether a name is that of a recorded session rather than of a rule file or a directory.
func IsRecording(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	return name == "-" || strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".json")
}
