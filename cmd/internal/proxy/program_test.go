package proxy_test

import (
	"bufio"
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// What makes this program a proxy: which way it is to the API, the API's address, the directory where it
// remembers runs, "" being memory, and whether it has one rule, for each turn, in place of twenty.
const (
	wayVariable   = "ASIDE_TEST_WAY"
	apiVariable   = "ASIDE_TEST_API"
	stateVariable = "ASIDE_TEST_STATE"
	turnsVariable = "ASIDE_TEST_TURNS"
)

func TestMain(m *testing.M) {
	if way, err := strconv.Atoi(os.Getenv(wayVariable)); err == nil {
		if err := be(way, os.Getenv(apiVariable)); err != nil {
			log.Fatal(err)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// program is this program as a proxy.
type program struct {
	url string
	cmd *exec.Cmd
	in  io.Closer
}

// start starts one, which ends with the test at the latest.
func start(b testing.TB, way int, api string, env ...string) *program {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), env...), fmt.Sprint(wayVariable, "=", way), apiVariable+"="+api)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	p := &program{cmd: cmd, in: in}
	b.Cleanup(func() { p.end(b) })
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	p.url = "http://" + strings.TrimSpace(addr)
	return p
}

// end ends it, and returns what processor time it has taken.
func (p *program) end(b testing.TB) time.Duration {
	b.Helper()
	if p.cmd.ProcessState == nil {
		p.in.Close()
		if err := p.cmd.Wait(); err != nil {
			b.Error(err)
		}
	}
	return p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()
}

// trust lets the programs that are started from now on trust a certificate.
func trust(b *testing.B, c *x509.Certificate) {
	b.Helper()
	name := filepath.Join(b.TempDir(), "api.pem")
	if err := os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Raw}),
		0o600); err != nil {
		b.Fatal(err)
	}
	b.Setenv("SSL_CERT_FILE", name)
}

// be is a proxy in front of an API until stdin ends.
func be(way int, api string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	serve := func() error { return (&http.Server{Handler: process.Rival(api, proxy.NewBase(0))}).Serve(l) }
	if way == served {
		up, err := proxy.ParseUpstreams([]string{api}, "eu-west-1")
		if err != nil {
			return err
		}
		rules := twenty()
		if os.Getenv(turnsVariable) != "" {
			rules = []reminder.Reminder{{ID: "each", Mode: reminder.While, Trigger: "always",
				Text: "It is turn {{.turn_count}}."}}
		}
		set, ds := compile.New(rules, compile.Options{})
		if len(ds) > 0 {
			return fmt.Errorf("%v", ds)
		}
		var store state.Store = state.NewMemory()
		if dir := os.Getenv(stateVariable); dir != "" {
			if store, err = filestore.Open(dir, filestore.Options{Durability: filestore.OnSync}); err != nil {
				return err
			}
		}
		p := proxy.New(proxy.Options{Upstreams: up, Store: store, Eval: eval.New(set, eval.Options{Store: store}),
			Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
		if os.Getenv("GOGC") == "" { // as the command does
			debug.SetGCPercent(proxy.GCPercent)
		}
		serve = func() error { return p.Serve(ctx, l, 0) }
	}
	failed := make(chan error, 1)
	go func() { failed <- serve() }()
	fmt.Println(l.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}
