// Package modelapi holds strict fakes of the model APIs, for tests: Anthropic Messages, OpenAI Chat
// Completions and Responses, Gemini, and Bedrock Converse. A fake refuses what the vendor documents or was
// seen to refuse, checks that thinking stands behind the prompt it was made for, counts cached tokens as the
// vendor's cache does, and answers and streams as the API does.
//
//   - Check says why a request is refused, from its bytes alone. A Rule names the reason.
//   - Fake is all APIs behind one http.Handler; the path picks one. Ask is the same without HTTP. A Fake
//     follows a Script, does the Fault it is told to, and keeps a Record of each request.
//   - Models is the table of what each model accepts and how it is cached. A test may give its own.
//   - Cache counts the tokens of a Prompt, which may be one that was made without a body.
//   - Stable checks that what was put into the requests of a run stays where it was.
//
// Some things are simpler than in the real APIs. A token is four bytes of text, and the structure around text
// is free. The signature of a thinking block contains a digest of the prompt it was made for, so that it can
// be checked without keeping anything; models that bind refuse a signature that no fake has made. Of tools,
// images and request parameters only the names are looked at.
//
// Nothing here sleeps or reads a clock: time comes from Options.Clock, and what is slow waits for a channel.
// Check, Read and the methods of Fake may be called concurrently; a Prompt must not be written to.
package modelapi
