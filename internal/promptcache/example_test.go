package promptcache_test

import (
	"fmt"
	"time"

	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/promptcache"
)

func Example() {
	var c promptcache.Cache
	p := promptcache.New("claude-opus-5", model.Of("claude-opus-5").Cache)
	for turn := range 3 {
		p.Add(promptcache.Unit{Raw: fmt.Sprintf("message %d", turn), Bytes: 4_000})
		p.Marks = []promptcache.Mark{{Unit: turn}}
		n := p.Len()
		// behind the breakpoint: it costs itself
		p.Add(promptcache.Unit{Raw: "a reminder, this once", Bytes: 400})
		u := c.Serve(p, time.Unix(0, 0))
		p.Cut(n)
		fmt.Printf("%d tokens: %d read, %d written, %d plain\n", u.Prompt, u.Read, u.Write, u.Plain())
	}
	// Output:
	// 1100 tokens: 0 read, 1000 written, 100 plain
	// 2100 tokens: 1000 read, 1000 written, 100 plain
	// 3100 tokens: 2000 read, 1000 written, 100 plain
}
