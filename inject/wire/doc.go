// Package wire puts due texts into the bytes of a request, and takes them out again.
//
// A body is spliced: it is read once, forward, to find where things stand, and what is not ours stays as it was to the
// byte: unknown members, key order, duplicate keys, white space, escapes, integers of any size. What is ours is compact,
// "type" before "text", with < and > as they are.
//
// So far it speaks the generic shape: {"messages":[{"role":…,"content":"…" or [blocks]}]}. A further API is a further
// format over the same parts:
//
//   - scanner (scan.go) walks JSON strictly and in linear time; it knows no API.
//   - reading (body.go) turns bytes into a body: spans of messages, blocks and texts. It is what differs between APIs,
//     together with the words of a format (format.go): the names of members and what stands around a text.
//   - outlines (outline.go) tells package inject what it needs to know to make its plan. Nothing here decides where a
//     text goes; an API with rules of its own about that makes its own list of inject.Edit.
//   - put and remove (put.go, remove.go) turn inject.Edit and inject.Removal into splices, and splice.go applies them.
//
// Two shapes that look alike must stay apart, or Strip could not give back the same bytes. String content is turned into
// [{"type":"text","text":<the string>},OURS] without any blank. Where the client's own array looks just like that, and
// where it is empty, one blank is put behind our blocks, and Strip takes it away again; see twin.
//
// What Strip cannot give back is the spelling of a forged tag that was neutralised: Strip(Inject(x)) is Neutralise(x).
//
// Nothing given is written to, and every function may be called concurrently.
package wire
