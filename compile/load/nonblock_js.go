package load

// nonblock has no meaning for a file of JavaScript's host.
const nonblock = 0
