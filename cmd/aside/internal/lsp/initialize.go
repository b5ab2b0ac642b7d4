package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/agent"
	"github.com/aside-go/aside/internal/trust"
)

// initialize answers the request initialize, the first one.
func initialize(ctx context.Context, s *Server, _ *view, p *initializeParams) (any, error) {
	s.stage.Store(running)
	var err error
	s.tell(func(v *view) {
		v.caps = p.Capabilities
		v.units = agree(p.Capabilities.General.PositionEncodings)
		switch v.folders = paths(p.WorkspaceFolders); {
		case v.folders != nil:
		case p.RootURI != nil && pathOf(*p.RootURI) != "":
			v.folders = []string{pathOf(*p.RootURI)}
		case p.RootPath != nil && filepath.IsAbs(*p.RootPath):
			v.folders = []string{filepath.Clean(*p.RootPath)}
		}
		err = s.configure(v, p.InitializationOptions)
		s.declare(v)
	})
	if err != nil {
		s.log.Print(err)
	}
	if p.ProcessID != nil {
		s.watchParent(ctx, *p.ProcessID)
	}
	info := map[string]any{"name": "aside"}
	if s.opts.Version != "" {
		info["version"] = s.opts.Version
	}
	return map[string]any{"capabilities": s.abilities(), "serverInfo": info}, nil
}

// abilities returns the server's capabilities.
func (s *Server) abilities() map[string]any {
	v := s.view()
	return map[string]any{
		"positionEncoding": v.units.String(),
		"textDocumentSync": map[string]any{"openClose": true, "change": 2, "save": map[string]any{}},
		"completionProvider": map[string]any{
			"triggerCharacters": []string{" ", ":", "(", "\"", ",", ">", "[", "{", ".", "-", "/"},
		},
		"hoverProvider":              true,
		"definitionProvider":         true,
		"documentSymbolProvider":     true,
		"documentFormattingProvider": true,
		"codeActionProvider":         map[string]any{"codeActionKinds": []string{kindQuickFix, kindFixOurs}},
		"workspace": map[string]any{"workspaceFolders": map[string]any{"supported": true,
			"changeNotifications": true}},
	}
}

func initialized(ctx context.Context, s *Server, _ *struct{}) error {
	v := s.view()
	if !v.caps.Workspace.DidChangeWatchedFiles.DynamicRegistration {
		return nil
	}
	s.calls.start(func() {
		if err := s.conn.Call(ctx, "client/registerCapability", registrationParams(v, s.opts.Home, s.opts.Config),
			nil); err != nil && ctx.Err() == nil {
			s.log.Printf("the editor does not watch files: %v", err)
		}
	})
	return nil
}

// registrationParams asks the editor to report changes of rule files, and of configurations.
func registrationParams(v *view, home, own string) any {
	type watcher map[string]any
	watchers := []watcher{{"globPattern": "**/" + remindersDir + "/*.{md,yaml,yml}"},
		{"globPattern": "**/" + trust.Config}}
	if v.caps.Workspace.DidChangeWatchedFiles.RelativePatternSupport && home != "" {
		for _, dir := range []string{".agents", ".claude", ".aside"} {
			watchers = append(watchers, watcher{"globPattern": map[string]string{
				"baseUri": v.uriOf(filepath.Join(home, dir)), "pattern": remindersDir + "/*.{md,yaml,yml}"}})
		}
		watchers = append(watchers, watcher{"globPattern": map[string]string{
			"baseUri": v.uriOf(filepath.Dir(own)), "pattern": filepath.Base(own)}})
	}
	return map[string]any{"registrations": []any{map[string]any{"id": "rules",
		"method": "workspace/didChangeWatchedFiles", "registerOptions": map[string]any{"watchers": watchers}}}}
}

// settings are the settings of this server in an editor. They come as initializationOptions or with
// didChangeConfiguration, in either case as they are or under "aside".
type settings struct {
	Rules *[]string          `json:"rules"` // as --rules
	Vars  *map[string]string `json:"vars"`  // name: type
	Agent *string            `json:"agent"` // as aside check --agent
	Allow *[]grammar.Code    `json:"allow"` // as aside check --allow
	Most  *int               `json:"maxTokens"`
	Aside *settings          `json:"aside"`
}

func didChangeConfiguration(_ context.Context, s *Server, p *configurationParams) error {
	var err error
	s.tell(func(v *view) { err = s.configure(v, p.Settings) })
	return err
}

// configure applies settings to v. A setting that is not given, or cannot be read, changes nothing.
func (s *Server) configure(v *view, raw json.RawMessage) error {
	var set settings
	if len(raw) == 0 || json.Unmarshal(raw, &set) != nil {
		return nil // settings of something else
	}
	if set.Aside != nil {
		set = *set.Aside
	}
	v.settled++
	if set.Agent != nil {
		if *set.Agent != "" && !slices.Contains(agent.Names(agent.Hosts()), *set.Agent) {
			return fmt.Errorf("settings: agent: there is no agent %q; one of %s", *set.Agent,
				strings.Join(agent.Names(agent.Hosts()), ", "))
		}
		v.lint.Agent = *set.Agent
	}
	if set.Allow != nil {
		v.lint.Allow = *set.Allow
	}
	if set.Most != nil {
		v.lint.MaxTokens = *set.Most
	}
	if set.Rules != nil {
		v.rules = slices.Concat(s.opts.Rules, *set.Rules)
	}
	if set.Vars == nil {
		return nil
	}
	var facts []fact.Fact
	for _, name := range slices.Sorted(maps.Keys(*set.Vars)) {
		typ, ok := fact.ParseType((*set.Vars)[name])
		if !ok {
			return fmt.Errorf("settings: vars: %s: there is no type %q", name, (*set.Vars)[name])
		}
		name = "vars." + strings.TrimPrefix(name, "vars.")
		facts = append(facts, fact.Fact{Name: name, Type: typ, Doc: "declared in the editor's settings"})
	}
	if _, err := fact.NewSchema(facts...); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	v.vars = facts
	v.settle()
	return nil
}
