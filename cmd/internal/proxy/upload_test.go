package proxy_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/proxy"
)

// slowPaths are one whose body is read here, and one whose body is passed on as it comes.
var slowPaths = []string{"/v1/messages", "/v1/files"}

// TestHalfBody: a client that sends half a body and stops is told so, and its connection is closed.
func TestHalfBody(t *testing.T) {
	t.Parallel()
	w := open(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.ReadAll(r.Body) }),
		proxy.Options{BodyIdle: 50 * time.Millisecond})
	for _, path := range slowPaths {
		c, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: [::1]\r\nAnthropic-Version: 1\r\nContent-Length: 100\r\n\r\n{",
			path)
		all, err := io.ReadAll(c) // ends, since the connection does
		if err != nil || !bytes.HasPrefix(all, []byte("HTTP/1.1 408 ")) ||
			!bytes.Contains(all, []byte("the body of the request did not come in time")) {
			t.Errorf("%s: %v: %q", path, err, all)
		}
	}
}

// TestSlowBody: a client that goes on sending for longer than it may be silent is not cut off, nor is an
// answer that takes as long. What it waits between two pieces is a fifth of that, for a busy machine.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	const idle = time.Second
	w := open(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		for range 2 {
			<-time.After(idle)
			fmt.Fprintf(rw, "%d\n", len(b))
			_ = http.NewResponseController(rw).Flush()
		}
	}), proxy.Options{BodyIdle: idle})
	var group sync.WaitGroup
	for _, path := range slowPaths {
		pieces, send := io.Pipe()
		go func() {
			for range 7 {
				_, _ = send.Write([]byte(strings.Repeat(" ", 1<<10)))
				<-time.After(idle / 5)
			}
			_ = send.Close()
		}()
		group.Go(func() {
			r, _ := http.NewRequest("POST", w.url+path, pieces)
			r.Header.Set("Anthropic-Version", "1")
			res, err := w.client.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			if b, err := io.ReadAll(res.Body); res.StatusCode != 200 || string(b) != strings.Repeat("7168\n", 2) {
				t.Errorf("%s: %d %q %v", path, res.StatusCode, b, err)
			}
		})
	}
	group.Wait()
}

// TestRefusedUpload: an upstream that answers before it has read a long body, or closes the connection, does
// not cost the client the answer.
func TestRefusedUpload(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		want   []int
	}{
		// an answer that comes while the body is sent may be lost between two ends that both close
		"answered": {"HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno\n",
			[]int{413, 502}},
		"closed": {"", []int{502}},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		go func() {
			for {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				in := bufio.NewReader(conn)
				for line := ""; line != "\r\n" && err == nil; {
					line, err = in.ReadString('\n')
				}
				_, _ = io.WriteString(conn, c.answer)
				if c.answer != "" { // as servers do that want the client to read what they say
					_ = conn.(*net.TCPConn).CloseWrite()
					_, _ = io.CopyN(io.Discard, in, 1<<20)
				}
				_ = conn.Close()
			}
		}()
		w := open(t, nil, proxy.Options{Upstreams: upstreams(t, "http://"+l.Addr().String())})
		for range 8 {
			client, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			const long = 16 << 20 // more than all buffers on the way, and sent before anything is read
			fmt.Fprintf(client, "POST /v1/files HTTP/1.1\r\nHost: [::1]\r\nContent-Length: %d\r\n\r\n", long)
			if _, err := io.CopyN(client, zeros{}, long); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			res, err := http.ReadResponse(bufio.NewReader(client), nil)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else if _, err := io.Copy(io.Discard, res.Body); err != nil || !slices.Contains(c.want, res.StatusCode) {
				t.Errorf("%s: status %d, %v", name, res.StatusCode, err)
			}
			client.Close()
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestConnect: this is no proxy of the kind that opens tunnels.
func TestConnect(t *testing.T) {
	t.Parallel()
	w := open(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { t.Error(r.Method, r.URL) }),
		proxy.Options{})
	c, err := net.Dial("tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "CONNECT api.anthropic.com:443 HTTP/1.1\r\nHost: api.anthropic.com:443\r\n\r\n")
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || res.StatusCode != 405 || res.Header.Get("Allow") == "" {
		t.Errorf("%v %+v", err, res)
	}
}

// TestHTTP2Plain: clients that speak HTTP/2 from the start, without TLS, are answered in it, streams as they
// come.
func TestHTTP2Plain(t *testing.T) {
	t.Parallel()
	next := make(chan struct{})
	s, _ := serve(t, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		for range 2 {
			fmt.Fprintf(rw, "%d\n", len(b))
			_ = http.NewResponseController(rw).Flush()
			<-next
		}
	}), time.Minute)
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	t.Cleanup(client.CloseIdleConnections)
	res, err := client.Post(s.url+"/v1/messages", "application/json", strings.NewReader(ask(true, "s", "hi")))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	line := make([]byte, 4)
	if n, err := res.Body.Read(line); err != nil || n == 0 || res.ProtoMajor != 2 {
		t.Errorf("%v, %q in %s", err, line[:n], res.Proto)
	}
	close(next)
	if _, err := io.Copy(io.Discard, res.Body); err != nil && !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	s.stop()
	if err := <-s.done; err != nil {
		t.Error(err)
	}
}
