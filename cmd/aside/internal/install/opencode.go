package install

import (
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/hook/opencode"
)

// opencodePlugin is the plugin with the command that it runs.
func opencodePlugin(words []string) string {
	return strings.Replace(opencode.Plugin, opencode.Command, string(marshal(words)), 1)
}
