package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"testing"

	"github.com/aside-go/aside/cmd/internal/proxy"
	"github.com/aside-go/aside/cmd/internal/test/process"
	"github.com/aside-go/aside/internal/test/servers"
)

// exe is this program as a process.
const exe = process.Program("asided")

func TestMain(m *testing.M) {
	if api := os.Getenv(rivalVariable); api != "" {
		beRival(api)
		return
	}
	exe.Main(m, servers.Stop)
}

func TestScripts(t *testing.T) {
	t.Parallel()
	process.Scripts(t)
}

// rivalVariable has this program be the rival of BenchmarkAimStores before an API.
const rivalVariable = "ASIDED_TEST_RIVAL"

// beRival serves until stdin ends: httputil.ReverseProxy before the API, and for the paths of the evaluation
// API a handler that reads a turn and decides nothing.
func beRival(api string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", process.Rival(api, proxy.NewBase(0)))
	mux.HandleFunc("/v1/runs/", func(w http.ResponseWriter, r *http.Request) {
		var turn struct{ Facts map[string]any }
		b, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(b, &turn) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"fired": []string{}, "turn": len(turn.Facts)})
	})
	go func() { panic(http.Serve(l, mux)) }()
	fmt.Println(l.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin)
}
