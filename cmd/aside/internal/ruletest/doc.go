// Package ruletest runs the rule tests of `aside test`: YAML files that say, turn by turn, which reminders must fire.
//
// It owns the reading of those files, which is strict: whatever is not understood is a diagnostic, and a test with one never passes. It
// runs each test against an evaluator with a store of its own, measures coverage of the triggers, and writes the report as text, JSON
// and JUnit. Run and RunSource may be called concurrently; a Report must not be changed while it is written.
package ruletest
