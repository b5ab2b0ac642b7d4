package modelapi_test

import (
	"fmt"
	"slices"

	"github.com/aside-go/aside/internal/test/modelapi"
)

func remind(k int) modelapi.Block { return block(120, fmt.Sprintf("remind%d ", k)) }

func inFront(p *modelapi.Prompt, b modelapi.Block) {
	p.Messages[0].Blocks = append([]modelapi.Block{b}, p.Messages[0].Blocks...)
}

// lastMessage appends to the last message; with the mark, if it is to move.
func lastMessage(p *modelapi.Prompt, b modelapi.Block, moves bool) {
	m := &p.Messages[len(p.Messages)-1]
	m.Blocks = slices.Clone(m.Blocks)
	if n := len(m.Blocks) - 1; moves {
		b.Mark, m.Blocks[n].Mark = m.Blocks[n].Mark, nil
	}
	m.Blocks = append(m.Blocks, b)
}

// turnOf is the index of the message with which turn k ends.
func turnOf(k int) int { return 2 * (k - 1) }

// strategies are the rows of the tables.
var strategies = map[string]func(p *modelapi.Prompt, x *example, k int){
	"none": nil,
	"after the breakpoint": func(p *modelapi.Prompt, x *example, k int) {
		if x.fires[k] {
			lastMessage(p, remind(k), false)
		}
	},
	"clear_at": func(p *modelapi.Prompt, x *example, k int) {
		for i := k; i >= 1; i-- {
			if x.fires[i] {
				p.Messages = slices.Insert(p.Messages, turnOf(i)+1, modelapi.Message{Role: "system",
					ClearAt: "next_user_message", Blocks: []modelapi.Block{remind(i)}})
			}
		}
	},
	"sticky": func(p *modelapi.Prompt, x *example, k int) { // the breakpoint behind it
		for i := 1; i <= k; i++ {
			if x.fires[i] {
				m := &p.Messages[turnOf(i)]
				m.Blocks = append(slices.Clone(m.Blocks), remind(i))
				if n := len(m.Blocks) - 1; m.Blocks[n-1].Mark != nil {
					m.Blocks[n-1].Mark, m.Blocks[n].Mark = nil, m.Blocks[n-1].Mark
				}
			}
		}
	},
	"sticky, after the breakpoint": func(p *modelapi.Prompt, x *example, k int) {
		for i := 1; i <= k; i++ {
			if x.fires[i] {
				m := &p.Messages[turnOf(i)]
				m.Blocks = append(slices.Clone(m.Blocks), remind(i))
			}
		}
	},
	"on the breakpoint": func(p *modelapi.Prompt, x *example, k int) {
		if x.fires[k] {
			lastMessage(p, remind(k), true)
		}
	},
	"in the tool result": func(p *modelapi.Prompt, x *example, k int) {
		if b := &p.Messages[len(p.Messages)-1].Blocks[0]; x.fires[k] && b.Kind == modelapi.ToolResult {
			b.Raw, b.Bytes = b.Raw+remind(k).Raw, b.Bytes+480
		}
	},
	"before the first user message": func(p *modelapi.Prompt, x *example, k int) {
		if x.fires[k] {
			inFront(p, remind(k))
		}
	},
	"system, ephemeral": func(p *modelapi.Prompt, x *example, k int) {
		if x.fires[k] {
			systemWith(p, k)
		}
	},
	"system, accumulating": func(p *modelapi.Prompt, x *example, k int) {
		for i := 1; i <= k; i++ {
			if x.fires[i] {
				systemWith(p, i)
			}
		}
	},
	"trailing developer": func(p *modelapi.Prompt, x *example, k int) { trailing(p, x, k, "developer") },
	"trailing user":      func(p *modelapi.Prompt, x *example, k int) { trailing(p, x, k, "user") },
	"trailing user, explicit breakpoint before": func(p *modelapi.Prompt, x *example, k int) {
		if m := p.Messages[len(p.Messages)-1]; x.fires[k] {
			m.Blocks[0].Mark = &modelapi.Mark{}
		}
		trailing(p, x, k, "user")
	},
	"sticky user":      func(p *modelapi.Prompt, x *example, k int) { stay(p, x, k, "user") },
	"sticky developer": func(p *modelapi.Prompt, x *example, k int) { stay(p, x, k, "developer") },
}

func trailing(p *modelapi.Prompt, x *example, k int, role string) {
	if x.fires[k] {
		p.Messages = append(p.Messages, modelapi.Message{Role: role, Blocks: []modelapi.Block{remind(k)}})
	}
}

func stay(p *modelapi.Prompt, x *example, k int, role string) {
	for i := k; i >= 1; i-- {
		if x.fires[i] {
			p.Messages = slices.Insert(p.Messages, turnOf(i)+1, modelapi.Message{Role: role,
				Blocks: []modelapi.Block{remind(i)}})
		}
	}
}

// systemWith changes the system prompt, as one block.
func systemWith(p *modelapi.Prompt, k int) {
	b := p.System[0]
	b.Raw, b.Text, b.Bytes = b.Raw+remind(k).Raw, b.Text+remind(k).Text, b.Bytes+480
	p.System[0] = b
}
