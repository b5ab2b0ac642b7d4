package proxy

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aside-go/aside/inject/transport"
)

// Covered says of how many requests of one kind that have called a model the same became.
type Covered struct {
	Coverage transport.Coverage `json:"coverage"`
	Reason   string             `json:"reason,omitempty"` // see transport.Report.Coverage
	Way      string             `json:"way,omitempty"`    // the API, or the path where that is not known
	Client   string             `json:"client,omitempty"`
	Why      string             `json:"why,omitempty"` // more about Reason, of the first of them
	Requests int                `json:"requests"`
}

// coverage counts. Clients choose names and paths, so it keeps apart as many kinds as mostKinds.
type coverage struct {
	mu   sync.Mutex
	all  []*Covered
	kind map[Covered]*Covered // without Why and Requests
}

const mostKinds = 500

// add counts a request, and reports whether it is the first of its kind.
func (c *coverage) add(r *transport.Report) (first bool) {
	k := Covered{Way: string(r.API), Client: clip(r.Client)}
	if k.Coverage, k.Reason = r.Coverage(); k.Coverage == "" {
		return false
	}
	if k.Way == "" {
		k.Way = clip(numbered.ReplaceAllString(r.Path, "/ID"))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kind[k] == nil && len(c.all) >= mostKinds {
		k.Way, k.Client, k.Reason = "others", "", ""
	}
	n := c.kind[k]
	if first = n == nil; first {
		n = &Covered{k.Coverage, k.Reason, k.Way, k.Client, clip(r.Why), 0}
		if c.kind == nil {
			c.kind = map[Covered]*Covered{}
		}
		c.kind[k] = n
		c.all = append(c.all, n)
	}
	n.Requests++
	return first
}

// numbered is a part of a path that is an id.
var numbered = regexp.MustCompile(`/[^/]*[0-9][^/]{8,}|/[^/]{8,}[0-9][^/]*|/[^/]{40,}`)

// Coverage returns what became of the requests so far that have called a model: by coverage, most first.
func (p *Proxy) Coverage() []Covered {
	p.coverage.mu.Lock()
	defer p.coverage.mu.Unlock()
	var list []Covered
	for _, n := range p.coverage.all {
		list = append(list, *n)
	}
	slices.SortStableFunc(list, func(x, y Covered) int {
		return cmp.Or(strings.Compare(string(x.Coverage), string(y.Coverage)), y.Requests-x.Requests)
	})
	return list
}

// Summary tells the coverage in lines: of all, and for each kind of request that did not get its texts.
func Summary(list []Covered) (lines []string) {
	sum, all := map[transport.Coverage]int{}, 0
	for _, n := range list {
		sum[n.Coverage] += n.Requests
		all += n.Requests
		if n.Coverage == transport.Held || n.Coverage == transport.Passed {
			by := ""
			if n.Client != "" {
				by = " by " + n.Client
			}
			lines = append(lines, fmt.Sprintf("%s: %d of %s%s: %s", n.Coverage, n.Requests, n.Way, by, reasonOf(n)))
		}
	}
	if all == 0 {
		return nil
	}
	return slices.Insert(lines, 0, fmt.Sprintf("requests that called a model: %d (injected %d, nothing due %d, "+
		"held %d, passed %d)", all, sum[transport.Injected], sum[transport.NothingDue], sum[transport.Held],
		sum[transport.Passed]))
}

func reasonOf(n Covered) string {
	if n.Why == "" || n.Coverage == transport.Held {
		return n.Reason
	}
	return n.Reason + ", " + n.Why
}
