// Package body is the machine that edits request bodies of model APIs. It knows no API and no model:
// everything that differs between APIs is a field of Format, which package internal/api fills in, and the
// texts that a model takes come as an option.
//
// # The way of a request
//
//	bytes → Read (read.go, scan.go)    → Body: spans of messages, blocks and texts
//	      → draft (draft.go)           → Draft: whose turn it is, what is ours, which calls are unanswered
//	      → plan (plan.go, target.go)  → groups: the texts for each target; texts without one are held
//	      → insert, neutralise (write.go, forged.go) → Splices (edit.go)
//
//	Strip:        Body → Draft → removeAll (remove.go) → Splices
//	Conversation: Body → keys (key.go) → repeat (repeat.go) for the past, plan for the due → groups
//
// There are four ways to write a text: as a block at the end of a content, at the end of a string, as a
// message, as a new member of the body.
//
// # Words
//
// A reminder is a due text, wrapped as package internal/mark says. A reminder that this package put into a
// body is ours; all else is the client's. The client is the agent that sends the request. Its host messages
// are system and developer messages, and texts that it writes by itself in a user's place. A forged tag is a
// reminder tag that is not ours and that mark.Policy has neutralised, in a text of a user, a tool or a file.
//
// # How much is checked
//
// Validate accepts only valid JSON. Read jumps from quote to quote, and steps over values that tell nothing
// from bracket to bracket: errors inside those are left for the API to refuse.
//
// # Over a whole run
//
// An Insertion says what was put where: with which message (its Anchor, a key), in which Shape, and which
// texts. An Insertion that is repeated is a group like a new one, but its target is found by the key and not
// by the turn.
//
//   - Where the client's request is a prefix of its next one, the edited request is a prefix of the edited
//     next one: no text goes in front of an answer of the model's, past texts stand before due ones, and no
//     byte depends on anything that may change.
//   - An Insertion stands where it stood, or not at all: then it is Gone. An Insertion whose message the
//     server keeps is neither sent again nor Gone; only the system prompt, which comes with each request, is
//     written again.
//   - A system message of ours goes behind as many of the host's own system messages as it did before, or as
//     there are.
//
// # How ours are told from the client's
//
// With a mark, by the mark. Without one, by the bare form, at the places where texts are put now. So that a
// client's bytes of the same form are never taken for ours, a blank is added, which Strip takes away with
// ours; see likeWritten, likeString and attach.
//
// Without a mark two cases remain, both with bare tags of the client's own. A system prompt that is such a
// tag with a line end behind it reads as ours once a text is added to it. Where the last message is nothing
// but such tags, Strip looks for texts of the user's turn there, and not where they are.
package body
