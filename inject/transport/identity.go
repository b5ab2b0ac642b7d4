package transport

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/aside-go/aside/eval"
)

// name finds the run that the request belongs to. The package comment says in which order.
func (x *exchange) name(ctx context.Context) error {
	if x.opts.Run != nil {
		x.Run = x.opts.Run(x.in)
	}
	if x.Run == "" {
		x.Run = x.in.Header.Get(RunHeader)
	}
	id := x.q.Thread
	switch {
	case x.Run != "":
		x.named = true
	case id.Run != "" && id.Source != "prompt_cache_key":
		x.Run, x.named = id.Key(), true
		return x.fork(ctx)
	case id.Previous != "":
		if x.Run = x.known.find(x.tenant, indexResponse, id.Previous); x.Run == "" {
			x.Run = "response-" + id.Previous
		}
	case x.conv.Answered():
		if x.Run = x.joined(indexCall, indexHead); x.Run == "" {
			return x.unnamed(ctx)
		}
		return x.branch(ctx)
	default:
		return x.unnamed(ctx)
	}
	return nil
}

// branch gives the conversation a run of its own, begun as a copy, where the run that it was joined with has gone on otherwise
// meanwhile: several attempts at one task side by side, or a person who went back in the history.
func (x *exchange) branch(ctx context.Context) error {
	if x.known.find(x.tenant, indexHead, x.head) == x.Run { // this very request has been here
		return nil
	}
	n, err := x.notesOf(ctx, x.Run)
	first, _ := x.conv.Ends()
	if err != nil || n.continues(x.conv) || n.First != first {
		return err
	}
	from := x.Run
	x.Run = another(from)
	_, err = x.ev.Fork(ctx, from, x.Run)
	return err
}

// another returns a new name for a run that begins as this one did.
func another(run string) string {
	var b [4]byte
	_, _ = rand.Read(b[:])
	if len(run) > len(unnamedRun)+16 {
		run = run[:len(unnamedRun)+16]
	}
	return run + "-" + hex.EncodeToString(b[:])
}

// stored returns the notes of a run as they are stored, and its mark.
func (x *exchange) stored(ctx context.Context, run string) (eval.Notes, string, error) {
	if err := x.unsaved.wait(ctx, run); err != nil {
		return nil, "", err
	}
	return x.ev.Notes(ctx, run)
}

// notesOf returns the notes of a run.
func (x *exchange) notesOf(ctx context.Context, run string) (notes, error) {
	raw, _, err := x.stored(ctx, run)
	if err != nil {
		return notes{}, err
	}
	return x.cache.decode(run, raw)
}

// joined returns the run that this conversation continues, as far as this process knows it, "" for none. Ids of tool calls are asked
// first: they are unique, and conversations often begin with the same words.
func (x *exchange) joined(call, head indexed) string {
	for id := range x.conv.Calls() {
		if unique(id) {
			if run := x.known.find(x.tenant, call, id); run != "" {
				return run
			}
		}
	}
	for _, h := range slices.Backward(x.conv.Heads()) {
		if run := x.known.find(x.tenant, head, h); run != "" {
			return run
		}
	}
	return ""
}

// unnamed names the run by what the conversation begins with.
func (x *exchange) unnamed(ctx context.Context) error {
	d := xxhash.New()
	_, _ = d.WriteString(string(x.API) + "\x00" + x.q.Thread.Run) // a prompt_cache_key
	for _, k := range x.conv.Beginning() {
		_, _ = d.WriteString("\x00" + k)
	}
	base := fmt.Sprintf("%s%016x", unnamedRun, d.Sum64())
	x.Run = x.known.find(x.tenant, indexHead, x.head)
	for _, run := range []string{x.Run, base} {
		if run == "" {
			continue
		}
		n, err := x.notesOf(ctx, run)
		if err != nil {
			return err
		}
		if run == base && n.Head == "" || n.asked(x) || x.conv.Answered() && n.continues(x.conv) {
			x.Run = run
			return nil
		}
	}
	x.Run = another(base) // another conversation that began with the same words
	return nil
}

// unnamedRun begins the names of runs that nobody has named.
const unnamedRun = "conversation-"

// fork begins a new run as a copy of the one whose history the conversation begins with, if there is one.
func (x *exchange) fork(ctx context.Context) error {
	if !x.conv.Answered() {
		return nil
	}
	raw, mark, err := x.stored(ctx, x.Run)
	if err != nil || raw != nil || mark != "" {
		return err
	}
	if from := x.joined(indexNamedCall, indexNamedHead); from != "" && from != x.Run {
		if err = x.unsaved.wait(ctx, from); err == nil {
			_, err = x.ev.Fork(ctx, from, x.Run)
		}
	}
	return err
}

// remember adds the conversation to the index, so that its next request is known.
func (x *exchange) remember() {
	by := indexHead
	if x.named {
		by = indexNamedHead
	}
	if !x.q.Partial {
		x.known.add(x.tenant, by, x.head, x.Run)
	}
	x.rememberCalls()
}

// rememberCalls adds the latest tool calls to the index, back to the first that an earlier request has added. A request that is no
// turn does so too: one that asks for a summary may be the last to hold a call before the client rewrites its history.
func (x *exchange) rememberCalls() {
	by := indexCall
	if x.named {
		by = indexNamedCall
	}
	n := 0
	for id := range x.conv.Calls() {
		if !unique(id) {
			continue
		}
		if n++; n > maxCalls || x.known.add(x.tenant, by, id, x.Run) {
			return
		}
	}
}

// maxCalls is how many of a request's calls are remembered: the last ones, more than a model makes at once.
const maxCalls = 16

// unique reports whether a tool call's id is long enough to be random; shorter ones are counters that every conversation has.
func unique(id string) bool { return len(id) >= 16 }
