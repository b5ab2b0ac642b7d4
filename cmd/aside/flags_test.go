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

func TestBesideAsided(t *testing.T) {
	t.Parallel()
	commandline.Beside(t, aside, process.Program(testkit.Built(t, "asided")))
}
