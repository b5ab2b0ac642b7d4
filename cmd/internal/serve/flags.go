package serve

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/access"
	"github.com/aside-go/aside/cmd/internal/program"
)

// Flags are the flags of serve that each program has.
type Flags struct {
	Listen   string   `default:"127.0.0.1:7717" placeholder:"ADDR" help:"Where to listen (by default 127.0.0.1:7717); port 0 takes a free one. Anything but this machine itself takes --token."`
	AddrFile string   `placeholder:"FILE" help:"Write the address there (host:port) once it listens."`
	Upstream []string `sep:"none" placeholder:"NAME=URL" help:"Where requests go: NAME is anthropic, bedrock, gemini, openai or vertex; a URL alone is for all. By default the vendors' public addresses. Repeatable."`
	program.RulesFlag
	program.ProjectFlag
	program.StateFlag

	Sync       string           `default:"everysec" enum:"everysec,always" help:"When what is remembered on disk survives a loss of power, too: everysec (a second later), always (before a request goes out, which then waits for the disk). It survives the end of the process either way."`
	Var        program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
	Delivery   string           `default:"auto" enum:"auto,native,anchored,tail" help:"How reminders go out: native (a system message that the API lets lapse), anchored (repeated in later requests), tail (this once), auto (what the model takes)."`
	Fail       string           `default:"open" enum:"open,closed" help:"What becomes of requests while the state of runs cannot be read or written: open (they go on, with the reminders of earlier requests and no new ones), closed (they get status 503)."`
	Neutralise string           `default:"mark" enum:"mark,all" help:"Which reminder tags of others, in what users and tools say, are made harmless: mark (those that claim the mark of the run), all (for clients that write no such tags themselves)."`
	ModelTable string           `placeholder:"FILE" help:"What models take, in rows that go before the built-in ones."`
	Window     []string         `sep:"none" placeholder:"MODEL=TOKENS" help:"The context window of models whose names begin so; 0 makes it unknown. Repeatable."`

	Token     string   `env:"ASIDE_TOKEN" placeholder:"TOKEN" help:"What clients must send in the header X-Aside-Token. Better given in the environment, as ASIDE_TOKEN."`
	AllowHost []string `sep:"none" placeholder:"NAME" help:"A host name, beside those of loopback, under which clients without a token may ask (host.docker.internal). Repeatable."`
	MaxBody   Size     `default:"64MiB" placeholder:"SIZE" help:"The longest body that is read (64MiB); longer ones pass through as they are."`

	Timeout time.Duration `default:"10m" placeholder:"TIME" help:"How long an upstream may take until it begins to answer (10m); 0 is for ever. The answer itself may take any time."`

	ShutdownTimeout time.Duration `default:"30s" placeholder:"TIME" help:"How long requests may go on after Ctrl-C or SIGTERM (30s). A second one ends at once."`

	UntilStdinEnds bool `help:"End with stdin, as after SIGTERM: a program that starts this one as its child leaves nothing behind, however it dies."`

	Inspector  bool          `default:"true" negatable:"" help:"Show runs to a browser at / (the default): turns, what fired and why."`
	KeepBodies time.Duration `placeholder:"TIME" help:"Keep what users, models and tools say for that time, in memory alone, and show it there. By default no word is kept."`

	LogLevel  string `default:"info" enum:"debug,info,warn,error" help:"From which level on to log: debug, info, warn or error."`
	LogFormat string `default:"text" enum:"text,json" help:"How to log, on stderr: text or json."`
}

// Validate returns an error for flags that make no sense. guarded says that something else than --token keeps
// strangers out.
func (f *Flags) Validate(guarded bool) error {
	host, _, err := net.SplitHostPort(f.Listen)
	f.Token = strings.TrimSpace(f.Token) // a secret that was made from a file ends with its line
	if f.Listen == "" {                  // kong validates before it sets defaults
		return nil
	}
	switch {
	case err != nil:
		return fmt.Errorf("--listen %q: not an address such as 127.0.0.1:7717", f.Listen)
	case !loopback(host) && f.Token == "" && !guarded:
		return fmt.Errorf("--listen %s: other machines could use it: that takes --token (or ASIDE_TOKEN), which "+
			"clients then send in the header %s", f.Listen, access.Header)
	case strings.ContainsFunc(f.Token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("--token: printable ASCII without blanks only")
	case f.Timeout < 0 || f.ShutdownTimeout < 0:
		return errors.New("--timeout, --shutdown-timeout: a time is not negative")
	case f.KeepBodies < 0 || f.KeepBodies > 0 && !f.Inspector:
		return errors.New("--keep-bodies is a time, of what the inspector shows: it goes without --no-inspector")
	}
	return nil
}

// loopback reports whether only this machine can connect to host.
func loopback(host string) bool {
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback() || host == "localhost"
}

// Size is a flag's number of bytes: 65536, 64KiB, 64MB, 1G.
type Size int64

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Size) UnmarshalText(b []byte) error {
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
	*s = Size(n * factor)
	return nil
}
