package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/aside-go/aside/cmd/aside/internal/command"
	"github.com/aside-go/aside/inject/wire"
)

// checkJSON returns an error if b is not JSON, which begins with the line:column: at which b ceases to be JSON.
func checkJSON(b []byte) error {
	var v json.RawMessage
	err := json.Unmarshal(b, &v)
	var s *json.SyntaxError
	if !errors.As(err, &s) {
		return err
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return errors.New("1:1: empty, not JSON")
	}
	upTo := b[:min(max(int(s.Offset)-1, 0), len(b))]
	line := 1 + bytes.Count(upTo, []byte("\n"))
	column := 1 + len([]rune(string(upTo[bytes.LastIndexByte(upTo, '\n')+1:])))
	return fmt.Errorf("%d:%d: not JSON: %w", line, column, err)
}

// facts returns the facts that a body tells, and what kind of request it is. Without a state directory, turns and calls are counted from
// the messages.
func (c *injectCmd) facts(body []byte) (map[string]any, wire.Kind, error) {
	q, err := wire.ReadRequest(wire.Incoming{API: wire.API(c.API), Body: body})
	if err != nil {
		return nil, q.Kind, command.No("stdin: %w", err)
	}
	if q.Model == "" {
		q.Model = c.Model
	}
	facts := q.Facts()
	if c.State == "memory" {
		maps.Copy(facts, q.Tally())
	}
	return facts, q.Kind, nil
}
