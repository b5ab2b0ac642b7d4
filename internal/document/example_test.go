package document_test

import (
	"fmt"

	"github.com/aside-go/aside/internal/document"
)

func ExampleRead() {
	src := []byte("---\nwhen: context_usage > 75%\nrearm: context_usage < 60%\n---\nThe context is " +
		"nearly full.\n")
	reminders, diagnostics := document.Read("reminders/full.md", src)
	fmt.Println(len(diagnostics), reminders[0].ID, "|", reminders[0].Trigger, "|", reminders[0].Text)

	_, diagnostics = document.Read("reminders/full.md", []byte("---\nwehn: !compacted\n---\nx\n"))
	fmt.Println(diagnostics[0])
	// Output:
	// 0 full | context_usage > 75% | The context is nearly full.
	// reminders/full.md:2:1: error[R0410]: unknown key "wehn" in a reminder (did you mean `when`?)
}

func ExampleFormat() {
	src := []byte("---\n# twice at most\nmax_fires: 2\nwhen: turn_count>20&&!compacted   # " +
		"late\n---\nStill there?\n")
	out, _ := document.Format("reminders/late.md", src)
	fmt.Print(string(out))
	// Output:
	// ---
	// # twice at most
	// max_fires: 2
	// when: turn_count > 20 and not compacted   # late
	// ---
	// Still there?
}
