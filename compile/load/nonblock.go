//go:build !js

package load

import "syscall"

// nonblock has a file opened without waiting: the name may have become a pipe that nobody writes to.
const nonblock = syscall.O_NONBLOCK
