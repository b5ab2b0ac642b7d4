package wiretest

import "github.com/aside-go/aside/inject/wire/cache"

// Usage is what a request costs, in tokens.
type Usage struct {
	cache.Usage
	Output    int // with Reasoning
	Reasoning int
}
