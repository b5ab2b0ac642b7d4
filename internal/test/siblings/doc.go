// Package siblings plays agents that begin alike, in front of processes that share a store and are killed, and
// holds each conversation to law S7: it gets, to the byte, what it gets alone.
package siblings
