//go:build !unix

package testkit

import "time"

var start = time.Now()

// processorTime returns the time that has passed: the processor time is not told.
func processorTime() time.Duration { return time.Since(start) }
