//go:build js

// Command playground is the playground's program for the browser: it gives the page a function
// aside(rule, name, session), which returns the Answer of package playground as JSON, and aside.sample, the
// sample session. Then it calls the page's function asideReady.
package main

import (
	"encoding/json"
	"io/fs"
	"syscall/js"

	"github.com/aside-go/aside/cmd/internal/playground"
	"github.com/aside-go/aside/cmd/internal/sample"
)

func main() {
	play := js.FuncOf(func(_ js.Value, args []js.Value) any {
		out, err := json.Marshal(playground.Play(args[0].String(), args[1].String(), []byte(args[2].String())))
		if err != nil {
			return js.Null()
		}
		return string(out)
	})
	files, _ := fs.Glob(sample.Sessions, "sample/*.jsonl") // the pattern is well formed
	session, err := fs.ReadFile(sample.Sessions, files[0])
	if err != nil {
		panic(err) // it is part of the program
	}
	play.Set("sample", string(session))
	js.Global().Set("aside", play)
	js.Global().Call("asideReady")
	select {}
}
