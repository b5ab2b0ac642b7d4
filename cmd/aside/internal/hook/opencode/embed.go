// Package opencode holds the plugin that makes reminders reach opencode, which runs no commands as hooks (HOOKS.md §12). The plugin
// asks "aside hook --agent opencode" before each request to a model.
package opencode

import _ "embed"

// Plugin is the plugin's source. It runs Command.
//
//go:embed plugin.js
var Plugin string

// Command is the JSON array in Plugin of the program that it runs and its arguments. An installation replaces it.
const Command = `["aside-hook","--agent","opencode"]`
