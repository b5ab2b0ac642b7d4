package main

import (
	"bufio"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/aside-go/aside/cmd/internal/command"
)

var (
	flagWord  = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	goName    = regexp.MustCompile(`\b[a-z]+\.[A-Z][a-z]+`)
	cliValues = map[string]string{"delivery": "auto native anchored tail", "placement": "block text system"}
)

// TestFlagWords: the values that flags take, and their help, are words for people. The values that CLI.md
// lists are taken, wherever a flag of that name is.
func TestFlagWords(t *testing.T) {
	t.Parallel()
	k, err := aside.Parser(&command.Env{Out: bufio.NewWriter(io.Discard), Err: io.Discard}, "")
	if err != nil {
		t.Fatal(err)
	}
	flags := 0
	for _, cmd := range k.Model.Leaves(false) {
		for _, f := range cmd.Flags {
			flags++
			at := cmd.Path() + " --" + f.Name
			if name := goName.FindString(f.Help); name != "" {
				t.Errorf("%s: the help has %s, which is no word", at, name)
			}
			values := f.EnumSlice()
			if f.Enum == "" {
				continue
			}
			for _, v := range values {
				if v != "" && !flagWord.MatchString(v) {
					t.Errorf("%s takes %q, which is no word", at, v)
				}
			}
			if want := cliValues[f.Name]; want != "" && strings.Join(values, " ") != want {
				t.Errorf("%s takes %q, and CLI.md says %s", at, values, want)
			}
		}
	}
	if flags < 50 {
		t.Errorf("only %d flags were looked at", flags)
	}
}
