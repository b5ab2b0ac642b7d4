package wiretest

import "github.com/aside-go/aside/internal/promptcache"

// Usage is how many tokens a request takes.
type Usage struct {
	promptcache.Usage
	Output    int // with Reasoning
	Reasoning int
}
