// Package cases has what the tests of triggers, texts and sets share: triggers that compile and turns,
// drawn at random (Trigger, Frame), a turn on which all is known (Known), and tables of mistakes, each held
// to its text, its place and its fix (Check). Only tests import it.
package cases
