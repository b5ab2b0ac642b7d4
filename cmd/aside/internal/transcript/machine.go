package transcript

import "github.com/aside-go/aside/cmd/aside/internal/transcript/machines"

// MachinePrompt reports whether a message in a user's place was written by the agent's own machinery. It looks at the opening alone.
func MachinePrompt(text string) bool { return machines.Wrote(text) }
