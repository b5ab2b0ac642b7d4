package fuzz_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
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
	var wg sync.WaitGroup
	room := make(chan struct{}, 2)
	for n := range len(planted.Faults) + 1 {
		wg.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			err := find(t.Context(), bin, n, "CI=") // few draws find most
			if err == nil && n > 0 {
				err = find(t.Context(), bin, n)
			}
			switch {
			case n == 0 && err != nil:
				t.Error("without a fault: ", err)
			case n > 0 && err == nil:
				f := planted.Faults[n-1]
				t.Errorf("fault %d lives: %s: %s in place of %s", n, f.File, f.Wrong, f.Right)
			}
		})
	}
	wg.Wait()
}

// find runs the tests of a binary with a fault, and with variables of the environment, until one of them
// fails.
func find(ctx context.Context, bin string, fault int, env ...string) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	tests := exec.CommandContext(ctx, bin, "-test.v", "-test.run",
		"^(TestMachine|TestL6CompiledIsRead|FuzzS3History|FuzzCommands)$")
	tests.Env = slices.Concat(os.Environ(), env, []string{fmt.Sprintf("%s=%d", planted.Variable, fault)})
	out, err := tests.StdoutPipe()
	if err != nil {
		return err
	}
	if err := tests.Start(); err != nil {
		return err
	}
	for lines := bufio.NewReader(out); err == nil; {
		var line string
		if line, err = lines.ReadString('\n'); strings.HasPrefix(line, "--- FAIL") {
			end()
		}
	}
	return tests.Wait()
}
