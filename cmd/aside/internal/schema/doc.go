// Package schema owns the JSON Schemas (2020-12) of reminder files and of rule tests, for editors.
//
// The schemas are files with gaps that are filled here: the definitions that both share, and the facts, which come from package fact. A
// schema says which keys a file may have, and of what type their values are. It cannot see into triggers and templates, and does not know
// the file's name. Tests check that the keys are those that the readers of the files know, and that the schemas agree with the readers
// about every sample file. All functions may be called concurrently.
package schema
