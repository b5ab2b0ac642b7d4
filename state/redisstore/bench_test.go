//go:build unix

package redisstore_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/rueidis"

	"github.com/aside-go/aside/internal/test/races"
	"github.com/aside-go/aside/internal/test/servers"
	"github.com/aside-go/aside/internal/test/testkit"
	"github.com/aside-go/aside/state/redisstore"
)

// swap is the least that a compare-and-swap with a time to live takes.
var swap = rueidis.NewLuaScript(`if redis.call('GETRANGE', KEYS[1], 0, 7) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', 3600000) return 1`)

// BenchmarkAimRedis: a turn costs what a client's bare read and swap of the same key cost, and it costs the
// same however many runs there are.
func BenchmarkAimRedis(b *testing.B) {
	many := 20_000
	if testkit.Long() {
		many = 1_000_000
	}
	value := rueidis.BinaryString(append([]byte("revision"), races.Usual().Encode()...))
	filled := func(runs int) (c rueidis.Client, bytes int64) {
		c = client(b, option(servers.NewRedis(b, "--appendonly", "no", "--save", "").Addr))
		before := used(b, c)
		for n := 0; n < runs; {
			var cmds rueidis.Commands
			for ; len(cmds) < 1000 && n < runs; n++ {
				cmds = append(cmds, c.B().Set().Key("aside:"+races.Name(n)).Value(value).ExSeconds(3600).Build())
			}
			for _, r := range c.DoMulti(b.Context(), cmds...) {
				if err := r.Error(); err != nil {
					b.Fatal(err)
				}
			}
		}
		return c, used(b, c) - before
	}
	small, _ := filled(races.Few)
	c, bytes := filled(many)
	few, store := redisstore.New(small, redisstore.Options{}), redisstore.New(c, redisstore.Options{})
	b.Run(races.Name(many), func(b *testing.B) {
		races.BenchTurn(b, few, store, many, func(ctx context.Context, run string) error {
			was, err := c.Do(ctx, c.B().Get().Key("aside:"+run).Build()).ToString()
			if err != nil {
				return err
			}
			did, err := swap.Exec(ctx, c, []string{"aside:" + run}, []string{was[:8], value}).AsInt64()
			if err == nil && did != 1 {
				err = errors.New("the key was not written")
			}
			return err
		})
		b.ReportMetric(float64(bytes)/float64(many), "B/run")
		b.ReportMetric(float64(len(value)), "B/snapshot")
	})
}

// used returns the bytes of memory that the server uses.
func used(b *testing.B, c rueidis.Client) int64 {
	b.Helper()
	info, err := c.Do(b.Context(), c.B().Info().Section("memory").Build()).ToString()
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(info, "used_memory:")
	number, _, _ := strings.Cut(rest, "\r")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return n
}
