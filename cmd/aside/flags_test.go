package main

import (
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/commandline"
	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/testkit"
)

func TestFlagWords(t *testing.T) {
	t.Parallel()
	commandline.Words(t, aside, 50)
}

// TestBesideAsided holds one half; that of the other program, which TestBesideAside holds, is enough for
// a person who waits: where nothing is compiled yet, asided takes half a minute.
func TestBesideAsided(t *testing.T) {
	t.Parallel()
	if !testkit.Thorough() {
		return
	}
	commandline.Beside(t, aside, process.Program(testkit.Built(t, "asided")))
}
