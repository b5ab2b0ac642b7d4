package replay_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/aside-go/aside/cmd/internal/replay"
)

// family is a session and its forks, each of which copies the first answers of another one.
type family struct {
	name, from string
	copies     int // answers of from, its own copies included
	own        int
}

// fork is a session, two forks of it, a fork of a fork and one of that.
var fork = []family{{"p", "", 0, 4}, {"c", "p", 3, 2}, {"d", "p", 4, 1}, {"g", "c", 5, 3}, {"h", "g", 6, 2}}

// codexForks writes the sessions as Codex does: all records of the other one, its records of sessions too,
// with the time of the fork. drop leaves out copied records.
func codexForks(of []family, drop func(line string) bool) fstest.MapFS {
	files, rows := fstest.MapFS{}, map[string][]string{}
	for i, f := range of {
		at := fmt.Sprintf(`{"timestamp":"2026-05-01T1%d:00:00Z",`, i)
		meta := fmt.Sprintf(`"type":"session_meta","payload":{"id":"%s"%s}}`, f.name, ifAny(f.from,
			`,"forked_from_id":"%s"`))
		all := []string{meta}
		answers := 0
		for _, row := range rows[f.from] {
			if strings.Contains(row, `"function_call"`) {
				if answers++; answers > f.copies {
					break
				}
			}
			if drop == nil || !drop(row) {
				all = append(all, row)
			}
		}
		for n := range f.own {
			all = append(all, fmt.Sprintf(`"type":"event_msg","payload":{"type":"user_message","message":"%s%d"}}`,
				f.name, n), fmt.Sprintf(`"type":"response_item","payload":{"type":"function_call","name":"exec_command",`+
				`"arguments":"{\"cmd\":\"git push\"}","call_id":"%s%d"}}`, f.name, n),
				fmt.Sprintf(`"type":"response_item","payload":{"type":"function_call_output","call_id":"%s%d",`+
					`"output":"ok"}}`, f.name, n))
		}
		rows[f.name] = all
		text := ""
		for _, row := range all {
			text += at + row + "\n"
		}
		files[fmt.Sprintf("rollout-2026-05-01T1%d-00-00-%s.jsonl", i, f.name)] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

// claudeForks writes the sessions as Claude Code does: with the id of the fork, and, where marked, with the
// session that they are from; older versions leave the records as they are.
func claudeForks(of []family, marked bool) fstest.MapFS {
	files, rows := fstest.MapFS{}, map[string][]string{}
	for _, f := range of {
		mark := fmt.Sprintf(`{"sessionId":"%s",`, f.name)
		if marked && f.from != "" {
			mark += fmt.Sprintf(`"forkedFrom":{"sessionId":"%s","messageUuid":"x"},`, f.from)
		}
		text, last := "", 2*f.copies
		if f.copies == 0 {
			last = 0
		}
		var all []string
		for _, row := range rows[f.from][:last] {
			all = append(all, row)
			if marked {
				row = mark + row[strings.Index(row, `"parentUuid"`):]
			}
			text += row + "\n"
		}
		for n := range f.own {
			for _, row := range []string{
				fmt.Sprintf(`"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user",`+
					`"content":"%s%d"}}`, f.name, n),
				fmt.Sprintf(`"parentUuid":null,"isSidechain":false,"type":"assistant","requestId":"r%s%d","message":{`+
					`"id":"%s%d","model":"claude-opus-5","role":"assistant","content":[{"type":"tool_use","id":"t",`+
					`"name":"Bash","input":{"command":"git push"}}],"usage":{"input_tokens":9}}}`, f.name, n, f.name, n),
			} {
				row = fmt.Sprintf(`{"sessionId":"%s",`, f.name) + row
				all = append(all, row)
				text += row + "\n"
			}
		}
		rows[f.name] = all
		files[f.name+".jsonl"] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

// piForks writes the sessions as pi does: with the path of the other file, and a copy of its records.
func piForks(of []family) fstest.MapFS {
	files, rows, paths := fstest.MapFS{}, map[string][]string{}, map[string]string{}
	for i, f := range of {
		paths[f.name] = fmt.Sprintf("2026-05-01T1%d-00-00-000Z_%s.jsonl", i, f.name)
		text := fmt.Sprintf(`{"type":"session","version":3,"id":"%s","timestamp":"2026-05-01T10:00:00Z","cwd":"/p"%s}`+
			"\n", f.name, ifAny(paths[f.from], `,"parentSession":"/home/x/%s"`))
		all := slices.Clone(rows[f.from][:2*f.copies])
		for n := range f.own {
			for _, m := range []string{`"role":"user","content":"%s"`, `"role":"assistant","model":"m","content":[{` +
				`"type":"toolCall","id":"t","name":"bash","arguments":{"command":"git push"}}],"note":"%s"`} {
				all = append(all, fmt.Sprintf(`{"type":"message","id":"%s%d","message":{`+m+`}}`, f.name, n, f.name))
			}
		}
		rows[f.name] = all
		files[paths[f.name]] = &fstest.MapFile{Data: []byte(text + strings.Join(all, "\n") + "\n")}
	}
	return files
}

func ifAny(s, format string) string {
	if s == "" {
		return ""
	}
	return fmt.Sprintf(format, s)
}

// TestForks: a model call that stands in several files counts once, whatever order they are read in; what a
// fork goes on from is known to its own first turn.
func TestForks(t *testing.T) {
	t.Parallel()
	few := fork[:3]
	each := func(files fstest.MapFS) []string { return slices.Sorted(maps.Keys(files)) }
	without := func(files fstest.MapFS, name string) fstest.MapFS {
		for path := range files {
			if strings.HasSuffix(path, name) {
				delete(files, path)
			}
		}
		return files
	}
	for name, c := range map[string]struct {
		files fstest.MapFS
		turns int
	}{
		"codex":                      {codexForks(fork, nil), 12},
		"claude code":                {claudeForks(fork, true), 12},
		"claude code, older":         {claudeForks(fork, false), 12},
		"pi":                         {piForks(fork), 12},
		"pi, first is gone":          {without(piForks(few), "_p.jsonl"), 3 + 2 + 1 + 1},
		"codex, first is gone":       {without(codexForks(few, nil), "-p.jsonl"), 3 + 2 + 1 + 1},
		"claude code, first is gone": {without(claudeForks(few, true), "p.jsonl"), 3 + 2 + 1 + 1},
		"codex, some rows are left out": {codexForks(fork, func(row string) bool {
			return strings.Contains(row, `"p1"`)
		}), 12},
	} {
		names := each(c.files)
		for order, paths := range map[string][]string{"by name": names, "backwards": reversed(names)} {
			t.Run(name+", "+order, func(t *testing.T) {
				t.Parallel()
				out, errs, err := run(t, replay.Options{Files: c.files, Paths: paths, Set: rules(t), JSON: true})
				if err != nil {
					t.Fatal(err)
				}
				turns, sum := decode(t, out)
				if sum.Summary.Turns != c.turns || len(turns) != c.turns {
					t.Errorf("%d turns, want %d\n%s", sum.Summary.Turns, c.turns, errs)
				}
				if !strings.Contains(errs, "they count there") {
					t.Errorf("nothing is said of the copies: %q", errs)
				}
				for _, turn := range turns {
					if turn.Turn == 1 && turn.Facts["tool_used"] != nil && turn.Facts["user_turn_count"] != 1.0 &&
						!strings.EqualFold(fmt.Sprint(turn.Facts["tool_used"]), "[Bash]") {
						t.Errorf("%s: the first own turn knows no call: %v", turn.Source, turn.Facts)
					}
				}
			})
		}
	}
}

func reversed(s []string) []string {
	s = slices.Clone(s)
	slices.Reverse(s)
	return s
}

// TestForkSays: files that say of each other that they are forks, and one that says it of itself, count once;
// so does an answer that a fork gives again in the same words.
func TestForkSays(t *testing.T) {
	t.Parallel()
	all := claudeForks([]family{{"a", "", 0, 3}}, true)
	text := string(all["a.jsonl"].Data)
	says := func(name, from string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, `{"sessionId":"a",`, fmt.Sprintf(
			`{"sessionId":"%s","forkedFrom":{"sessionId":"%s"},`, name, from)))}
	}
	ring := fstest.MapFS{"a.jsonl": says("a", "b"), "b.jsonl": says("b", "c"), "c.jsonl": says("c", "a")}
	self := fstest.MapFS{"a.jsonl": says("a", "a"), "x.jsonl": {}}
	again := codexForks([]family{{"p", "", 0, 3}, {"c", "p", 1, 0}}, nil)
	more := again["rollout-2026-05-01T11-00-00-c.jsonl"]
	own := `{"timestamp":"2026-05-01T11:00:01Z","type":"response_item","payload":{"type":"function_call",` +
		`"name":"exec_command","arguments":"{}","call_id":"new"}}` + "\n" +
		`{"type":"response_item","payload":{"type":"function_call_output","call_id":"new","output":"ok"}}` + "\n"
	lines := strings.SplitAfter(string(again["rollout-2026-05-01T10-00-00-p.jsonl"].Data), "\n")
	more.Data = append(more.Data, own+strings.Join(lines[4:7], "")...)
	for name, c := range map[string]struct {
		files fstest.MapFS
		turns int
	}{"in a ring": {ring, 3}, "of itself": {self, 3}, "the same again": {again, 5}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, _, err := run(t, replay.Options{Files: c.files, Paths: []string{"."}, Set: rules(t), JSON: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, sum := decode(t, out); sum.Summary.Turns != c.turns {
				t.Errorf("%d turns, want %d", sum.Summary.Turns, c.turns)
			}
		})
	}
}
