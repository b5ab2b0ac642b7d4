package session

// nonblock is nothing where there are no pipes.
const nonblock = 0
