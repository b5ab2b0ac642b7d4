// Package testkit is what the project's tests share:
//
//   - Golden compares output with a file; -update writes the file again.
//   - Repeat and Long say how long a test may run: short by default, longer under CI=true, longest with
//     -long.
//   - Data finds test data in the tree, Beside finds test data that is too large for the tree.
//   - Program finds a program that not every machine has; Built builds one of ours, and Serve runs it.
//   - The laws of package rapid draw the same cases each time under CI=true, in each package whose tests
//     import this one.
//   - Process is a process that a test talks to by lines.
//
// Only tests import it. All functions may be called concurrently.
package testkit
