//go:build !unix

package load_test

import "testing"

// pipe skips the test: this system has no named pipes among its files.
func pipe(t *testing.T, _ string) {
	t.Helper()
	t.Skip("no named pipes")
}
