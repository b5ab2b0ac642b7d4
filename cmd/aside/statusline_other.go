//go:build !unix

package main

import (
	"bytes"
	"os"
	"os/exec"
)

// become runs a command that reads stdin, and returns its exit code; ran is false where it could not be run.
func become(command []string, stdin []byte) (code int, ran bool) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), os.Stdout, os.Stderr
	if err := cmd.Run(); cmd.ProcessState == nil && err != nil {
		return 0, false
	}
	return cmd.ProcessState.ExitCode(), true
}
