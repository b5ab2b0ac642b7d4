package main

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/near"
)

// tokens is a flag's number of tokens: 200000, 200k, 1M.
type tokens int

// UnmarshalText reads a number as the trigger language does.
func (n *tokens) UnmarshalText(b []byte) error {
	s, unit := string(b), 1
	if rest, ok := strings.CutSuffix(s, "k"); ok {
		s, unit = rest, 1_000
	} else if rest, ok := strings.CutSuffix(s, "M"); ok {
		s, unit = rest, 1_000_000
	}
	v, err := strconv.ParseFloat(s, 64)
	if v *= float64(unit); err != nil || !(v >= 1 && v <= fact.MaxInt) || v != float64(int(v)) {
		return fmt.Errorf("%q is not a number of tokens such as 200000 or 200k", b)
	}
	*n = tokens(v)
	return nil
}

// thereAre returns an error for the first of ids, which may be patterns, that matches no reminder of any of
// the sets. A nil set has none.
func thereAre(ids []string, sets ...*compile.Set) error {
	var all []string
	for _, set := range sets {
		if set != nil {
			all = append(all, set.IDs()...)
		}
	}
	for _, id := range ids {
		if _, err := path.Match(id, ""); err != nil {
			return command.Usage("%q is not a pattern", id)
		}
		if slices.ContainsFunc(all, func(name string) bool { ok, _ := path.Match(id, name); return ok }) {
			continue
		}
		return command.No("there is no reminder %q%s", id, near.Hint(": ", id, all))
	}
	return nil
}

// diffFlag is the flag --diff: rule files, or alone.
type diffFlag struct {
	given bool
	paths []string
}

// Decode reads the path that follows, if one does: a recording is none, since it is what to replay.
func (d *diffFlag) Decode(ctx *kong.DecodeContext) error {
	d.given = true
	next := ctx.Scan.Peek()
	if path, is := next.Value.(string); is && next.IsValue() && !rules.IsRecording(path) {
		ctx.Scan.Pop()
		d.paths = append(d.paths, path)
	}
	return nil
}
