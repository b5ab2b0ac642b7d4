//go:build !unix

package servers

// Stop does nothing: no server runs here.
func Stop() {}
