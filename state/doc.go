// Package state stores what runs remember. Choose a Store where a process opens its evaluator: Memory for one
// process, package filestore for one machine, pgstore or redisstore for several; or write your own, and let
// package storetest try it.
//
// A Store keeps the Snapshot of each run, and replaces it by compare-and-swap, so that processes that share
// the store decide each turn once. A Memory may be used concurrently, as any Store must.
package state
