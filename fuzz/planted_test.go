package fuzz_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/aside-go/aside/internal/test/planted"
	"github.com/aside-go/aside/internal/test/testkit"
)

// TestPlantedFaults: the reference and the naive machine find every fault that is planted in the engine.
// Where a person waits, each must still have its place.
func TestPlantedFaults(t *testing.T) {
	t.Parallel()
	copies, err := planted.Plant("..", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !testkit.Thorough() {
		return
	}
	b, err := json.Marshal(map[string]any{"Replace": copies})
	if err != nil {
		t.Fatal(err)
	}
	overlay, bin := filepath.Join(t.TempDir(), "overlay.json"), filepath.Join(t.TempDir(), "fuzz.test")
	if err := os.WriteFile(overlay, b, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "test", "-c", "-overlay", overlay, "-o", bin, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	find := func(n int) error {
		cmd := exec.Command(bin, "-test.run", "^(TestMachine|TestL6CompiledIsRead|FuzzS3History|FuzzCommands)$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", planted.Variable, n))
		return cmd.Run()
	}
	if err := find(0); err != nil {
		t.Fatal("without a fault: ", err)
	}
	var wg sync.WaitGroup
	room := make(chan struct{}, 2)
	for i, f := range planted.Faults {
		wg.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			if find(i+1) == nil {
				t.Errorf("fault %d lives: %s: %s in place of %s", i+1, f.File, f.Wrong, f.Right)
			}
		})
	}
	wg.Wait()
}
