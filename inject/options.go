package inject

import (
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/outline"
)

// Placement is where due texts go. Texts attached to run_start go into the system prompt with every
// placement: in front of the first message if that is a system message, else into a new first system message.
type Placement uint8

const (
	// PlaceBlock puts each text into a text block of its own: at the end of the last user or tool message, or,
	// for texts attached to user_turn, at the end of the last message that a person submitted.
	PlaceBlock = Placement(outline.AsBlock)
	// PlaceText appends to the last text of these messages.
	PlaceText = Placement(outline.AsText)
	// PlaceSystem puts one system message before the last user message, or directly behind that message if it
	// holds a tool result.
	PlaceSystem = Placement(outline.AsMessage)
)

// Options say how texts are put before the model. The zero Options are the bare tag, in blocks.
type Options struct {
	Placement Placement
	// Mark is the run's token by which our own tags are known: letters and digits, the same for the whole run.
	// Without a mark the tag is bare, and only its place and exact form tell our tags from those of others.
	Mark string
	// Prefix writes [SYSTEM REMINDER] in front of a text instead of the tag around it, for models without a
	// system role in mid-conversation. Texts in the system prompt have the tag all the same.
	Prefix bool
	// KeepForged leaves the reminder tags that others wrote as they are. Without a mark, Strip may then take one
	// of them for ours.
	KeepForged bool
}

func (o Options) tag() mark.Options {
	return mark.Options{Mark: o.Mark, Prefix: o.Prefix, KeepForged: o.KeepForged}
}

func (o Options) outline() outline.Options {
	return outline.Options{Placement: outline.Placement(o.Placement), Options: o.tag()}
}
