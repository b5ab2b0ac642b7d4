package testkit

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
)

// Process is a process that a test talks to by lines.
type Process struct {
	*exec.Cmd

	In  io.WriteCloser
	Out *bufio.Reader
	Err *strings.Builder
}

// NewProcess returns a process that is not started yet. It is killed when the test ends.
func NewProcess(t testing.TB, env []string, name string, args ...string) *Process {
	t.Helper()
	p := &Process{Cmd: exec.CommandContext(t.Context(), name, args...), Err: &strings.Builder{}}
	p.Env, p.Stderr = env, p.Err
	in, err := p.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.In, p.Out = in, bufio.NewReader(out)
	return p
}

// Begin starts the process. When the test ends, its input ends, too, and the test waits for it.
func (p *Process) Begin(t testing.TB) *Process {
	t.Helper()
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.In.Close(); _ = p.Wait() })
	return p
}

// Line reads a line of the output. An error says what the process has written to standard error.
func (p *Process) Line() (string, error) {
	s, err := p.Out.ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, p.Err)
	}
	return strings.TrimSuffix(s, "\n"), nil
}

// SetHeader sets the headers of a request, each written "Name: value"; Host is that of the request.
func SetHeader(r *http.Request, lines ...string) {
	for _, l := range lines {
		name, value, _ := strings.Cut(l, ": ")
		r.Header.Set(name, value)
		if name == "Host" {
			r.Host = value
		}
	}
}
