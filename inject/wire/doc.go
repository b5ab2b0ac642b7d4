// Package wire puts due texts into the bytes of a request, and takes them out again.
//
// A body is spliced, never decoded and encoded: what is not ours stays as it was to the byte: unknown members, key order,
// duplicate keys, white space, escapes, integers of any size. What is ours is compact, "type" before "text", with < and >
// as they are. Where a text must not go, it is held: the same bytes come out, and the Report says why.
//
// It speaks the generic shape, {"messages":[{"role":…,"content":"…" or [blocks]}]}, and the APIs of the vendors; see API.
// There is one mechanism for all:
//
//	bytes → read (read.go, content.go, keyed.go) or readTail (tail.go) → body: spans of messages, blocks, texts
//	      → view (view.go)   → view: whose turn it is, what is ours already, which calls are unanswered
//	      → plan (plan.go)   → groups: which texts go to which site (site.go), and which are held
//	      → insert, neutralise (put.go, plan.go, vendor.go) → splices (splice.go)
//	strip: → view → removeAll (clear.go) → splices
//	run:   → keys (key.go) → repeat (repeat.go), fresh (compose.go): groups → insert, neutralise → splices
//
// A format (api.go) says what an API calls its members, how it writes a block, and what is added to it. There are four
// shapes in which a text goes in: a block at the end of a content, an addition to a string, a message, a member of the body.
// The rules about places that differ between APIs are in site.go, and nowhere else. What differs between models is data:
// models.go names them, and Options.Models goes before it; window.go says how much they hold, and Windows goes before that. A further format is a row of formats, and
// what it asks of site.go. The generic shape is planned by package inject, whose edits and removals outline.go, put.go and
// remove.go turn into splices.
//
// # Reading from the end
//
// AppendInject reads a vendor's body from its end: in JSON the opening quote of a string is the nearest earlier one with an
// even number of backslashes before it, so values can be stepped over backward. It knows the list of messages by its last
// element. Whenever it is not sure, or a text goes elsewhere, or a string in the body holds a forged tag (suspect.go),
// the body is read forward as Inject does. Both give the same bytes for every body that is JSON and has one list of
// messages at its top.
//
// # What is checked
//
// Inject, Strip and Neutralise take nothing but JSON (validate in scan.go). All else goes from quote to quote, as internal/lanes
// finds them, and over values that tell nothing from bracket to bracket: the API refuses by itself what is wrong in them.
//
// # Over a whole run
//
// Inject sees one request. A Conversation is for those who see all of a run: its Keys name the client's messages so that they
// are found again, however they are written the next time, and Compose repeats what earlier requests held and puts what is
// due now. What was put where is a Put; a Put is a group whose site is found by its key (repeat.go) and not by the turn. So
// past and due go in by one mechanism, and those for one place are joined before anything is written.
//
//   - Wherever the client's own request is a prefix of its next one, what goes out for it is too: no text goes in front of what
//     the model has answered, past ones stand before due ones, and no bytes depend on what may change.
//   - A Put stands where it stood, or not at all: repeat.go asks of the place what site.go asks of a new one. What it refuses is
//     Gone. What the server keeps (previous_response_id, conversation) is neither sent again nor gone, but for the system
//     prompt, which each request brings along.
//   - A system message goes behind as many of the host's own as it did, or as there are.
//   - Tags of others are neutralised from one message on, in each request alike: see Compose. A text that is wholly one tag
//     counts as the client's own there, as a block and as a string, for the one becomes the other.
//
// The key of a message is a hash of the ids of its calls and results, and of how many messages had the very same before it;
// where there are none, of who says what and of the key before it. Images and documents are not in it, nor are the host's
// messages and what the model thinks. A delta to a conversation that the server keeps begins with the name of the response it
// goes on from; one that names the conversation alone cannot be told from another with the same words.
//
// The generic shape has keys, but repeats nothing: what is due goes where Inject puts it, once.
//
// # What is ours
//
// Strip knows ours by the mark, or, without one, by the bare form at the places where texts are put now. Bytes that look
// alike must stay apart for that, which blanks do, that Strip takes away again:
//
//   - String content becomes [{"type":"text","text":<the string>},OURS] without any blank. Where the client's own array
//     looks just like that, and where it is empty, one blank is put behind our blocks; see likeWritten and likeString.
//   - Where the client's last block looks just like ours, a blank is put behind the comma; see attach.
//
// Without a mark two cases are left, both with bare tags of the client's own: a system prompt that is one with a line end
// behind it reads as ours once a text is added to it; and where the last message is nothing but such tags, Strip looks for
// texts of the user's turn there and not where they are.
//
// What Strip cannot give back is the spelling of a forged tag that was neutralised: Strip(Inject(x)) is Neutralise(x).
//
// # What is forged
//
// Reminder tags in what users, tools and documents say are neutralised. Not so, in Anthropic's shape and wherever a whole run is
// seen, the two tags around one of several text blocks of a user message that is wholly <system-reminder>…</system-reminder>: such blocks
// the client writes itself (Claude Code does, for most models, and Qwen Code). What is inside of one is neutralised, and so is every tag in a string, in a longer
// text and in a tool result. A person who types nothing but such a block speaks for themself in any case; with a mark,
// only what carries it is announced as coming from the software.
//
// # Facts and usage
//
// ReadRequest tells what the next model call can be judged by, and apart from it what is no turn; Read gives that and the
// Conversation of one reading. Messages and blocks hold what both need; history.go goes over them and keeps the previous
// response and what came since, params.go what the body says besides. Who has spoken is decided in actor.go by the form of a
// message and in judge.go by marks of the host; words and tags of single clients are data (hosttext.go, judge.go).
//
// A Tap reads usage off a response that goes by: bytes → sse or frames → feed → notes → numbers; only feed knows JSON, only
// notes the names of members. What is not certain is unknown.
//
// # Reading on
//
// A request of a run begins with the messages of the one before it. A Reader (memory.go) remembers, of what was released, where
// messages stand, what is in them and their keys, and a hash of their bytes; it takes over those that the hash finds again at
// the same place and reads on behind them. What it gives is what Read gives. It keeps no text, and of each list the memory
// belongs to one request at a time: who finds it taken reads all.
//
// Nothing given is written to. Every function may be called concurrently; a Tap belongs to one response.
package wire
