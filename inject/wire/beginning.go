package wire

// Marked returns the conversation, to be written to with the run's mark, which may only be known once the run is.
func (c *Conversation) Marked(mark string) *Conversation {
	d := *c
	d.opts.Mark = mark
	return &d
}

// Beginning returns the keys of the messages with which the conversation begins: those before the model's first answer.
func (c *Conversation) Beginning() []string {
	keys := c.Keys()
	return keys[:min(1, len(keys))]
}
