// Package api has one file for each API of a model: how the API names its members, how a message and a block
// of it are read, where a text may go in it, how its system prompt is written, which paths it has, how its
// responses tell their usage, and how an error looks in it. The machine that uses all this is package
// internal/body; responses are read by package internal/response.
//
// To add an API is to write its file, its fake in package internal/test/modelapi, and its row in the list of
// api.go. TestEachAPI here, TestAPIs of internal/layout and TestRoutes of the proxy say what is missing.
// Everything else asks there by name. The rules of each API, with their sources, are in inject/wire/WIRE.md.
//
// Nothing here may be written to; every function may be called concurrently.
package api
