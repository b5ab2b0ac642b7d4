package serve

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/inject/wire"
	"github.com/aside-go/aside/internal/model"
	"github.com/aside-go/aside/internal/near"
)

// windows parses the values of --window, MODEL=TOKENS.
func windows(flags []string) (wire.Windows, error) {
	w := wire.Windows{}
	for _, f := range flags {
		at := strings.LastIndexByte(f, '=') // the last one, since a model's name may hold others
		if at < 1 {
			return nil, command.Usage("--window %q: not MODEL=TOKENS", f)
		}
		n, err := strconv.ParseInt(strings.ReplaceAll(f[at+1:], "_", ""), 10, 64)
		if err != nil || n < 0 {
			return nil, command.Usage("--window %q: the tokens are a whole number such as 200000", f)
		}
		w[f[:at]] = n
	}
	return w, nil
}

// modelRow is a row of --model-table.
type modelRow struct {
	Prefix  string   `yaml:"prefix"`
	Places  []string `yaml:"places"`
	System  []string `yaml:"system"`
	ClearAt string   `yaml:"clear_at"`
	Binds   bool     `yaml:"binds"`
	Strips  bool     `yaml:"strips"` // of older tables: places [result, user]
	Role    string   `yaml:"role"`
	Checked string   `yaml:"checked"`
	Source  string   `yaml:"source"`
}

// modelTable reads a table of models: a list of rows, in YAML or JSON.
func modelTable(path string) ([]wire.Model, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var rows []modelRow
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(&rows); err != nil && !errors.Is(err, io.EOF) {
		return nil, command.No("%s: %s", path, wrongTable(err))
	}
	models := make([]wire.Model, len(rows))
	for i, r := range rows {
		m := wire.Model{Prefix: r.Prefix, ClearAt: r.ClearAt, Binds: r.Binds, Role: r.Role, Checked: r.Checked,
			Source: r.Source}
		if m.Prefix == "" {
			return nil, command.No("%s: row %d: prefix is missing: what the names of the models begin with", path, i+1)
		}
		bad := cmp.Or(wrongWord("role", []string{r.Role}, "", "user", "developer", "system"),
			wrongWord("system", r.System, string(model.Direct), string(model.Vertex), string(model.Invoke)),
			wrongWord("places", r.Places, placeNames()...))
		if bad != "" {
			return nil, command.No("%s: row %d: %s", path, i+1, bad)
		}
		for _, s := range r.System {
			m.System = append(m.System, model.Platform(s))
		}
		for _, p := range r.Places {
			m.Places = append(m.Places, model.Place(p))
		}
		if r.Strips && m.Places == nil {
			m.Places = []model.Place{model.Result, model.User}
		}
		models[i] = m
	}
	return models, nil
}

// wrongWord returns what is wrong with the values of a key, each of which must be one of words; "" if nothing
// is.
func wrongWord(key string, values []string, words ...string) string {
	for _, v := range values {
		if !slices.Contains(words, v) {
			words = slices.DeleteFunc(words, func(w string) bool { return w == "" })
			return fmt.Sprintf("%s %q: one of %s%s", key, v, strings.Join(words, ", "), near.Hint("; ", v, words))
		}
	}
	return ""
}

func placeNames() (names []string) {
	for _, p := range model.Places() {
		names = append(names, string(p))
	}
	return names
}

// wrongTable returns the first mistake of a table in plain words.
func wrongTable(err error) string {
	var t *yaml.TypeError
	if !errors.As(err, &t) {
		return strings.TrimPrefix(err.Error(), "yaml: ")
	}
	first := t.Errors[0]
	line, what, _ := strings.Cut(first, ": ")
	if key, ok := strings.CutPrefix(what, "field "); ok {
		key, _, _ = strings.Cut(key, " ")
		var keys []string
		for f := range reflect.TypeFor[modelRow]().Fields() {
			keys = append(keys, f.Tag.Get("yaml"))
		}
		return fmt.Sprintf("%s: unknown key %q%s", line, key, near.Hint("; ", key, keys))
	}
	return line + ": not a list of models"
}
