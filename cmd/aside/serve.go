package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/serve"
)

// serveCmd is "aside serve".
type serveCmd struct {
	Listen   string   `default:"127.0.0.1:7717" placeholder:"ADDR" help:"Where to listen (by default 127.0.0.1:7717); port 0 takes a free one. Anything but this machine itself takes --token."`
	AddrFile string   `placeholder:"FILE" help:"Write the address there (host:port) once it listens."`
	Upstream []string `sep:"none" placeholder:"NAME=URL" help:"Where requests go: NAME is anthropic, bedrock, gemini, openai or vertex; a URL alone is for all. By default the vendors' public addresses. Repeatable."`
	rulesFlag
	projectFlag
	stateFlag
	Bundle          string        `placeholder:"URL" help:"Take the rules from a bundle on a server (aside help bundles), in place of files."`
	BundleKey       []string      `sep:"none" placeholder:"FILE" help:"With --bundle: a public key, in PEM, that may have signed it. Repeatable; read again for each bundle."`
	BundleInterval  time.Duration `default:"1m" placeholder:"TIME" help:"How often to look for another bundle (1m)."`
	BundleStale     time.Duration `default:"15m" placeholder:"TIME" help:"From which age on, since the server last confirmed them, rules count as stale (15m). They stay in use."`
	BundleTokenFile string        `placeholder:"FILE" help:"The bearer token for that server; by default that of ASIDE_BUNDLE_TOKEN."`
	BundleDir       string        `placeholder:"DIR" help:"Where the last good bundle is kept for the next start; by default with the state of this user."`

	Sync       string   `default:"everysec" enum:"everysec,always" help:"When what is remembered on disk survives a loss of power, too: everysec (a second later), always (before a request goes out, which then waits for the disk). It survives the end of the process either way."`
	Var        varFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
	Delivery   string   `default:"auto" enum:"auto,native,anchored,tail" help:"How reminders go out: native (a system message that the API lets lapse), anchored (repeated in later requests), tail (this once), auto (what the model takes)."`
	Fail       string   `default:"open" enum:"open,closed" help:"What becomes of requests while the state of runs cannot be read or written: open (they go on, with the reminders of earlier requests and no new ones), closed (they get status 503)."`
	Neutralise string   `default:"mark" enum:"mark,all" help:"Which reminder tags of others, in what users and tools say, are made harmless: mark (those that claim the mark of the run), all (for clients that write no such tags themselves)."`
	ModelTable string   `placeholder:"FILE" help:"What models take, in rows that go before the built-in ones."`
	Window     []string `sep:"none" placeholder:"MODEL=TOKENS" help:"The context window of models whose names begin so; 0 makes it unknown. Repeatable."`

	Token   string `env:"ASIDE_TOKEN" placeholder:"TOKEN" help:"What clients must send in the header X-Aside-Token. Better given in the environment, as ASIDE_TOKEN."`
	Tokens  string `placeholder:"FILE" help:"Tokens with scopes, in place of --token: a line for each with a name, scopes (proxy, decide, remind, read, admin) with commas between them, and the secret or sha256: and its hash. The file is read again when it changes."`
	MaxBody size   `default:"64MiB" placeholder:"SIZE" help:"The longest body that is read (64MiB); longer ones pass through as they are."`

	Timeout     time.Duration `default:"10m" placeholder:"TIME" help:"How long an upstream may take until it begins to answer (10m); 0 is for ever. The answer itself may take any time."`
	Rate        float64       `placeholder:"N" help:"How many requests a second a token may make; more get status 429. By default any number."`
	MaxRequests int           `placeholder:"N" help:"How many requests are answered at once; more get status 503. By default any number."`

	Drain           time.Duration `placeholder:"TIME" help:"After SIGTERM, how long requests are still taken while /readyz sends them elsewhere. By default none is."`
	ShutdownTimeout time.Duration `default:"30s" placeholder:"TIME" help:"How long requests may go on after Ctrl-C or SIGTERM (30s). A second one ends at once."`

	Metrics    bool          `default:"true" negatable:"" help:"Answer /metrics (the default)."`
	Inspector  bool          `default:"true" negatable:"" help:"Show runs to a browser at / (the default): turns, what fired and why."`
	KeepBodies time.Duration `placeholder:"TIME" help:"Keep what users, models and tools say for that time, in memory alone, and show it there. By default no word is kept."`

	LogLevel  string `default:"info" enum:"debug,info,warn,error" help:"From which level on to log: debug, info, warn or error."`
	LogFormat string `default:"text" enum:"text,json" help:"How to log, on stderr: text or json."`
}

// Help says how clients are configured.
func (*serveCmd) Help() string {
	return `Stands between agents and the model APIs, puts reminders into requests on their way, and passes
everything else through as it is: answers, streams, errors, and requests it does not know. Clients keep their
own keys. Point them here:

    ANTHROPIC_BASE_URL=http://127.0.0.1:7717          Claude Code, Anthropic SDKs
    OPENAI_BASE_URL=http://127.0.0.1:7717/v1          Codex, OpenAI SDKs
    GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:7717      Gemini CLI, Google's SDKs

Which API a request is for, its path says. Where it does not (/v1/models, /v1/files), headers do:
anthropic-version, x-goog-api-key and the like. A prefix always does, and is taken off: /anthropic/,
/bedrock/, /gemini/, /openai/, /vertex/. Where nothing tells, the answer is 404. A plain --upstream URL takes
all that no other --upstream names, paths as they are. Requests signed over their address (AWS keys) do not
get through a proxy; Bedrock's API keys do.

A run is named by the header X-Aside-Run, else by what the client says of its session, else by how the
conversation begins. A person who begins a prompt with /remind NAME fires that reminder by hand.

Its own paths:

    GET  /livez, /readyz                     for a supervisor; they never ask for a token
    GET  /                                   for a browser: the runs as they go on (aside help inspector)
    GET  /metrics                            for Prometheus
    POST /v1/runs/RUN/turns                  facts or events in, decision out; aside help service says more
    POST /v1/runs/RUN/remind/ID              fires by hand, on the next turn
    GET  /v1/runs/RUN/why?id=ID              the last turn explained, as aside why --json does
    GET  /v1/runs, GET and DELETE /v1/runs/RUN
    PUT and DELETE /v1/runs/RUN/reminders/ID reminders of one run
    GET  /v1/openapi.json                    all of this, for programs

With a token they take it as a bearer, too. Without --rules the rules of your home directory are used, and those
of a project only where --project names it and they are trusted. Files that change, and those that become trusted, are
read again, SIGHUP reads all of them; one with a mistake in it keeps the rules that it had. Logs hold no prompts and no keys.

--model-table is a list, in YAML or JSON: [{"prefix": "my-claude", "system": ["claude"], "clear_at": "",
"binds": false, "strips": false, "role": ""}].

Examples:

    aside serve --project .
    aside serve --bundle https://rules.example/team.tar.gz --bundle-key team.pub
    aside serve --upstream openai=http://127.0.0.1:11434 --window qwen=32768
    aside serve --upstream https://NAME.openai.azure.com
    aside serve --listen 127.0.0.1:0 --addr-file addr --log-format json`
}

// Validate returns an error for flags that make no sense.
func (c *serveCmd) Validate() error {
	host, _, err := net.SplitHostPort(c.Listen)
	c.Token = strings.TrimSpace(c.Token) // a secret that was made from a file ends with its line
	if c.Listen == "" {                  // kong validates before it sets defaults
		return nil
	}
	switch {
	case err != nil:
		return fmt.Errorf("--listen %q: not an address such as 127.0.0.1:7717", c.Listen)
	case !loopback(host) && c.Token == "" && c.Tokens == "":
		return fmt.Errorf("--listen %s: other machines could use it: that takes --token (or ASIDE_TOKEN) or "+
			"--tokens, which clients then send in the header %s", c.Listen, access.Header)
	case c.Token != "" && c.Tokens != "":
		return errors.New("--token (or ASIDE_TOKEN) beside --tokens: give one of them")
	case strings.ContainsFunc(c.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("--token: printable ASCII without blanks only")
	case c.Bundle != "" && (len(c.Rules) > 0 || c.Project != ""):
		return errors.New("--bundle stands in place of --rules and --project: give one of them")
	case (c.Bundle != "") != (len(c.BundleKey) > 0):
		return errors.New("--bundle and --bundle-key go together: no bundle is used that nobody has signed")
	case c.BundleInterval < time.Second || c.BundleStale < c.BundleInterval:
		return errors.New("--bundle-interval is a second or more, and --bundle-stale no less than that")
	case c.Timeout < 0 || c.ShutdownTimeout < 0 || c.Drain < 0:
		return errors.New("--timeout, --shutdown-timeout, --drain: a time is not negative")
	case c.KeepBodies < 0 || c.KeepBodies > 0 && !c.Inspector:
		return errors.New("--keep-bodies is a time, of what the inspector shows: it goes without --no-inspector")
	case c.Rate < 0 || c.MaxRequests < 0:
		return errors.New("--rate, --max-requests: a number is not negative")
	}
	return nil
}

// loopback reports whether only this machine can connect to host.
func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() || host == "localhost"
}

// Run serves until it is interrupted.
func (c *serveCmd) Run(ctx context.Context, e *command.Env) error {
	return serve.Run(ctx, e, serve.Options{
		Listen: c.Listen, AddrFile: c.AddrFile, Upstream: c.Upstream, Rules: c.Rules, Project: c.Project,
		Bundle: serve.Bundle{URL: c.Bundle, Keys: c.BundleKey, Interval: c.BundleInterval, Stale: c.BundleStale,
			TokenFile: c.BundleTokenFile, Dir: c.BundleDir},
		Vars: c.Var, State: c.State, Sync: c.Sync,
		Delivery: c.Delivery, Neutralise: c.Neutralise, Fail: c.Fail, ModelTable: c.ModelTable, Window: c.Window,
		Token: c.Token, Tokens: c.Tokens, Limits: access.Limits{Rate: c.Rate, AtOnce: c.MaxRequests},
		Drain: c.Drain, MaxBody: int64(c.MaxBody), Timeout: c.Timeout, ShutdownTimeout: c.ShutdownTimeout,
		Metrics: c.Metrics, Inspector: c.Inspector, KeepBodies: c.KeepBodies,
		LogLevel: c.LogLevel, LogFormat: c.LogFormat,
	})
}

// size is a flag's number of bytes: 65536, 64KiB, 64MB, 1G.
type size int64

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *size) UnmarshalText(b []byte) error {
	text := string(b)
	digits := strings.TrimRight(text, "KMGTiBkmgtb ")
	unit := strings.ToUpper(strings.TrimSpace(text[len(digits):]))
	n, err := strconv.ParseInt(digits, 10, 64)
	factor, ok := map[string]int64{"": 1, "B": 1, "K": 1 << 10, "KIB": 1 << 10, "KB": 1000, "M": 1 << 20,
		"MIB": 1 << 20, "MB": 1e6,
		"G": 1 << 30, "GIB": 1 << 30, "GB": 1e9}[unit]
	if err != nil || !ok || n < 1 || n > 1<<62/factor {
		return fmt.Errorf("%q is not a size such as 64MiB", text)
	}
	*s = size(n * factor)
	return nil
}
