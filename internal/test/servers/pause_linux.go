package servers

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// Pause has the server and its children stand still, as a machine that hangs does.
func (s *Server) Pause(t testing.TB) { t.Helper(); s.each(t, syscall.SIGSTOP) }

// Resume has them go on.
func (s *Server) Resume(t testing.TB) { t.Helper(); s.each(t, syscall.SIGCONT) }

func (s *Server) each(t testing.TB, sig syscall.Signal) {
	t.Helper()
	// a parent that stands still begins no more children
	s.processes(t, func(pid int) { _ = syscall.Kill(pid, sig) })
}

// processes calls visit with the process of the server and then with each of its children.
func (s *Server) processes(t testing.TB, visit func(pid int)) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil {
		t.Fatal("the server does not run")
	}
	for all := []int{s.cmd.Process.Pid}; len(all) > 0; all = all[1:] {
		visit(all[0])
		lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", all[0]))
		for _, list := range lists {
			b, _ := os.ReadFile(list)
			for _, f := range bytes.Fields(b) {
				if pid, err := strconv.Atoi(string(f)); err == nil {
					all = append(all, pid)
				}
			}
		}
	}
}

// CPU returns the time that the processors have spent on the server and its children, in steps of 10 ms.
func (s *Server) CPU(t testing.TB) (sum time.Duration) {
	t.Helper()
	s.processes(t, func(pid int) {
		b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:]) // the name before it may hold anything
		for i := 11; i <= 12 && i < len(fields); i++ {            // utime and stime, in hundredths of a second
			n, _ := strconv.Atoi(string(fields[i]))
			sum += time.Duration(n) * 10 * time.Millisecond
		}
	})
	return sum
}

// Disk is a small disk in memory, for as long as the test. It needs root. Servers that the test starts after
// it have their data there.
type Disk struct{ dir string }

// NewDisk mounts a disk of so many bytes. It must not be called in a parallel test.
func NewDisk(t *testing.T, bytes int) *Disk {
	t.Helper()
	dir, err := os.MkdirTemp("", "aside-disk-") // others than root can reach it, unlike t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	d := &Disk{dir}
	if err := syscall.Mount("none", d.dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=777", bytes)); err != nil {
		t.Fatalf("a disk of a test: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH); _ = os.Remove(dir) })
	t.Setenv("TMPDIR", d.dir)
	return d
}

// Fill leaves no room on the disk.
func (d *Disk) Fill(t *testing.T) {
	t.Helper()
	f, err := os.Create(d.filler())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 20; size > 0; {
		if _, err := f.Write(make([]byte, size)); err != nil {
			size /= 2
		}
	}
}

// Free makes room again.
func (d *Disk) Free() { _ = os.Remove(d.filler()) }

func (d *Disk) filler() string { return filepath.Join(d.dir, "filler") }
