// Package wiretest holds strict fakes of the model APIs, for tests: Anthropic Messages, OpenAI Chat Completions and
// Responses, Gemini, and Bedrock Converse. They refuse what the vendors document or were seen to refuse, check that thinking
// stands behind the prompt it was made for, count cached tokens as each vendor's cache does, and answer and stream as each
// API does.
//
//   - Check says why a request is refused, from its bytes alone. A Rule names the reason.
//   - Fake is all APIs behind one http.Handler; the path picks. Ask is the same without HTTP. It follows a Script, does the
//     Fault it is told to, and keeps a Record of each request.
//   - Models is the table of what each model takes and how it is cached. A test may give its own.
//   - Cache counts a Prompt, also one that was made without a body.
//
// What is simpler than the real thing: a token is four bytes of text, and the structure around it is free. A signature of
// thinking tells, in digests, the prompt it was made for, so that nothing needs to be kept to check it; one that no fake has
// made is refused by models that bind. Of tools, images and request parameters only the names are looked at.
//
// Nothing here sleeps or reads a clock: time comes from Options.Clock, and what is slow waits for a channel. Check, Read and
// the methods of Fake may be called concurrently; a Prompt must not be written to.
package wiretest
