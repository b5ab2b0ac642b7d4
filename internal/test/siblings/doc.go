// Package siblings plays agents that begin alike, in front of processes that share a store and are killed.
// Each conversation is held to law S7: it gets, to the byte, what it gets alone.
package siblings
