package wire

import "slices"

// Marked returns the conversation with the run's mark in its options, for which the run must be known.
func (c *Conversation) Marked(mark string) *Conversation {
	d := *c
	d.opts.Mark = mark
	return &d
}

// Beginning returns the keys of the messages with which the conversation begins: those before the model's first answer.
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
