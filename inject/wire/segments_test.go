package wire_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/inject/wire"
)

// holdSegments holds that reminders are what Strip takes out, that all else is said as before, and that each
// text that was put is a reminder.
func holdSegments(t rapid.TB, body []byte, due []reminder.Due, opts wire.Options) {
	opts.Mark, opts.Neutralise = "tok", inject.NeutraliseByMark
	out, report, err := wire.Inject(body, due, opts)
	if err != nil {
		t.Fatal(err)
	}
	bare, err := wire.Strip(out, opts)
	if err != nil {
		t.Fatal(err)
	}
	left, none := segments(t, bare, opts)
	said, put := segments(t, out, opts)
	if said != left || len(none) > 0 {
		t.Fatalf("Strip leaves %q with %q, and %q is not a reminder\n%s", left, none, said, out)
	}
	if len(report.Held) > 0 {
		return
	}
	for _, d := range due {
		want := strings.Trim(inject.Neutralise(strings.ToValidUTF8(d.Text, "\ufffd")), "\n")
		if strings.TrimSpace(want) != "" && !strings.ContainsAny(d.Text, "<[") && !slices.Contains(put, want) {
			t.Fatalf("%q is not among %q\n%s", want, put, out)
		}
	}
	opts.Mark = ""
	if _, none := segments(t, out, opts); len(none) > 0 {
		t.Fatalf("reminders without a mark: %q", none)
	}
}

// segments returns what a body says beside reminders, joined, and the reminders.
func segments(t rapid.TB, body []byte, opts wire.Options) (said string, reminders []string) {
	all, err := wire.Segments(body, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range all {
		if g.Reminder {
			reminders = append(reminders, g.Body())
		} else {
			said += g.Text
		}
	}
	return said, reminders
}

func TestI7Segments(t *testing.T) {
	t.Parallel()
	each(t, func(t *rapid.T, body []byte) { holdSegments(t, body, anyDue(t), anyOptions(t)) })
}

func TestI7SegmentsVendors(t *testing.T) {
	t.Parallel()
	eachVendor(t, func(t *rapid.T, body []byte, due []reminder.Due, opts wire.Options) {
		holdSegments(t, body, due, opts)
	})
}
