package wiretest

import "github.com/aside-go/aside/inject/wire/cache"

// Usage is how many tokens a request takes.
type Usage struct {
	cache.Usage
	Output    int // with Reasoning
	Reasoning int
}
