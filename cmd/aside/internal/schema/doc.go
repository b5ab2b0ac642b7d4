// Package schema owns the JSON Schemas (2020-12) of reminder files and of rule tests, as editors read them.
//
// They are files, with two gaps that are filled here: what both share, and the facts, which come from package fact. What a schema
// can say is what stands where and of which type; what a trigger or a template means it cannot see, and neither what a file is
// called. Tests hold the keys to those that the readers know, and every sample file to what the readers say of it.
// All functions may be called concurrently.
package schema
