// Command aside puts the right words before a model at the right moment.
//
// This package holds the commands and the exit codes. A package under internal does the work of a command,
// and most have its flags. The result of a command goes to stdout, messages about the result go to stderr,
// and the exit code is 0 for success, 1 for the answer no, 2 for wrong usage, 3 for an error of the machine,
// and 130 for an interrupt (CLI.md).
//
// Commands stand together as "aside help" groups them: start.go and rulefiles.go; hook.go, statusline.go,
// eval.go and serve.go are for agents; replay.go is a file of its own.
package main

import "os"

func main() {
	if runHook(os.Args[1:]) {
		return
	}
	code, is := runStatusline(os.Args[1:])
	if !is {
		code = aside.Main()
	}
	os.Exit(code)
}
