package install

import "github.com/aside-go/aside/internal/agent"

// Splice installs into the bytes of Claude Code's settings and takes out again what is there, without a file.
func Splice(settings []byte) (installed, taken []byte, err error) {
	a, _ := agent.Named("claude-code")
	m := &Machine{Home: "/h", Env: func(string) string { return "" },
		Program: Program{Aside: "/opt/aside/bin/aside", Hook: "/opt/aside/bin/aside-hook"}}
	p := place{Machine: m, request: Request{Agent: a, Scope: User}, dir: "/h/.claude"}.parts()[0]
	if installed, err = p.install(settings, nil); err != nil {
		return nil, nil, err
	}
	taken, err = p.uninstall(installed, settings)
	return installed, taken, err
}

// SpliceTOML is Splice for Kimi Code's configuration.
func SpliceTOML(config []byte) (installed, taken []byte, err error) {
	p := &tomlHooks{hookFile: hookFile{path: "config.toml", agent: "kimi-code", wanted: true,
		hooks: []agent.Registration{{Event: "Stop"}, {Event: "PreCompact"}}}, command: func(string,
		[]string) string {
		return "/opt/aside/bin/aside-hook --agent kimi-code"
	}}
	if installed, err = p.install(config, nil); err != nil {
		return nil, nil, err
	}
	taken, err = p.uninstall(installed, config)
	return installed, taken, err
}
