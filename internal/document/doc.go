// Package document owns rule files: it reads the bytes of one into reminders, says what is wrong with it at
// the place where it is wrong, and writes its triggers in canonical form.
//
// It knows YAML, front matter and the keys of LANGUAGE.md §3, and finds what YAML does to a trigger before
// anybody asks what the trigger means; it compiles nothing and opens no file. A guard on size, nesting and
// number of entries stands before the YAML library. Its functions are pure and may be called concurrently.
package document
