// Package ruletest runs the rule tests of `aside test`: YAML files that say, turn by turn, which reminders must fire.
//
// It owns the reading of those files, strictly (whatever is not understood is a diagnostic, and a test with one is never
// passed), the running of each test against an evaluator with a memory of its own, what the tests have seen of the triggers, and the
// report as text, JSON and JUnit. Run and RunSource may be called concurrently; a Report must not be changed while it is written.
package ruletest
