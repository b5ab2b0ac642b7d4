package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestServeTerminalCloses: a SIGHUP reads the rules anew; the one that comes when the terminal is closed ends
// serve, so that none stays behind on the port.
func TestServeTerminalCloses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	screen, tty := pty(t, 200)
	cmd := exec.Command("aside", "serve", "--listen", "127.0.0.1:0", "--state", "memory", "--addr-file", "addr")
	cmd.Dir, cmd.Env = dir, []string{"HOME=" + dir, "PATH=" + os.Getenv("PATH")}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	lines := bufio.NewReader(screen)
	for _, part := range []string{"upstream vertex", "rules read anew"} {
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatalf("no %q: %v", part, err)
			}
			if strings.Contains(line, part) {
				break
			}
		}
		if part == "upstream vertex" {
			if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
		}
	}
	screen.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
