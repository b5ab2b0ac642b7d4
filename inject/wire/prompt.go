package wire

import "github.com/aside-go/aside/internal/outline"

// result returns the content of the last tool result in a message, nil if there is none that can carry a text.
func (v *view) result(m *message) *message {
	blocks := v.of(m)
	for j := len(blocks) - 1; j >= 0; j-- {
		if b := &blocks[j]; b.kind == kindResult {
			return v.reread(b.content, classTool)
		}
	}
	return nil
}

// reread reads the content at a span again, as that of a message of class c: a tool result or the system prompt. It returns nil
// if that can carry no text.
func (d *body) reread(at span, c class) *message {
	if at.from == at.to {
		return nil
	}
	texts := len(d.texts)
	r := &reader{scanner: scanner{b: d.b[:at.to], i: at.from}, f: d.f, doc: d}
	m := &message{span: at, class: c}
	r.content(m)
	d.texts = d.texts[:texts]
	if r.err != nil || m.form == outline.NoContent || m.form == outline.BlockContent && m.blocks.from == m.blocks.to {
		return nil
	}
	return m
}

// prompt returns the site of texts attached to run_start, or why they are held. They go behind what the system prompt says
// already, so that the beginning of the request that is cached stays as it was.
func (v *view) prompt() (s site, hold string) {
	start := anchor{shape: ShapePrompt, message: -1}
	if v.f.promptKeys == nil {
		at := -1
		for i := range v.messages {
			if v.ours[i] {
				continue
			}
			if v.messages[i].class != classSystem {
				break
			}
			at = i
		}
		if at < 0 {
			return site{op: opMessage, at: 0, role: v.promptRole(), anchor: start}, ""
		}
		m := &v.messages[at]
		if m.form == outline.NoContent || m.form == outline.BlockContent && m.blocks.from == m.blocks.to {
			return s, whyPrompt
		}
		return v.end(m, start), ""
	}
	if v.head.cached {
		return s, whyCached
	}
	if v.head.prompt.to == 0 {
		return site{op: opMember, anchor: start}, ""
	}
	if m := v.promptContent(); m != nil {
		return v.end(m, start), ""
	}
	return s, whyPrompt
}

// promptRole returns the role of a system prompt that is added as a message.
func (v *view) promptRole() string {
	if v.model.Role == "developer" {
		return "developer"
	}
	return "system"
}

// promptContent returns the content of the system prompt that is a member of the body, nil if it can carry no text.
func (d *body) promptContent() *message {
	at := d.head.prompt
	if at.to == 0 {
		return nil
	}
	if d.f.promptParts == "" {
		return d.reread(at, classSystem)
	}
	r := &reader{scanner: scanner{b: d.b[:at.to], i: at.from}, f: d.f, doc: d}
	if r.peek() != '{' {
		return nil
	}
	parts := span{}
	r.enter()
	for first := true; ; first = false {
		key, ok := r.member(first)
		if !ok {
			break
		}
		from := r.i
		if r.value(); is(r.b, key, d.f.promptParts) {
			parts = span{from, r.i}
		}
	}
	return d.reread(parts, classSystem)
}
