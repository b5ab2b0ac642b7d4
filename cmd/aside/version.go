package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/alecthomas/kong"
)

// versionCmd is "aside version".
type versionCmd struct{}

// Run prints the version.
func (*versionCmd) Run(e *env) error {
	fmt.Fprintln(e.out, version())
	return nil
}

// versionFlag is "aside --version".
type versionFlag bool

// BeforeReset prints the version and ends the parse.
func (versionFlag) BeforeReset(k *kong.Kong) error {
	fmt.Fprintln(k.Stdout, version())
	k.Exit(exitFine)
	return nil
}

// IgnoreDefault lets BeforeReset run only where the flag was given.
func (versionFlag) IgnoreDefault() {}

// version returns one line with the version of this program, of Go, and the platform.
func version() string {
	v := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v = info.Main.Version
	}
	return fmt.Sprintf("aside %s %s %s/%s", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
