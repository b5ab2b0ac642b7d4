package proxy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/state"
)

// serving is a proxy that listens by itself.
type serving struct {
	*world
	stop context.CancelFunc
	done chan error
}

func serve(t *testing.T, up http.Handler, grace time.Duration, store ...state.Store) (s serving,
	said <-chan string) {
	t.Helper()
	log, said := told()
	opts := proxy.Options{Log: log}
	if len(store) > 0 {
		opts.Store = store[0]
	}
	return serveWith(t, up, grace, opts), said
}

func serveWith(t *testing.T, up http.Handler, grace time.Duration, opts proxy.Options) (s serving) {
	t.Helper()
	s = serving{world: open(t, up, opts, manual), done: make(chan error, 1)}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var ctx context.Context
	ctx, s.stop = context.WithCancel(context.Background())
	s.url = "http://" + l.Addr().String()
	s.client = &http.Client{Transport: &http.Transport{}}
	t.Cleanup(s.client.CloseIdleConnections)
	go func() { s.done <- s.proxy.Serve(ctx, l, grace) }()
	return s
}

// TestStopWaits: a stop takes no more, and lets what is under way come to its end.
func TestStopWaits(t *testing.T) {
	t.Parallel()
	resume := make(chan struct{})
	s, said := serve(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = rw.Write([]byte("data: 1\n\n"))
		_ = http.NewResponseController(rw).Flush()
		<-resume
		_, _ = rw.Write([]byte("data: 2\n\n"))
	}), time.Hour)
	res := s.send("POST", "/v1/messages", ask(true, "s", "hi"))
	defer res.Body.Close()
	s.stop()
	await(t, said, "stopping: requests under way may finish")
	for { // the listener is closed by another goroutine
		c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			break
		}
		c.Close()
	}
	close(resume)
	if b := readAll(t, res.Body); b != "data: 1\n\ndata: 2\n\n" {
		t.Errorf("%q", b)
	}
	if err := <-s.done; err != nil {
		t.Error(err)
	}
}

// full is a listener to which the system gives no file.
type full struct {
	net.Listener
	tried chan struct{}
}

func (f full) Accept() (net.Conn, error) {
	select {
	case f.tried <- struct{}{}:
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: syscall.EMFILE}
	default:
		return f.Listener.Accept()
	}
}

// TestAcceptFails: that no connection can be taken is one line, and the server goes on.
func TestAcceptFails(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p, log := alone(t, state.NewMemory())
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- p.Serve(ctx, full{l, make(chan struct{}, 3)}, time.Hour) }()
	res, err := http.Get("http://" + l.Addr().String() + "/livez")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	stop()
	if err := <-done; err != nil || strings.Count(log.String(), "connections cannot be accepted") != 1 {
		t.Error(err, log)
	}
}

// TestStopDrains: a stop says first that requests should go elsewhere, and takes those that come all the
// same.
func TestStopDrains(t *testing.T) {
	t.Parallel()
	log, said := told()
	over := make(chan time.Time)
	opts := unreachable(t)
	opts.Log, opts.Drain = log, time.Hour
	opts.After = func(time.Duration) <-chan time.Time { return over }
	s := serveWith(t, nil, time.Hour, opts)
	s.stop()
	await(t, said, "stopping: requests should go elsewhere")
	res, body := s.do("GET", "/readyz", "")
	if res.StatusCode != 503 || !strings.Contains(body, `"serving":{"ok":false,"why":"it is about to stop"}`) {
		t.Error(res.StatusCode, body)
	}
	if res, body := s.do("POST", "/v1/runs/r/turns", "{}"); res.StatusCode != 200 {
		t.Error(res.StatusCode, body)
	}
	close(over)
	if err := <-s.done; err != nil {
		t.Error(err)
	}
}

// TestAnswerSaved: an answer is saved before the client has its end, whether it is streamed or not, and a
// stop waits for that.
func TestAnswerSaved(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		t.Run(fmt.Sprint(stream), func(t *testing.T) {
			t.Parallel()
			store := &slow{Store: state.NewMemory(), saves: make(chan struct{}, 9), resume: make(chan struct{})}
			s, said := serve(t, modelapi.New(modelapi.Options{}), time.Hour, store)
			res := s.send("POST", "/v1/messages", ask(stream, "r", "hi"))
			defer res.Body.Close()
			whole := make(chan string)
			go func() {
				b, _ := io.ReadAll(res.Body)
				whole <- string(b)
			}()
			<-store.saves
			s.stop()
			await(t, said, "stopping: requests under way may finish")
			select {
			case err := <-s.done:
				t.Fatal("it did not wait: ", err)
			case b := <-whole:
				t.Errorf("not saved, and at the client: %q", b)
			default:
			}
			close(store.resume)
			if b := <-whole; !strings.Contains(b, "usage") {
				t.Errorf("%q", b)
			}
			if n, _, err := s.ev.Notes(context.Background(), "r"); err != nil || !hasUsage(n) {
				t.Errorf("%v %v", n, err)
			}
			if err := <-s.done; err != nil {
				t.Error(err)
			}
		})
	}
}

// hasUsage reports whether notes say what an answer said.
func hasUsage(n json.Marshaler) bool {
	if n == nil {
		return false
	}
	raw, err := n.MarshalJSON()
	return err == nil && strings.Contains(string(raw), `"usage":{`)
}

// slow writes nothing that an answer says before it may, and tells that it is asked to.
type slow struct {
	state.Store
	saves, resume chan struct{}
}

func (s *slow) Save(ctx context.Context, run string, at state.Revision,
	next *state.Snapshot) (state.Revision, error) {
	if hasUsage(next.Notes()) {
		s.saves <- struct{}{}
		<-s.resume
	}
	return s.Store.Save(ctx, run, at, next)
}

// TestStopEnds: what does not come to its end in time is cut, at both ends.
func TestStopEnds(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	s, said := serve(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = rw.Write([]byte("data: 1\n\n"))
		_ = http.NewResponseController(rw).Flush()
		<-r.Context().Done()
		close(ended)
	}), time.Millisecond)
	res := s.send("POST", "/v1/messages", ask(true, "s", "hi"))
	defer res.Body.Close()
	s.stop()
	await(t, said, "stopped before all requests had finished")
	<-ended
	if b, err := io.ReadAll(res.Body); err == nil {
		t.Errorf("%q, as if it were whole", b)
	}
	if err := <-s.done; err != nil {
		t.Error(err)
	}
}

// TestStopEndsUpgrades: connections that were taken over end with the proxy.
func TestStopEndsUpgrades(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	s, _ := serve(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		c, _, err := http.NewResponseController(rw).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = c.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: " +
			"websocket\r\n\r\n"))
		_, _ = io.Copy(io.Discard, c)
		c.Close()
		close(ended)
	}), time.Hour)
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = c.Write([]byte("GET /v1/realtime HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: " +
		"websocket\r\n\r\n"))
	if _, err := c.Read(make([]byte, 12)); err != nil {
		t.Fatal(err)
	}
	s.stop()
	if err := <-s.done; err != nil {
		t.Error(err)
	}
	<-ended
}

// TestHeadersTooLong: a header beyond the limit is refused.
func TestHeadersTooLong(t *testing.T) {
	t.Parallel()
	s, _ := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was sent on") }), 0)
	if res, _ := s.do("POST", "/v1/messages", "{}", "X-Long: "+strings.Repeat("x",
		300<<10)); res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Error(res.StatusCode)
	}
	s.stop()
	<-s.done
}

// TestListenerFails: a listener that fails is an error.
func TestListenerFails(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err := open(t, nil, unreachable(t)).proxy.Serve(context.Background(), l, 0); err == nil {
		t.Error("no error")
	}
}
