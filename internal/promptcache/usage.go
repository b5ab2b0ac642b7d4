package promptcache

import "github.com/aside-go/aside/internal/model"

// Usage is what a prompt takes, in tokens.
type Usage struct {
	Prompt int // all of it: read, written and plain
	Read   int // read from the cache
	Write  int // written to the cache, Hour included
	Hour   int // written for an hour
}

// Plain returns what was neither read from the cache nor written to it.
func (u Usage) Plain() int { return u.Prompt - u.Read - u.Write }

// Cost returns the price of the prompt, in tokens at the base price.
func (u Usage) Cost(r model.Cache) float64 {
	return r.Read*float64(u.Read) + r.Write*float64(u.Write-u.Hour) + r.Hour*float64(u.Hour) + float64(u.Plain())
}

// Plus returns the sum of u and v.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.Prompt + v.Prompt, u.Read + v.Read, u.Write + v.Write, u.Hour + v.Hour}
}

// Minus returns the difference of u and v. Its fields may be negative.
func (u Usage) Minus(v Usage) Usage {
	return Usage{u.Prompt - v.Prompt, u.Read - v.Read, u.Write - v.Write, u.Hour - v.Hour}
}

// Tokens returns how many tokens so many bytes are: a quarter, rounded up.
func Tokens(bytes int) int { return (bytes + 3) / 4 }
