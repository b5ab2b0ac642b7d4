package packages

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aside-go/aside/internal/test/testkit"
)

// TestVendorHash: the Nix flake names the modules that the workspace needs, by the hash of "go work vendor"
// as an archive of Nix.
func TestVendorHash(t *testing.T) {
	t.Parallel()
	if !testkit.Thorough() {
		t.Skip("with -long: it copies 50 MB of modules")
	}
	dir := filepath.Join(t.TempDir(), "vendor")
	if out, err := exec.Command("go", "work", "vendor", "-o", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sum := sha256.New()
	archived(t, sum, dir)
	want := `vendorHash = "sha256-` + base64.StdEncoding.EncodeToString(sum.Sum(nil)) + `";`
	flake, err := os.ReadFile("../../../aside/deploy/nix/flake.nix")
	if err != nil || !strings.Contains(string(flake), want) {
		t.Errorf("flake.nix (%v) is of other modules: write %s", err, want)
	}
}

// archived writes a tree as Nix serializes it: each word with its length, and zeros up to a multiple of 8.
func archived(t *testing.T, w io.Writer, root string) {
	t.Helper()
	word := func(words ...string) {
		for _, s := range words {
			n := binary.LittleEndian.AppendUint64(nil, uint64(len(s)))
			_, _ = w.Write(append(append(n, s...), bytes.Repeat([]byte{0}, -len(s)&7)...)) // a hash takes all
		}
	}
	var node func(path string)
	node = func(path string) {
		word("(", "type")
		if entries, err := os.ReadDir(path); err == nil { // by name
			word("directory")
			for _, e := range entries {
				word("entry", "(", "name", e.Name(), "node")
				node(filepath.Join(path, e.Name()))
				word(")")
			}
		} else if b, err := os.ReadFile(path); err == nil {
			word("regular", "contents", string(b))
		} else {
			t.Fatal(err)
		}
		word(")")
	}
	word("nix-archive-1")
	node(root)
}
