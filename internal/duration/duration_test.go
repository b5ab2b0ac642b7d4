package duration_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/internal/duration"
)

func TestParse(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for s, want := range map[string]time.Duration{
		"0": 0, "-0": 0, "0d": 0, "90m": 90 * time.Minute, "48h": 2 * day, "2d": 2 * day, "1.5d": 36 * time.Hour,
		"1d12h": 36 * time.Hour, "12h1d": 36 * time.Hour, "2h1d": 26 * time.Hour, ".5d": 12 * time.Hour,
		"1.d": day, "-1d1h": -25 * time.Hour, "+1d": day, "1d1d": 2 * day, "1d5µs": day + 5*time.Microsecond,
		"106751d": 106751 * day, "0.00000000001d": 864 * time.Nanosecond,
	} {
		if got, err := duration.Parse(s); err != nil || got != want {
			t.Errorf("%q is %v, %v, want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "-", "d", "5", "1d1", "1h0", "00", "1d-1h", "1d+1h", "--1d", "+-1d", "1 d",
		"1D", ".d", "1dd", "1w", "1e3d", "106752d", "106751d24h", "2562047h47m16.854775808s", "1..5d"} {
		if got, err := duration.Parse(s); err == nil {
			t.Errorf("%q is %v", s, got)
		}
	}
}

// TestWritten: a number and a unit, once or more, whether or not a Duration can hold them.
func TestWritten(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{"5m": true, "1h30m": true, "1.5d": true, "2us3ns": true, "1d1d": true,
		"99999999999h": true, "": false, "5": false, "m": false, ".5h": false, "1.h": false, "1.5.2h": false,
		"5mm": false, "1h30": false, "1w": false, "-5m": false, "+5m": false, "5 m": false, "5M": false} {
		if got := duration.Written(s); got != want {
			t.Errorf("%q is %v", s, got)
		}
	}
}

// TestRead: what is written is read, and what package time reads is read the same.
func TestRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(-math.MaxInt64, math.MaxInt64).Draw(t, "duration"))
		units := []time.Duration{1, time.Second, time.Hour, 24 * time.Hour}
		d = d.Truncate(rapid.SampledFrom(units).Draw(t, "unit"))
		if got, err := duration.Parse(duration.Format(d)); err != nil || got != d {
			t.Fatalf("%v is written %s and read as %v, %v", d, duration.Format(d), got, err)
		}
		s := rapid.StringMatching(`[-+]?([0-9]{0,3}\.?[0-9]{0,3}(ns|us|µs|ms|s|m|h|x)?){0,3}`).Draw(t, "text")
		want, wrong := time.ParseDuration(s)
		if got, err := duration.Parse(s); got != want || (err == nil) != (wrong == nil) {
			t.Fatalf("%q is %v, %v, want %v, %v", s, got, err, want, wrong)
		}
	})
}
