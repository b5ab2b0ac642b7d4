package terminal_test

import (
	"testing"

	"github.com/aside-go/aside/cmd/aside/internal/terminal"
)

func TestObeys(t *testing.T) {
	t.Parallel()
	for _, r := range "\x00\a\b\t\n\r\x1b\x7f\u0085\u009b\u00ad\u061c\u200b\u200d\u200e\u2028\u2029\u202a\u202e\u2060\u2066\u2069\u206f\ufeff\ufff9\U000e0041" {
		if !terminal.Obeys(r) {
			t.Errorf("%U is shown", r)
		}
	}
	for _, r := range "a é あ 🪟 ✓\u00a0\u0301\ufe0f\ufffd" {
		if terminal.Obeys(r) {
			t.Errorf("%U is not shown", r)
		}
	}
}
