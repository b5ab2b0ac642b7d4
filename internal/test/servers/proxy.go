//go:build unix

package servers

import (
	"net"
	"sync"
	"testing"
)

// Direction is one of the ways of a connection.
type Direction int

// The directions, as the client sees them.
const (
	Out Direction = iota
	In
)

// Proxy stands between clients and a server, and breaks connections.
type Proxy struct {
	Addr string // at which it listens

	mu    sync.Mutex
	to    string
	conns map[net.Conn]bool
	left  [2]int // bytes until all connections are cut; below 0 for never
	cuts  int
	bytes [2]int // that went through
}

// NewProxy starts a proxy before the server at an address. It ends with the test.
func NewProxy(t testing.TB, to string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Addr: l.Addr().String(), to: to, conns: map[net.Conn]bool{}, left: [2]int{-1, -1}}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { p.serve(c) })
		}
	})
	t.Cleanup(func() { l.Close(); p.Cut(); wg.Wait() })
	return p
}

// To has later connections go to another server, and cuts those that there are.
func (p *Proxy) To(addr string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.to = addr
	p.cutAll()
}

// CutAfter cuts all connections when n more bytes have gone in a direction.
func (p *Proxy) CutAfter(n int, d Direction) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = [2]int{-1, -1}
	p.left[d] = n
}

// Cut cuts all connections now, and later ones no more.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cutAll()
}

// Cuts returns how often CutAfter cut.
func (p *Proxy) Cuts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

// Bytes returns how many bytes went in a direction.
func (p *Proxy) Bytes(d Direction) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.bytes[d]
}

func (p *Proxy) cutAll() {
	p.left = [2]int{-1, -1}
	for c := range p.conns {
		c.Close()
	}
}

func (p *Proxy) serve(client net.Conn) {
	p.mu.Lock()
	to := p.to
	p.mu.Unlock()
	server, err := net.Dial("tcp", to)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	p.conns[client], p.conns[server] = true, true
	p.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() { p.copy(server, client, Out) })
	p.copy(client, server, In)
	wg.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, client)
	delete(p.conns, server)
}

func (p *Proxy) copy(to, from net.Conn, d Direction) {
	defer to.Close()
	defer from.Close()
	buf := make([]byte, 16<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 && !p.pass(to, buf[:n], d) || err != nil {
			return
		}
	}
}

// pass writes b, and reports whether the connection goes on.
func (p *Proxy) pass(to net.Conn, b []byte, d Direction) bool {
	p.mu.Lock()
	p.bytes[d] += len(b)
	last := p.left[d] >= 0 && p.left[d] <= len(b)
	if last {
		b = b[:p.left[d]]
	} else if p.left[d] > 0 {
		p.left[d] -= len(b)
	}
	p.mu.Unlock()
	_, err := to.Write(b)
	if last {
		p.mu.Lock()
		p.cuts++
		p.cutAll()
		p.mu.Unlock()
	}
	return err == nil && !last
}
