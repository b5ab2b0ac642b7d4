package serve

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestLimit: the limit of memory follows what is in use, and stays below that of the container.
func TestLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	none := filepath.Join(dir, "none")
	small, old := file("small", "104857600\n"), file("old", "9223372036854771712\n")
	for _, c := range []struct {
		used  uint64
		files []string
		want  int64
	}{
		{20 << 20, nil, leastLimit},
		{300 << 20, nil, 400 << 20},
		{300 << 20, []string{none, file("no limit", "max\n"), old}, 400 << 20},
		{20 << 20, []string{small, old}, 94371840},
		{300 << 20, []string{none, small}, 94371840},
	} {
		if got := limitOf(c.used, containerLimit(c.files...)); got != c.want {
			t.Errorf("%d in use, %q: %d, want %d", c.used, c.files, got, c.want)
		}
	}
	if got := containerLimit(none); got != math.MaxInt64 {
		t.Error(got)
	}
}
