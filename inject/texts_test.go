package inject_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/inject"
)

// TestI7SegmentsOf: reminders are what Strip takes out, and all else stays as it was; with a mark, each text
// that was put is one.
func TestI7SegmentsOf(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		opts := inject.Options{Mark: "tok", Placement: inject.Placement(rapid.IntRange(0, 2).Draw(t, "placement")),
			Prefix: rapid.Bool().Draw(t, "prefix")}
		due := anyDue(t)
		h := inject.Messages(history(t), due, opts)
		said, whole := "", ""
		var put []string
		for _, g := range inject.SegmentsOf(h, opts) {
			whole += g.Text
			if g.Reminder {
				put = append(put, g.Body())
			} else {
				said += g.Text
			}
			if m := h[g.Message]; g.Text == "" || g.Role != m.Role {
				t.Fatalf("%+v of %+v", g, m)
			}
		}
		if want := texts(h); whole != want {
			t.Fatalf("%q is displayed as %q", want, whole)
		}
		if want := texts(inject.Strip(h, opts)); said != want {
			t.Fatalf("%+v: Strip leaves %q, and %q is not a reminder\n%+v", opts, want, said, h)
		}
		for _, d := range due {
			want := strings.Trim(inject.Neutralise(strings.ToValidUTF8(d.Text, "\ufffd")), "\n")
			if strings.TrimSpace(want) != "" && !strings.ContainsAny(d.Text, "<[") && !slices.Contains(put, want) {
				t.Fatalf("%q is not among %q", want, put)
			}
		}
		opts.Mark = ""
		for _, g := range inject.SegmentsOf(h, opts) {
			if g.Reminder {
				t.Fatalf("a reminder without a mark: %+v", g)
			}
		}
	})
}

// texts returns the texts of messages, joined.
func texts(h []inject.Message) string {
	var b strings.Builder
	for _, m := range h {
		if m.Blocks == nil {
			b.WriteString(m.Text)
		}
		for _, k := range m.Blocks {
			if k.Type == "text" || k.Type == "tool_result" {
				b.WriteString(k.Text)
			}
			for _, k := range k.Blocks {
				if k.Type == "text" {
					b.WriteString(k.Text)
				}
			}
		}
	}
	return b.String()
}
