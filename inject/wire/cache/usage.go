package cache

// Usage is what a prompt comes to, in tokens. Prompt holds all of it: what was read from the cache, what was written to it, and
// the rest.
type Usage struct {
	Prompt int
	Read   int
	Write  int // with what lives an hour
	Hour   int // of Write
}

// Plain is what was neither read from the cache nor written to it.
func (u Usage) Plain() int { return u.Prompt - u.Read - u.Write }

// Cost is the price of the prompt, in tokens at the base price.
func (u Usage) Cost(r Rules) float64 {
	return r.Read*float64(u.Read) + r.Write*float64(u.Write-u.Hour) + r.Hour*float64(u.Hour) + float64(u.Plain())
}

// Plus returns the sum of both.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.Prompt + v.Prompt, u.Read + v.Read, u.Write + v.Write, u.Hour + v.Hour}
}

// Minus returns the difference, whose members may be negative.
func (u Usage) Minus(v Usage) Usage {
	return Usage{u.Prompt - v.Prompt, u.Read - v.Read, u.Write - v.Write, u.Hour - v.Hour}
}

// Tokens is how many tokens so many bytes are: a quarter, rounded up.
func Tokens(bytes int) int { return (bytes + 3) / 4 }
