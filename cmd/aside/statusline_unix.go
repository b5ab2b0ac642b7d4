//go:build unix

package main

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// become makes this process a command whose stdin is given, so that signals, output and the exit code are the command's own. It
// only returns where that cannot be.
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

// given is an open file that holds b: a pipe, as stdin was, where that takes b in without a reader, else a file without a name.
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

// pipeRoom is what a pipe takes in without a reader, in bytes, on all systems.
const pipeRoom = 4 << 10
