package install

import (
	_ "embed"
	"strings"
)

//go:embed opencode.js
var opencodeSource string

// opencodePlugin is the plugin with the command that it runs.
func opencodePlugin(words []string) string {
	return strings.Replace(opencodeSource, `["aside-hook"]`, string(marshal(words)), 1)
}
