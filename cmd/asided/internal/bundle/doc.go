// Package bundle carries rules from one place to many machines: an archive of rule files with a manifest and
// signatures over it, the commands of "asided bundle", and the Node, which keeps a process on the last good
// bundle of a server. Nothing that is not signed by an accepted key, is not whole, or holds a rule with an
// error, ever takes the place of rules in use. All functions may be called concurrently; a Node says so
// itself.
package bundle
