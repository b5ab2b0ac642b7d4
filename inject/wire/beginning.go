package wire

import "slices"

// Marked returns a copy of the conversation with the run's mark in its options. Apart from the mark, which depends on the run,
// everything can be read before the run is known.
func (c *Conversation) Marked(mark string) *Conversation {
	d := *c
	d.opts.Mark = mark
	return &d
}

// Beginning returns the keys of the messages before the model's first answer, of all messages where there is no answer.
func (c *Conversation) Beginning() (keys []string) {
	answer := slices.IndexFunc(c.body.messages, func(m message) bool { return m.class == classAssistant })
	for _, k := range c.messageKeys() {
		if answer >= 0 && k.message >= answer {
			break
		}
		keys = append(keys, spell(k.key))
	}
	return keys
}
