package proxy

import (
	"context"

	"github.com/aside-go/aside/inject/transport"
)

// Settle waits until all that was answered is noted and reported.
func (p *Proxy) Settle() { _ = p.open.wait(context.Background()) }

// KeepStore is keepStore.
func (p *Proxy) KeepStore(ctx context.Context) { p.keepStore(ctx) }

// Tell is report.
func (p *Proxy) Tell(r transport.Report) { p.report(context.Background(), r) }
