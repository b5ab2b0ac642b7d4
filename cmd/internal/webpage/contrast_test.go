package webpage_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/webpage"
)

// TestContrast holds the colours of both dresses to WCAG 2.2 AA: 4.5 to 1 for text, 3 to 1 for what else must
// be told apart.
func TestContrast(t *testing.T) {
	t.Parallel()
	colours := map[string][2]string{}
	for _, m := range regexp.MustCompile(
		`--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\)`).FindAllStringSubmatch(
		webpage.Asset("tokens.css"), -1) {
		colours[m[1]] = [2]string{m[2], m[3]}
	}
	for pair, least := range map[string]float64{
		"ink on paper": 7, "ink on raised": 7, "ink on sunk": 7, "ink on fire-wash": 7, "soft on paper": 4.5,
		"soft on raised": 4.5, "soft on sunk": 4.5, "soft on fire-wash": 4.5,
		"fire on paper": 4.5, "fire on raised": 4.5, "on-fire on fire": 4.5, "on-fire on fire-deep": 4.5,
		"curve on paper": 4.5, "fail on raised": 4.5, "paper on ink": 4.5,
		"fail on paper": 3, "tool on paper": 3, "edge on paper": 3, "edge on raised": 3, "focus on paper": 3,
		"focus on raised": 3, "faint on raised": 3,
	} {
		on, under, _ := strings.Cut(pair, " on ")
		if strings.HasPrefix(pair, "on-fire on ") {
			on, under = "on-fire", strings.TrimPrefix(pair, "on-fire on ")
		}
		for i, dress := range []string{"light", "dark"} {
			a, b := colours[on][i], colours[under][i]
			if a == "" || b == "" {
				t.Fatalf("%s: no such colour", pair)
			}
			if got := contrast(t, a, b); got < least {
				t.Errorf("%s: %s is %.2f to 1, want %.1f", dress, pair, got, least)
			}
		}
	}
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(hex[1:], 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	linear := func(c uint64) float64 {
		v := float64(c&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n>>16) + 0.7152*linear(n>>8) + 0.0722*linear(n)
}
