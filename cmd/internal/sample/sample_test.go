package sample_test

import (
	"io/fs"
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/sample"
)

// TestIsGenerated holds the recording to the program that writes it.
func TestIsGenerated(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("integration with the go command: it is not there")
	}
	dir := t.TempDir()
	if out, err := exec.Command(tool, "run", "generate.go", "script.go", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	read := func(files fs.FS) map[string]string {
		all := map[string]string{}
		err := fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			b, err := fs.ReadFile(files, p)
			all[p] = string(b)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	files, err := fs.Sub(sample.Sessions, "sample")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(read(os.DirFS(dir)), read(files)); diff != "" {
		t.Errorf("go generate ./cmd/internal/sample writes something else:\n%s", diff)
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
