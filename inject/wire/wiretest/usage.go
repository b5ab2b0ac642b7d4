package wiretest

// Usage is what a request costs, in tokens. Prompt holds all of it: what was read from the cache, what was written to it,
// and the rest.
type Usage struct {
	Prompt    int
	Read      int
	Write     int // with what lives an hour
	Hour      int // of Write
	Output    int // with Reasoning
	Reasoning int
}

// Plain is what was neither read from the cache nor written to it.
func (u Usage) Plain() int { return u.Prompt - u.Read - u.Write }

// Cost is the price of the prompt, in tokens at the base price.
func (u Usage) Cost(c Caching) float64 {
	return c.Read*float64(u.Read) + c.Write*float64(u.Write-u.Hour) + c.Hour*float64(u.Hour) + float64(u.Plain())
}
