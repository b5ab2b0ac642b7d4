package modelapi

import (
	"slices"
	"time"

	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/promptcache"
)

// Cache is the prompt cache of one account, for a Prompt as Read returns it. The zero Cache is empty. It must
// not be used concurrently; a Fake guards its own.
type Cache struct{ of promptcache.Cache }

// Serve returns what a prompt reads and writes in its model's cache at that time, and remembers the prompt.
func (c *Cache) Serve(p *Prompt, m Model, now time.Time) Usage {
	if m.StripsThinking {
		p = p.forget()
	}
	p = m.Template.Render(p)
	return Usage{Usage: c.of.Serve(p.units(m), now)}
}

// tokens returns the length of a prompt, without any cache.
func (p *Prompt) tokens(m Model) int {
	return new(Cache).Serve(p, Model{StripsThinking: m.StripsThinking}, time.Time{}).Prompt
}

// forget returns the prompt without the thinking before the last user message that holds more than tool
// results.
func (p *Prompt) forget() *Prompt {
	for i := len(p.Messages) - 1; i >= 0; i-- {
		m := p.Messages[i]
		if m.Role != "user" {
			continue
		}
		for _, b := range m.Blocks {
			if b.Kind != ToolResult {
				out := *p
				out.Messages = append(p.without("").Messages[:i:i], p.Messages[i:]...)
				return &out
			}
		}
	}
	return p
}

// units returns a prompt as package cache sees it: tools, system prompt, messages. System messages that have
// lapsed are left out.
func (p *Prompt) units(m Model) *promptcache.Prompt {
	f := flat{Prompt: promptcache.New(p.Model, m.Cache), last: Kind(255)}
	for _, b := range p.Tools {
		f.put("tools", b)
	}
	f.salt = p.salt[0]
	for _, b := range p.System {
		f.put("system", b)
	}
	first := f.Len()
	f.salt += p.salt[1]
	users := 0
	for _, msg := range p.Messages {
		if msg.Role == "user" {
			users++
		}
	}
	auto := -1
	ends := m.Cache.Kind == model.Endings
	for i, msg := range p.Messages {
		if msg.Role == "user" {
			users--
		}
		if msg.ClearAt == "next_user_message" && users > 0 {
			continue
		}
		for _, b := range msg.Blocks {
			f.put(msg.Role, b)
			if msg.ClearAt == "" && b.Kind != Thinking {
				auto = f.Len() - 1
			}
		}
		if n := f.Len() - 1; ends && n >= 0 {
			f.Endings, f.Initial = withLast(f.Endings, n, p.eligible(i)), withLast(f.Initial, n, p.initial(i))
		}
	}
	if p.API == Responses && first > 0 && ends && (len(p.Messages) == 0 || !developer(p.Messages[0].Role)) {
		f.Initial = append([]int{first - 1}, f.Initial...)
	}
	if p.Auto != nil && auto >= 0 {
		f.mark(auto, p.Auto)
	}
	if p.Explicit {
		f.Endings, f.Initial = nil, nil
	}
	return f.Prompt
}

// flat is a prompt that is being turned into units.
type flat struct {
	*promptcache.Prompt
	last Kind
	salt string // Prompt.salt
}

func (f *flat) put(role string, b Block) {
	joined := b.Kind == f.last && (b.Kind == ToolUse || b.Kind == ToolResult)
	f.last = b.Kind
	raw := f.salt + "\x00" + role + "\x00" + b.Raw
	f.Add(promptcache.Unit{Raw: raw, Text: b.Text, Bytes: b.Bytes, Joined: joined})
	if m := b.lastMark(); m != nil {
		f.Marks = append(f.Marks, promptcache.Mark{Unit: f.Len() - 1, Hour: m.Hour})
	}
}

// mark puts a mark on a unit, in place of any that it has.
func (f *flat) mark(unit int, m *Mark) {
	at, has := slices.BinarySearchFunc(f.Marks, unit, func(m promptcache.Mark,
		unit int) int {
		return m.Unit - unit
	})
	if !has {
		f.Marks = slices.Insert(f.Marks, at, promptcache.Mark{})
	}
	f.Marks[at] = promptcache.Mark{Unit: unit, Hour: m.Hour}
}

// withLast returns the list of units with n as its last element, if is, else without n. A message without
// blocks ends with the unit of the message before it.
func withLast(list []int, n int, is bool) []int {
	if l := len(list); l > 0 && list[l-1] == n {
		list = list[:l-1]
	}
	if is {
		list = append(list, n)
	}
	return list
}

func (b Block) lastMark() *Mark {
	if b.Mark != nil {
		return b.Mark
	}
	for i := len(b.Inner) - 1; i >= 0; i-- {
		if m := b.Inner[i].Mark; m != nil {
			return m
		}
	}
	return nil
}

func developer(role string) bool { return role == "developer" || role == "system" }

// initial reports whether message i is the last of the developer messages with which the prompt begins.
func (p *Prompt) initial(i int) bool {
	for _, m := range p.Messages[:i+1] {
		if !developer(m.Role) {
			return false
		}
	}
	return i == len(p.Messages)-1 || !developer(p.Messages[i+1].Role)
}

// eligible reports whether an implicit breakpoint may stand behind message i: a user message, the last tool
// message of a group, or the last developer message of those at the beginning (OpenAI, prompt caching guide).
func (p *Prompt) eligible(i int) bool {
	switch m := p.Messages[i]; {
	case m.Role == "user":
		return true
	case m.Role == "tool":
		return i == len(p.Messages)-1 || p.Messages[i+1].Role != "tool"
	}
	return p.initial(i)
}
