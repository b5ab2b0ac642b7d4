package wire_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/testkit"
)

func TestWindowsOf(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]int64{
		"claude-opus-4-6":                              200_000,
		"claude-opus-4-6[1m]":                          1_000_000,
		"claude-haiku-4-5-20251001":                    200_000,
		"claude-sonnet-4-5-20250929":                   200_000,
		"claude-opus-4-8":                              1_000_000,
		"claude-opus-5":                                1_000_000,
		"claude-opus-5-5-20260601":                     1_000_000,
		"claude-fable-5-1":                             1_000_000,
		"us.anthropic.claude-sonnet-4-5-20250929-v1:0": 200_000,
		"anthropic/claude-sonnet-5":                    1_000_000,
		"anthropic/claude-opus-4.8":                    1_000_000,
		"claude-haiku-4.5":                             200_000,
		"gpt-5":                                        400_000,
		"gpt-5-mini":                                   400_000,
		"gpt-5.3-codex":                                400_000,
		"gpt-5.5":                                      1_050_000,
		"gpt-5.9":                                      0,
		"gpt-4o":                                       0,
		"gpt-4.1-mini":                                 1_047_576,
		"gemini-2.5-pro":                               1_048_576,
		"gemini-2.0-flash":                             0,
		"<synthetic>":                                  0,
		"my-own":                                       0,
		"":                                             0,
	} {
		got, ok := wire.Windows(nil).Of(model)
		if got != want || ok != (want > 0) {
			t.Errorf("Of(%q) = %d, %v; want %d", model, got, ok, want)
		}
	}
}

func TestWindowHolds(t *testing.T) {
	t.Parallel()
	if n, ok := wire.Windows(nil).Holds("claude-opus-4-6", 200_000); n != 200_000 || !ok {
		t.Errorf("a full window: %d, %v", n, ok)
	}
	if _, ok := wire.Windows(nil).Holds("claude-opus-4-6", 200_001); ok {
		t.Error("a window that held more than it holds is still believed in")
	}
}

// TestWindowsOfUsers: what a user says goes before the table, the longest prefix first.
func TestWindowsOfUsers(t *testing.T) {
	t.Parallel()
	own := wire.Windows{"claude-opus": 7, "claude-opus-5": 9, "my-": 11, "gpt-": 0, "openai/gpt-5.5": 13, "odd": -1}
	for model, want := range map[string]int64{
		"claude-opus-4-8": 7, "claude-opus-5-5": 9, "us.anthropic.claude-opus-5": 9, "claude-opus-4-6[1m]": 7, "my-own": 11,
		"gpt-5-mini": 0, "openai/gpt-5.5": 13, "openai/gpt-5.4": 0, "gemini-3-pro": 1_048_576, "odd": 0, "": 0,
	} {
		if got, ok := own.Of(model); got != want || ok != (want > 0) {
			t.Errorf("Of(%q) = %d, %v; want %d", model, got, ok, want)
		}
	}
	if n, ok := (wire.Windows{"": 5}).Of("anything"); n != 5 || !ok {
		t.Error("the empty prefix fits any model")
	}
}

// TestWindowTable compares the table with the page that it is taken from.
func TestWindowTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(testkit.Beside(t, "WIRE.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| (`(?:claude|gpt|gemini).*) \\| ([0-9,]+) \\|$").FindAllStringSubmatch(string(page), -1)
	if len(rows) != 6 {
		t.Fatalf("%d rows found, the page has 6", len(rows))
	}
	for _, row := range rows {
		want, err := strconv.ParseInt(strings.ReplaceAll(row[2], ",", ""), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range regexp.MustCompile("`([^`*]+)\\*?`").FindAllStringSubmatch(row[1], -1) {
			if got, _ := wire.Windows(nil).Of(id[1]); got != want {
				t.Errorf("%s: %d, the page says %d", id[1], got, want)
			}
		}
	}
}
