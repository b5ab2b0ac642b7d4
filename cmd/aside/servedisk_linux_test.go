package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestI11ServeDisk lets the disk under serve become full, and gives it room again; makes it read-only for a
// while; takes its directory away; and damages its files, all in the middle of a conversation with a model
// that binds its thinking. The API refuses nothing, no text goes out twice, new ones go out again, and the
// log has one line for each outage.
func TestI11ServeDisk(t *testing.T) {
	t.Parallel()
	fake := modelapi.New(modelapi.Options{Script: client.Script()})
	api := httptest.NewServer(fake)
	t.Cleanup(api.Close)
	d := serveOnTmpfs(t, api.URL)
	a := client.New(d, client.Options{API: modelapi.Anthropic, Model: "claude-opus-5-5", Seed: 5,
		Habits: client.Habits{Think: 80}})
	run := func(calls int) (texts int) {
		t.Helper()
		if err := a.Run(t.Context(), calls); err != nil {
			t.Error(err)
		}
		records := fake.Records()
		seen := map[string]bool{}
		for _, f := range records[len(records)-1].Prompt.Reminders() {
			if seen[f.Text] {
				t.Errorf("%q stands there twice", f.Text)
			}
			seen[f.Text] = true
		}
		return len(seen)
	}
	before := run(4)
	d.fill(t)
	full := run(12)
	if full > before+10 { // at first a file is written over, which takes no room
		t.Errorf("on a full disk: %d texts, and %d before", full, before)
	}
	d.remove(t, "fill")
	after := run(4)
	if after <= full {
		t.Errorf("with room again: %d texts, and %d before", after, full)
	}
	d.remount(t, "ro")
	if readOnly := run(4); readOnly != after {
		t.Errorf("on a read-only disk: %d texts, and %d before", readOnly, after)
	}
	d.remount(t, "rw")
	writable := run(4)
	if writable <= after {
		t.Errorf("on a disk that is writable again: %d texts, and %d before", writable, after)
	}
	d.remove(t, "s")
	removed := run(4)
	if removed <= writable {
		t.Errorf("after the directory was removed: %d texts, and %d before", removed, writable)
	}
	for _, f := range d.files(t, "s/*.run") {
		if err := os.WriteFile(f, []byte("something else"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if damaged := run(4); damaged <= removed {
		t.Errorf("after the files were damaged: %d texts, and %d before", damaged, removed)
	}
	for _, r := range fake.Refused() {
		t.Errorf("request %d: %v", r.N, r.Answer.Refusal)
	}
	if err := (modelapi.Stable{}).Check(fake.Records()); err != nil {
		t.Error(err)
	}
	failed := 0 // outages that are less than five seconds apart are one
	process.Eventually(t, func() bool {
		log := d.log(t)
		failed = strings.Count(log, `msg="state failed`)
		return failed > 0 && strings.Count(log, `msg="state is back"`) == failed
	})
	if log := d.stop(t); failed > 5 {
		t.Errorf("%d lines on outages\n%s", failed, log)
	}
}

// disk is a serve whose state lies on a small tmpfs that no other process sees.
type disk struct {
	cmd  *exec.Cmd
	url  string
	dir  string     // in which serve runs
	root string     // of the tmpfs, as this process sees it
	end  chan error // has the end of the process
}

func serveOnTmpfs(t *testing.T, api string) *disk {
	t.Helper()
	dir := t.TempDir()
	d := &disk{dir: dir, end: make(chan error, 1), cmd: onTmpfs(t, dir, "size=96k", "--upstream", api)}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	d.cmd.Stderr = log
	if err := d.cmd.Start(); err != nil {
		testkit.Absent(t, "no mounts here: %v", err)
	}
	go func() { d.end <- d.cmd.Wait() }()
	t.Cleanup(func() { _ = d.cmd.Process.Kill() })
	for d.url == "" {
		select {
		case err := <-d.end:
			skipUnmounted(t, err)
			t.Fatalf("%v: %s", err, d.log(t))
		case <-time.After(5 * time.Millisecond):
		}
		if b, err := os.ReadFile(filepath.Join(dir, "addr")); err == nil {
			d.url = "http://" + strings.TrimSpace(string(b))
		}
	}
	d.root = fmt.Sprintf("/proc/%d/root%s/mnt", d.cmd.Process.Pid, dir)
	if _, err := os.Stat(filepath.Join(d.root, "s")); err != nil {
		testkit.Absent(t, "its mounts cannot be seen from here: %v", err)
	}
	return d
}

// onTmpfs returns serve as a process whose state lies on a tmpfs that is mounted with some options. As long
// as it lives, the tmpfs is mounted anew when there is a file "ro" or "rw", which is removed then.
func onTmpfs(t *testing.T, dir, options string, args ...string) *exec.Cmd {
	t.Helper()
	process.Put(t, dir, "r.md", "---\nwhile: always\n---\nTurn {{.turn_count}}. "+strings.Repeat("More. ",
		100)+"\n")
	process.Put(t, dir, "mnt/beside", "")
	aside, err := exec.LookPath("aside")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", append([]string{"-c", `
		mount -t tmpfs -o "$0" none mnt || exit 77
		while kill -0 $$; do
			for how in ro rw; do [ -e $how ] && mount -o remount,$how mnt && rm $how; done
			sleep 0.02
		done >/dev/null 2>&1 &
		exec "$@"`, options, aside, "serve", "--listen", "127.0.0.1:0", "--addr-file", "addr", "--state", "mnt/s",
		"--rules", "r.md"}, args...)...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"),
		"GORACE=atexit_sleep_ms=0"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if uid := os.Getuid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}
	}
	return cmd
}

// skipUnmounted ends a test whose process may not mount anything, as testkit.Absent does.
func skipUnmounted(t *testing.T, end error) {
	t.Helper()
	var x *exec.ExitError
	if errors.As(end, &x) && x.ExitCode() == 77 {
		testkit.Absent(t, "no mounts here")
	}
}

// TestServeUnwritable: serve does not start where it could remember nothing, and says what to do.
func TestServeUnwritable(t *testing.T) {
	t.Parallel()
	for options, why := range map[string]string{"ro": "read-only file system",
		"nr_inodes=4": "no space left on device"} {
		cmd := onTmpfs(t, t.TempDir(), options)
		out, err := cmd.CombinedOutput()
		skipUnmounted(t, err)
		if cmd.ProcessState == nil {
			testkit.Absent(t, "no mounts here: %v", err)
		}
		if code := cmd.ProcessState.ExitCode(); code != 3 || !strings.Contains(string(out), why) ||
			!strings.Contains(string(out), "--state memory") || strings.Count(string(out), "\n") != 2 {
			t.Errorf("%s: exit code %d, %v: %s", options, code, err, out)
		}
	}
}

// RoundTrip implements http.RoundTripper: it sends a request through serve.
func (d *disk) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme, r.URL.Host, r.Host = "http", strings.TrimPrefix(d.url, "http://"), ""
	return http.DefaultTransport.RoundTrip(r)
}

// fill leaves no room on the disk.
func (d *disk) fill(t *testing.T) {
	t.Helper()
	f, err := os.Create(filepath.Join(d.root, "fill"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 512))
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// remount makes the disk read-only, "ro", or writable, "rw".
func (d *disk) remount(t *testing.T, how string) {
	t.Helper()
	process.Put(t, d.dir, how, "")
	for {
		if _, err := os.Stat(filepath.Join(d.dir, how)); err != nil {
			return
		}
		select {
		case err := <-d.end:
			t.Fatalf("%v: %s", err, d.log(t))
		case <-t.Context().Done():
			t.Fatal(t.Context().Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (d *disk) remove(t *testing.T, name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(d.root, name)); err != nil {
		t.Fatal(err)
	}
}

func (d *disk) files(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(d.root, pattern))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	return files
}

// stop ends serve, and returns what it has logged.
func (d *disk) stop(t *testing.T) string {
	t.Helper()
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-d.end; err != nil {
		t.Error(err)
	}
	return d.log(t)
}

// log is what serve has said so far.
func (d *disk) log(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(d.dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
