// Command aside-hook is "aside hook" in a program of its own, which starts faster: a coding agent runs it at
// each of its events.
//
// The process lives for a few milliseconds, so it does not look up how many processors its container allows.
//
//go:debug containermaxprocs=0
//go:debug updatemaxprocs=0
package main

import (
	"os"

	"github.com/aside-go/aside/cmd/internal/hook"
	"github.com/aside-go/aside/internal/agent/session"
)

func main() { hook.Main(os.Args[1:], session.Read) }
