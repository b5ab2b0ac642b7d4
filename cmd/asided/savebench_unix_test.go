//go:build unix

package main

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/aside-go/aside/cmd/asided/internal/database"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
	"github.com/aside-go/aside/internal/test/client"
	"github.com/aside-go/aside/internal/test/modelapi"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/state"
	"github.com/aside-go/aside/state/filestore"
)

// BenchmarkAimSave is how long the end of an answer waits until the answer is saved, in conversations of 40
// requests beside nothing else: from the moment at which the API has sent it all until the client has it, at
// the median and the 99th percentile. The API takes 20 ms, so that the store has forgotten by then what the
// turn has left behind. The same over memory is the lower bound. B/run is what the database, or the disk,
// then keeps of a run of 40 requests, its rows for answers among it.
func BenchmarkAimSave(b *testing.B) {
	for _, way := range []struct {
		name string
		at   func(b *testing.B) (url string, kept func() int) // nil: in memory
	}{
		{"memory", nil},
		{"files", func(b *testing.B) (string, func() int) {
			dir := b.TempDir()
			return dir, func() (n int) {
				err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
					var info syscall.Stat_t
					if err == nil {
						err = syscall.Lstat(path, &info)
					}
					n += int(info.Blocks) * 512
					return err
				})
				if err != nil {
					b.Error(err)
				}
				return n
			}
		}},
		{"redis", func(b *testing.B) (string, func() int) {
			redis := servers.NewRedis(b, "--appendonly", "yes")
			used := func() (n int) {
				_, rest, _ := strings.Cut(redis.Do(b, "info", "memory"), "used_memory:")
				_, _ = fmt.Sscan(rest, &n)
				return n
			}
			begun := used()
			return "redis://" + redis.Addr, func() int { return used() - begun }
		}},
		{"postgres", func(b *testing.B) (string, func() int) {
			url := servers.NewPostgres(b).Database(b)
			return url, func() (n int) {
				c, err := pgx.Connect(b.Context(), url)
				if err == nil {
					defer c.Close(b.Context())
					_, err = c.Exec(b.Context(), "VACUUM FULL aside_run")
				}
				if err == nil {
					err = c.QueryRow(b.Context(), "SELECT pg_total_relation_size('aside_run')").Scan(&n)
				}
				if err != nil {
					b.Error(err)
				}
				return n
			}
		}},
	} {
		for _, run := range []string{"", "named"} {
			b.Run(way.name+"/"+run, func(b *testing.B) {
				var store state.Store = state.NewMemory()
				kept := func() int { return 0 }
				if way.at != nil {
					var err error
					var url string
					url, kept = way.at(b)
					if way.name == "files" {
						store, err = filestore.Open(url, filestore.Options{Durability: filestore.OnSync})
					} else {
						store, _, err = database.Open(url, time.Hour)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				set, diags := compile.New([]reminder.Reminder{{ID: "a", Trigger: "turn_count == 3", Text: "A"}},
					compile.Options{})
				if len(diags) > 0 {
					b.Fatal(diags)
				}
				answers := 0
				fake := modelapi.New(modelapi.Options{Script: func(*modelapi.Prompt) modelapi.Reply {
					answers++
					return modelapi.Say(fmt.Sprint("This is answer ", answers, strings.Repeat(" and more", 9)))
				}})
				var sent time.Time
				rt := transport.New(eval.New(set, eval.Options{Store: store}), transport.Options{
					Base: client.Trip(func(r *http.Request) (*http.Response, error) {
						<-time.After(20 * time.Millisecond)
						resp, err := client.Direct(fake).RoundTrip(r)
						sent = time.Now()
						return resp, err
					})})
				var took []time.Duration
				said := ""
				for i := 0; b.Loop(); i++ {
					if i%40 == 0 {
						said = fmt.Sprintf(`{"role":"user","content":"Solve task %d of %d."}`, i/40, time.Now().UnixNano())
					}
					r, err := http.NewRequest("POST", "http://api.test/v1/messages", strings.NewReader(
						`{"model":"claude-sonnet-4-6","max_tokens":9,"messages":[`+said+`]}`))
					if err != nil {
						b.Fatal(err)
					}
					if run != "" {
						r.Header.Set(transport.RunHeader, fmt.Sprint(run, i/40))
					}
					resp, err := rt.RoundTrip(r)
					if err != nil {
						b.Fatal(err)
					}
					_, err = io.ReadAll(resp.Body)
					took = append(took, time.Since(sent))
					if err != nil || resp.StatusCode != http.StatusOK {
						b.Fatal(resp.StatusCode, err)
					}
					said += fmt.Sprintf(`,{"role":"assistant","content":"This is answer %d%s"},`+
						`{"role":"user","content":"Go on."}`, answers, strings.Repeat(" and more", 9))
				}
				b.ReportMetric(float64(kept()*40/b.N), "B/run")
				slices.Sort(took)
				b.ReportMetric(took[len(took)/2].Seconds()*1e3, "ms-median")
				b.ReportMetric(took[len(took)*99/100].Seconds()*1e3, "ms-p99")
			})
		}
	}
}
