//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/servers"
)

// BenchmarkAimStores is how many turns of the evaluation API, and how many requests of 50 KB, pass a process
// over each store, beside those that pass a bare handler and httputil.ReverseProxy: eight clients, each with
// a run of its own, an API that answers at once, ten rules. x/rival is the throughput by that of the rival in
// the same run, cpu-ms/request the processor time of the process, where the system tells it: others on the
// machine change it little. All are programs of their own; client and API are in this one.
func BenchmarkAimStores(b *testing.B) {
	const clients, requests = 8, 24
	const sayHeader = "X-Test-Say" // what the API answers
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id":"msg_1","type":"message","role":"assistant","model":"claude-opus-5","content":[{"type":`+
			`"text","text":%q}],"stop_reason":"end_turn","usage":{"input_tokens":1000,"output_tokens":200}}`,
			r.Header.Get(sayHeader))
	}))
	defer api.Close()
	dir := b.TempDir()
	for i := range 10 {
		process.Put(b, dir, fmt.Sprintf("rules/r%d.md", i),
			fmt.Sprintf("---\nwhen: context_usage > %d%%\n---\nThe window is %d%% full.\n", 90+i, 90+i))
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), rivalVariable+"="+api.URL)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		b.Fatal(err)
	}
	defer func() { in.Close(); _ = cmd.Wait() }()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	rival := "http://" + strings.TrimSpace(address)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	post := func(url, run, say, body string) {
		r, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			b.Error(err)
			return
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set(sayHeader, say)
		if run != "" {
			r.Header.Set(transport.RunHeader, run)
		}
		resp, err := client.Do(r)
		if err != nil {
			b.Error(err)
			return
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			b.Error(url, resp.StatusCode, err)
		}
	}
	long := strings.Repeat("The quick brown fox jumps over the lazy dog. ", 50<<10/45)
	said := func(run string, n int) string {
		return fmt.Sprintf("In run %s this is the answer to request %d, and nothing else was said.", run, n)
	}
	ask := func(url, run, name string, n int) {
		var body strings.Builder
		fmt.Fprintf(&body, `{"model":"claude-opus-5","max_tokens":9,"messages":[{"role":"user","content":"%s: %s"}`,
			run, long)
		for i := range n {
			fmt.Fprintf(&body, `,{"role":"assistant","content":%q},{"role":"user","content":"Go on."}`, said(run, i))
		}
		post(url+"/v1/messages", name, said(run, n), body.String()+"]}")
	}
	ways := []struct {
		name string
		send func(url, run string, n int)
	}{
		{"api", func(url, run string, n int) {
			post(url+"/v1/runs/"+run+"/turns", "", "", fmt.Sprintf(`{"facts":{"context_usage":0.%02d},"key":"k%d"}`, n, n))
		}},
		{"proxy", func(url, run string, n int) { ask(url, run, run, n) }},
		{"proxy, no name", func(url, run string, n int) { ask(url, run, "", n) }},
	}
	for _, store := range []struct {
		name string
		at   func() string
	}{
		{"memory", func() string { return "memory" }},
		{"files", b.TempDir},
		{"redis", func() string { return "redis://" + servers.NewRedis(b, "--appendonly", "yes").Addr }},
		{"postgres", func() string { return servers.NewPostgres(b).Database(b) }},
	} {
		at := store.at()
		for _, way := range ways {
			b.Run(store.name+"/"+way.name, func(b *testing.B) {
				s := exe.Serve(b, dir, nil, "--rules", "rules", "--state", at, "--upstream", api.URL,
					"--log-level", "error")
				urls := [2]string{s.URL, rival}
				var took [2]time.Duration
				round := func(i int) {
					for k := range urls {
						to := (i + k) % len(urls)
						begun := time.Now()
						var group sync.WaitGroup
						for c := range clients {
							group.Go(func() {
								run := fmt.Sprintf("%d-%d-%d", time.Now().UnixNano(), i, c)
								for n := range requests {
									way.send(urls[to], run, n)
								}
							})
						}
						group.Wait()
						took[to] += time.Since(begun)
					}
				}
				round(0) // not timed: both have their memory yet to get from the system
				took = [2]time.Duration{}
				before := processor(s.PID())
				for i := 1; b.Loop(); i++ {
					round(i)
				}
				b.ReportMetric(float64(took[1])/float64(took[0]), "x/rival")
				b.ReportMetric(float64(b.N*clients*requests)/took[0].Seconds(), "requests/s")
				if used := processor(s.PID()) - before; used > 0 {
					b.ReportMetric(used/float64(b.N*clients*requests), "cpu-ms/request")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// processor returns the milliseconds of processor time that a process has used, in hundredths of a second; 0
// where /proc does not tell.
func processor(pid int) float64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, fields, found := strings.Cut(string(b), ") ") // which begin with the third one
	if f := strings.Fields(fields); err == nil && found && len(f) > 12 {
		user, _ := strconv.Atoi(f[11])
		system, _ := strconv.Atoi(f[12])
		return float64(10 * (user + system))
	}
	return 0
}
