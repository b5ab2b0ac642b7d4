package main

import (
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/commandline"
	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/testkit"
)

func TestFlagWords(t *testing.T) {
	t.Parallel()
	commandline.Words(t, asided, 50)
}

func TestWrapping(t *testing.T) {
	t.Parallel()
	commandline.Wrapping(t, asided)
}

func TestBesideAside(t *testing.T) {
	t.Parallel()
	commandline.Beside(t, asided, process.Program(testkit.Built(t, "aside")))
}
