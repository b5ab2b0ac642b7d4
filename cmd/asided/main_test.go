package main

import (
	"testing"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/servers"
)

// exe is this program as a process.
const exe = process.Program("asided")

func TestMain(m *testing.M) { exe.Main(m, servers.Stop) }

func TestScripts(t *testing.T) {
	t.Parallel()
	process.Scripts(t)
}
