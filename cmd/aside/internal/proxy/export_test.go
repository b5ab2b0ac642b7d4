package proxy

import "context"

// Settle waits until all that was answered is noted and reported.
func (p *Proxy) Settle() { _ = p.open.wait(context.Background()) }
