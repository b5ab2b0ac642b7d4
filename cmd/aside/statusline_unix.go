//go:build unix

package main

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// become replaces this process by a command that reads stdin, so that signals, output and the exit code are
// the command's own. It returns only where that fails, with ran false.
func become(command []string, stdin []byte) (code int, ran bool) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return 0, false
	}
	in, err := given(stdin)
	if err != nil {
		return 0, false
	}
	if err := unix.Dup2(int(in.Fd()), 0); err != nil {
		return 0, false
	}
	runtime.KeepAlive(in)
	_ = syscall.Exec(path, command, os.Environ())
	return 0, false
}

// given returns an open file to read b from: a pipe, as stdin was, if the pipe can hold all of b, else a
// temporary file that is removed already.
func given(b []byte) (*os.File, error) {
	if len(b) > pipeRoom {
		f, err := os.CreateTemp("", "aside-statusline")
		if err != nil {
			return nil, err
		}
		_ = os.Remove(f.Name())
		if _, err = f.Write(b); err == nil {
			_, err = f.Seek(0, 0)
		}
		return f, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	_, err = w.Write(b)
	return r, err
}

// pipeRoom is how many bytes a pipe holds without a reader on all systems.
const pipeRoom = 4 << 10
