package install

import (
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/hook/opencode"
)

// opencodePlugin returns the source of the plugin for opencode that runs words.
func opencodePlugin(words []string) string {
	return strings.Replace(opencode.Plugin, opencode.Command, string(marshal(words)), 1)
}
