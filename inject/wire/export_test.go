package wire

import "github.com/aside-go/aside/internal/body"

// Machine returns the options as the machine takes them.
func (o Options) Machine() body.Options { return o.machine() }
