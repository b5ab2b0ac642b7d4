package siblings

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing/iotest"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/state"
)

// Siblings are agents that begin alike and that nobody names, in front of processes that share one store.
type Siblings struct {
	Set       *compile.Set
	Script    modelapi.Script
	Store     func() state.Store // that of a new process
	Processes int
	Seed      uint64            // of which process takes a request, and when one is killed
	Kills     int               // of 100 requests: before how many a process is killed, and after how many
	Options   transport.Options // of each process

	fake *modelapi.Fake

	mu      sync.Mutex
	rng     *rand.Rand
	running []*transport.Transport
	turns   []*turn
}

// turn is a request of a sibling that was answered.
type turn struct {
	*client.Sent
	out    []byte // as it went out
	answer []byte
	header http.Header // of the answer

	steps      []Step
	asked, key string
	// of OpenAI Responses: the ids of the response, and of the one before it where the server keeps that
	id, previous string
}

// errKilled is the client's view of a process that was killed.
var errKilled = errors.New("the proxy was killed")

// process is process i. A killed one saves no answer more, and another one takes the requests that follow.
func (s *Siblings) process(i int) *transport.Transport {
	var dead atomic.Bool
	base := client.Direct(s.fake)
	opts := s.Options
	opts.Commands = true
	opts.Base = client.Trip(func(r *http.Request) (*http.Response, error) {
		out, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if s.chance(s.Kills) { // the turn is saved, and the request is not sent
			s.replace(i)
			return nil, errKilled
		}
		c := r.Clone(r.Context())
		c.Body = io.NopCloser(bytes.NewReader(out))
		resp, err := base.RoundTrip(c)
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(b), iotest.ErrReader(cmp.Or(err, io.EOF))))
		s.mu.Lock()
		defer s.mu.Unlock()
		s.turns = append(s.turns, &turn{Sent: client.From(r), out: out, answer: b, header: resp.Header})
		return resp, nil
	})
	if s.Kills > 0 {
		opts.Later = func(save func() error) {
			if s.chance(s.Kills) { // the answer has passed, and is not saved
				dead.Store(true)
				s.replace(i)
			}
			if !dead.Load() {
				_ = save()
			}
		}
	}
	return transport.New(eval.New(s.Set, eval.Options{Store: s.Store()}), opts)
}

func (s *Siblings) chance(percent int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rng.IntN(100) < percent
}

// replace starts process i anew.
func (s *Siblings) replace(i int) {
	next := s.process(i)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[i] = next
}

// RoundTrip implements http.RoundTripper: any of the processes takes the request, and another one if that is
// killed.
func (s *Siblings) RoundTrip(r *http.Request) (*http.Response, error) {
	for {
		resp, err := s.attempt(r)
		if !errors.Is(err, errKilled) {
			return resp, err
		}
	}
}

func (s *Siblings) attempt(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	i := s.rng.IntN(len(s.running))
	begin := s.rng.IntN(100) < s.Kills || s.running[i] == nil
	s.mu.Unlock()
	c := r.Clone(r.Context())
	c.Body = io.NopCloser(bytes.NewReader(client.From(r).Body))
	if begin {
		s.replace(i)
	}
	s.mu.Lock()
	rt := s.running[i]
	s.mu.Unlock()
	return rt.RoundTrip(c)
}
