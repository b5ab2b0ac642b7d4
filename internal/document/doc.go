// Package document owns rule files: it reads the bytes of one into reminders, reports its mistakes at their
// places, and writes its triggers in canonical form. It also tells rule files and rule tests from other
// files.
//
// It knows YAML, front matter and the keys of LANGUAGE.md §3, and finds triggers that YAML changes before
// anybody asks for their meaning. It compiles nothing and opens no file. A guard on size, nesting and number
// of entries stands before the YAML library. Its functions are pure and may be called concurrently.
package document
