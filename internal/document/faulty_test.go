package document_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/document"
)

// TestFaulty holds that all mistakes of a file are told at once: those of its keys by Read, those of its
// triggers and its text by New, which leaves the reminder out.
func TestFaulty(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, src string
		want      []string
	}{
		{"key, trigger and text", "---\nwhen: context_usage > 75\npriority: high\nrearm: turn_count = " +
			"1\n---\n{{.context_usag}}\n", []string{"R0110", "R0204", "R0412", "R0503"}},
		{"two triggers, both read", "---\nwhen: Manual\nwhile: tool_used > bash\n---\nx\n",
			[]string{"R0201", "R0413"}},
		{"a schedule that is wrong is no trigger", "---\nschedule: {kind: timer, interval: soon}\n---\nx\n",
			[]string{"R0431"}},
		{"a condition that is wrong, and a tier",
			"---\nschedule: {kind: condition, condition: turn_gt:x}\ntier: top\n---\nx\n", []string{"R0211", "R0426"}},
		{"no text is told once", "---\nwhen: turn_count\n---\n", []string{"R0208", "R0422"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			rs, ds := document.Read("a.md", []byte(c.src))
			set, more := compile.FromFiles(rs, compile.Options{})
			var got []string
			for _, d := range slices.Concat(ds, more) {
				got = append(got, string(d.Code))
			}
			slices.Sort(got)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%s\n%v\n%v", diff, ds, more)
			}
			if set.Len() != 0 {
				t.Errorf("%v are in the set", set.IDs())
			}
		})
	}
}
