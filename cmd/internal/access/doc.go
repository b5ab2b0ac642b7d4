// Package access says who may ask a proxy for what, and how much of it: tokens with scopes, a rate for
// each token, and how many requests are answered at once.
//
// Tokens stand in a file that is read again when it changes (Guard.Follow). Of a secret only its SHA-256 is
// kept, and neither is logged. Without tokens the programs of this machine may ask for everything, and web
// pages of other machines for nothing.
//
// A Guard may be used concurrently.
package access
