package transport

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// TestIndex: an index says of each key the run that was added last, or nothing; never another one, however much came after.
func TestIndex(t *testing.T) {
	t.Parallel()
	x, r := newIndex(), rand.New(rand.NewPCG(1, 2))
	type known struct {
		tenant uint64
		by     indexed
		id     string
	}
	runs := map[known]string{}
	var latest []known
	for i := range 4 * maxIndexed {
		k := known{r.Uint64N(2), indexed(r.IntN(int(indexRun))), fmt.Sprint(r.IntN(3 * maxIndexed))}
		runs[k] = fmt.Sprintf("run %d", r.IntN(1+i/16))
		if i%4 == 0 {
			runs[k] = "one that goes on all the time"
		}
		x.add(k.tenant, k.by, k.id, runs[k])
		if latest = append(latest, k); len(latest) > 500 {
			latest = latest[1:]
		}
		if i%2000 > 0 {
			continue
		}
		for _, k := range latest {
			if got := x.find(k.tenant, k.by, k.id); got != runs[k] {
				t.Fatalf("after %d: %q, want %q", i, got, runs[k])
			}
		}
	}
	found := 0
	for k, want := range runs {
		switch got := x.find(k.tenant, k.by, k.id); got {
		case want:
			found++
		case "":
		default:
			t.Fatalf("%+v: %q, want %q or nothing", k, got, want)
		}
		k.tenant += 2
		if got := x.find(k.tenant, k.by, k.id); got != "" {
			t.Fatalf("%+v: %q, and nothing was added", k, got)
		}
	}
	if found < maxIndexed/8 || found > maxIndexed {
		t.Errorf("%d of %d are known", found, len(runs))
	}
}

// TestIndexGrows: it does not, however many conversations there are.
func TestIndexGrows(t *testing.T) {
	x := newIndex()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	fill := func(from int) {
		for i := range 4 * maxRuns {
			run := fmt.Sprintf("conversation-%016x", from+i)
			for n := range 8 {
				x.add(1, indexCall, fmt.Sprintf("toolu_%d_%d", from+i, n), strings.Clone(run))
			}
		}
	}
	fill(0)
	before := heap()
	fill(4 * maxRuns)
	if after := heap(); after > before+before/50 {
		t.Errorf("the heap grew from %d to %d bytes", before, after)
	}
	if size := unsafe.Sizeof(*x.sets) + unsafe.Sizeof(*x.runs); size > 1<<20 {
		t.Errorf("an index takes %d bytes", size)
	}
	runtime.KeepAlive(x)
}

func BenchmarkIndex(b *testing.B) {
	x := newIndex()
	ids := make([]string, 1<<10)
	for i := range ids {
		ids[i] = fmt.Sprintf("toolu_%024d", i)
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		id := ids[i%len(ids)]
		x.add(1, indexCall, id, ids[0])
		if x.find(1, indexCall, id) == "" {
			b.Fatal(id)
		}
	}
}
