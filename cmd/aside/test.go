package main

// testCmd is "aside test".
type testCmd struct{}

// Run runs rule tests.
func (*testCmd) Run(e *env) error { return nil }
