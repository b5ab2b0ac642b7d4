//go:build !js

package session

import "syscall"

// nonblock has an open return at once where the file is a pipe.
const nonblock = syscall.O_NONBLOCK
