package transport_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/eval"
	"github.com/aside-go/aside/inject/transport"
)

// An SDK that takes an http.Client needs one line.
func ExampleNew() {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(pretty(string(body)))
	}))
	defer api.Close()

	set, diags := compile.New([]reminder.Reminder{{ID: "tests", Trigger: "user_message",
		Text: "The tests have not been run yet."}}, compile.Options{})
	if diags.HasErrors() {
		log.Fatal(diags)
	}
	ev := eval.New(set, eval.Options{})

	client := &http.Client{Transport: transport.New(ev, transport.Options{})}

	resp, err := client.Post(api.URL+"/v1/messages", "application/json",
		strings.NewReader(`{"model":"claude-sonnet-4-6","messages":[{"role":"user","content":"go on"}]}`))
	if err != nil {
		log.Fatal(err)
	}
	_ = resp.Body.Close()
	// Output:
	// {"model":"claude-sonnet-4-6","messages":[{"role":"user","content":[
	//   {"type":"text","text":"go on"},
	//   {"type":"text","text":"<system-reminder mark=\"…\">\nThe tests have not been run yet.\n</system-reminder>"}]}]}
}

// pretty puts each block on a line, and hides the mark of the run, which is another one each time.
func pretty(body string) string {
	body = strings.ReplaceAll(body, `{"type"`, "\n  {\"type\"")
	before, after, _ := strings.Cut(body, `mark=\"`)
	_, after, _ = strings.Cut(after, `\"`)
	return before + `mark=\"…\"` + after
}
