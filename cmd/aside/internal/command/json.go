package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// PrintJSON writes v as JSON on one line to stdout.
func (e *Env) PrintJSON(v any) error {
	b, err := marshal(v)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.Out, "%s\n", b)
	return err
}

// PrintList writes a JSON array with each element on a line.
func PrintList(w io.Writer, list []any) error {
	open := "["
	for _, v := range list {
		b, err := marshal(v)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s%s", open, b)
		open = ",\n"
	}
	if len(list) == 0 {
		fmt.Fprint(w, "[")
	}
	_, err := fmt.Fprintln(w, "]")
	return err
}

// marshal returns v as JSON on one line. It does not escape <, > and &, since texts hold tags.
func marshal(v any) ([]byte, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return []byte(strings.TrimSuffix(b.String(), "\n")), err
}
