// Package wire edits the JSON body of a model request: it puts reminders in, takes them out again, and reads off the request what
// triggers are judged by. It also reads token usage off responses. It works on bytes and does no I/O.
//
//   - Inject returns a body with the due texts in it; Strip takes them out again; Neutralise makes the reminder tags harmless that
//     others wrote. Each sees one request alone.
//   - Read and ReadRequest return a Request: what the body, the path and the headers say about the turn, its facts, its kind, its
//     run.
//   - A Conversation, from Read or ReadConversation, is for callers that see every request of a run. Its Keys name the client's
//     messages; its Edit (or Compose) repeats what earlier requests held and adds what is due now.
//   - A Tap, or ReadUsage, reads off a response how many tokens it took. EndpointOf tells API and kind from a URL path.
//
// Bodies and texts that are given are never written to. Every function may be called concurrently; a Tap belongs to one response
// and one goroutine at a time.
//
// # Words
//
// A reminder is a due text, wrapped as package inject says: in a <system-reminder> tag that carries the run's mark if Options
// have one, or behind a prefix. A reminder that this package put into a body is ours; all else is the client's. The client is the
// agent that sends the request. What it writes by itself in a user's place, or as system and developer messages, is the host's. A
// forged tag is a reminder tag that is not ours, in what a user, a tool or a document says.
//
// # Splicing
//
// A body is changed by splices, never decoded and encoded again. Every byte of the client's stays: unknown members, key order,
// duplicate keys, white space, escapes, integers of any size. What is ours is compact, "type" before "text", with < and >
// unescaped. A text that must not go into this request is held: the body stays as it is, and the Report says why.
//
// # The way of a request
//
//	bytes → read (read.go, content.go, keyed.go) → body: spans of messages, blocks and texts
//	      → view (view.go)   → view: whose turn it is, what is ours already, which calls are unanswered
//	      → plan (plan.go)   → groups: the texts for each site (site.go); texts that cannot go anywhere are held
//	      → insert, neutralise (plan.go, put.go, vendor.go) → splices (splice.go) → Edition (edition.go)
//
//	Strip:        body → view → removeAll (clear.go) → splices
//	Conversation: body → keys (key.go) → repeat (repeat.go) for the past, fresh (compose.go) for the due: groups → insert, neutralise
//
// What differs between APIs (see API) and models has its place:
//
//   - A format (api.go) is how an API names its members, writes a text block, and what it lets us add.
//   - The rules about where a text may go are in site.go. There are four ways to write a text, the op of a site: as a block at
//     the end of a content, at the end of a string, as a message, as a new member of the body.
//   - What differs between models is data: models.go says what each accepts, and rows of Options.Models go before it. How many
//     tokens a model holds is told by Windows (window.go), and its own entries go before the table.
//
// To add an API is to add a row to formats and its rules to site.go. A Gemini or Converse request may stand inside a larger
// object (format.wrappers); it is read and edited where it is.
//
// The generic shape, {"messages":[{"role":…,"content":"…" or [blocks]}]}, is planned by package inject. outline.go describes a
// body to it; put.go and remove.go turn its edits and removals into splices.
//
// # How much is checked
//
// Inject, Strip and Neutralise accept only valid JSON (validate, scan.go). Everything else jumps from quote to quote, and steps
// over values that tell nothing from bracket to bracket. What is wrong inside those is left for the API to refuse.
//
// # Over a whole run
//
// A Put says what was put where: with which message (its Anchor, a key), in which Shape, and which texts. A Put that is repeated
// is a group like one that is new, but its site is found by its key (repeat.go) and not by the turn. Groups for the same place
// are joined before anything is written.
//
//   - Where the client's request is a prefix of its next one, the edited request is a prefix of the edited next one: no text goes
//     in front of anything the model has answered, past texts stand before due ones, and no byte depends on what may change.
//   - A Put stands where it stood, or not at all: repeat.go asks of the place what site.go asks of a new one. A Put that it
//     refuses is Gone. A Put whose message the server keeps (previous_response_id, conversation) is neither sent again nor Gone;
//     only the system prompt, which comes with each request, is written again.
//   - A system message of ours goes behind as many of the host's own system messages as it did before (Put.After), or as there
//     are.
//   - Forged tags are neutralised from one message on, the same in each request; see Conversation.Edit. A text that is wholly one
//     tag counts there as the client's own, as a block and as a string, because clients turn the one into the other.
//
// The key of a message is a hash of the ids of its calls and results, and of how many earlier messages had the same ids. A
// message without ids is keyed by its role, its words and the key before it. Images and documents are not part of a key. Host
// messages and the model's thinking have no key. The keys of a delta to a conversation that the server keeps begin with the name
// of the response that the delta goes on from; a delta that names the conversation alone cannot be told from another one with the
// same words.
//
// The generic shape has keys, but repeats nothing: due texts go where Inject puts them, once.
//
// # What Strip knows as ours
//
// With a mark, whatever carries it. Without one, the bare form, at the places where texts are put now. So that a client's bytes
// of the same form are never taken for ours, a blank is added, which Strip takes away with ours:
//
//   - String content becomes [{"type":"text","text":<the string>},OURS] without any blank. Where the client's own array has just
//     that form, or is empty, a blank is put behind our blocks; see likeWritten and likeString.
//   - Where the client's last block has just the form of ours, a blank is put behind the comma; see attach.
//
// Without a mark two cases remain, both with bare tags of the client's own. A system prompt that is such a tag with a line end
// behind it reads as ours once a text is added to it. Where the last message is nothing but such tags, Strip looks for texts of
// the user's turn there, and not where they are.
//
// Strip cannot give back how a neutralised tag was spelled: Strip(Inject(x)) is Neutralise(x).
//
// # Forged tags
//
// Reminder tags in what users, tools and documents say, in the keys of results and in the names of files and speakers too, are
// neutralised: the < becomes &lt;. One form is left alone: the outer tags of a text block of a user message that is wholly
// <system-reminder>…</system-reminder>, because clients write such blocks themselves (Claude Code does for most models, and Qwen
// Code). That holds in Anthropic's shape. In a Conversation it holds in every vendor's shape, for blocks that the client cannot
// write as a string the next time; see view.clientsOwn. Tags inside such a block, and all tags in a longer text, a string or a
// tool result, are neutralised. A person who types nothing but such a block speaks for themself in any case; with a mark, the
// system prompt announces only what carries it as coming from the software (inject.Explanation).
//
// # Facts and usage
//
// A Request is read in one pass: reading a message notes what the facts need of it, history.go goes over the messages and keeps
// the previous response and what came since, and params.go reads the other members of the body. Who speaks is decided in actor.go
// by the form of a message and in judge.go by marks of the host. Words and tags of single clients are data, in hosttext.go and
// judge.go.
//
// A Tap passes bytes through sse or frames to feed, which knows JSON, and on to notes, which knows the names of members. What is
// not certain is unknown.
package wire
