package transcript_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/cmd/internal/transcript"
	"github.com/aside-go/aside/internal/test/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

func agentAt(stamp string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(
		`{"parentUuid":null,"isSidechain":true,"agentId":"x","sessionId":"s","type":"user","message":{"role":"user","content":"go"},"timestamp":"` + stamp + `"}` + "\n")}
}

var recordings = fstest.MapFS{
	"p/b.jsonl":                                  {Data: []byte(says("m1", "a"))},
	"p/b/subagents/agent-late.jsonl":             agentAt("2026-01-01T12:00:00Z"),
	"p/b/subagents/agent-early.jsonl":            agentAt("2026-01-01T11:00:00Z"),
	"p/b/subagents/agent-early.meta.json":        {Data: []byte(`{"agentType":"Explore"}`)},
	"p/b/subagents/agent-acompact-1.jsonl":       agentAt("2026-01-01T11:00:00Z"),
	"p/b/subagents/workflows/w/agent-deep.jsonl": agentAt("2026-01-01T11:30:00Z"),
	"p/a.jsonl":         {Data: []byte(says("m1", "a"))},
	"p/log.json":        {Data: []byte(`{"messages":[]}`)},
	"packed/a.jsonl.gz": {}, "packed/b.json.zst": {}, "packed/c.gz": {}, "packed/d.tar.gz": {},
	"p/notes.txt":                                     {Data: []byte("x")},
	"p/lone/subagents/agent-orphan.jsonl":             agentAt("2026-01-01T11:30:00Z"),
	"p/lone/subagents/agent-orphan.meta.json":         {Data: []byte("not JSON")},
	"g/chats/session-2026-01-01T10-00-00000000.jsonl": {Data: []byte(begins + "\n")},
	"g/chats/g1/late.jsonl": {Data: []byte(strings.NewReplacer("main", "subagent",
		"T10", "T11").Replace(begins) + "\n")},
	"g/chats/g1/early.jsonl": {Data: []byte(strings.Replace(begins, "main",
		"subagent", 1) + "\n")},
	"g/chats/session-2026-01-01T10-00-evil.jsonl": {Data: []byte(strings.Replace(begins, "g1",
		"..", 1) + "\n")},
	"empty/x.txt": {Data: []byte("x")},
}

func TestFind(t *testing.T) {
	t.Parallel()
	session := []string{"p/b.jsonl", "p/b/subagents/agent-early.jsonl Explore",
		"p/b/subagents/workflows/w/agent-deep.jsonl", "p/b/subagents/agent-late.jsonl"}
	for _, c := range []struct {
		name  string
		paths []string
		want  []string
	}{
		{"a file brings its subagents, in the order of their beginning", []string{"p/b.jsonl"}, session},
		{"a session of Gemini CLI brings its own", []string{"g/chats/session-2026-01-01T10-00-00000000.jsonl"},
			[]string{"g/chats/session-2026-01-01T10-00-00000000.jsonl", "g/chats/g1/early.jsonl",
				"g/chats/g1/late.jsonl"}},
		{"and nobody else's", []string{"g/chats/session-2026-01-01T10-00-evil.jsonl"},
			[]string{"g/chats/session-2026-01-01T10-00-evil.jsonl"}},
		{"packed ones", []string{"packed"}, []string{"packed/a.jsonl.gz", "packed/b.json.zst"}},
		{"a subagent alone", []string{"p/b/subagents/agent-early.jsonl"}, session[1:2]},
		{"a directory", []string{"p"}, slices.Concat([]string{"p/a.jsonl"}, session, []string{"p/log.json",
			"p/lone/subagents/agent-orphan.jsonl"})},
		{"each once, in the order of the paths", []string{"p/log.json", "p/b.jsonl",
			"p/b/subagents/agent-late.jsonl", "p"}, slices.Concat([]string{"p/log.json"}, session, []string{
			"p/a.jsonl", "p/lone/subagents/agent-orphan.jsonl"})},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files, err := transcript.Find(recordings, c.paths...)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range files {
				s := f.Path
				if f.Thread != "" {
					s += " " + f.Thread
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFindNothing(t *testing.T) {
	t.Parallel()
	files, err := transcript.Find(recordings, "p/gone.jsonl", "empty", "p/log.json")
	var empty *transcript.EmptyDirError
	if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &empty) || empty.Path != "empty" || len(files) != 1 {
		t.Errorf("%d files, %v", len(files), err)
	}
}

// closed is a file system with a folder that nobody may read.
type closed struct{ fs.FS }

func (c closed) Open(name string) (fs.File, error) {
	if name == "d/b" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return c.FS.Open(name)
}

// TestFindClosed: a folder that cannot be read is told, and what stands behind it is found all the same.
func TestFindClosed(t *testing.T) {
	t.Parallel()
	files, err := transcript.Find(closed{fstest.MapFS{"d/a.jsonl": {}, "d/b/x.jsonl": {}, "d/c.jsonl": {}}}, "d")
	if !errors.Is(err, fs.ErrPermission) || len(files) != 2 || files[1].Path != "d/c.jsonl" {
		t.Errorf("%v, %v", files, err)
	}
}

// TestFindOdd: what a directory holds besides files, such as a pipe that nobody writes to, is passed over.
func TestFindOdd(t *testing.T) {
	t.Parallel()
	files, err := transcript.Find(fstest.MapFS{"d/a.jsonl": {}, "d/pipe.jsonl": {Mode: fs.ModeNamedPipe},
		"d/z.jsonl": {Mode: fs.ModeSocket}}, "d")
	if err != nil || len(files) != 1 || files[0].Path != "d/a.jsonl" {
		t.Errorf("%v, %v", files, err)
	}
}

// TestFindLinked: a file and a link to it are one file.
func TestFindLinked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file.jsonl"), filepath.Join(dir, "link.jsonl")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("file.jsonl", link); err != nil {
		t.Fatal(err)
	}
	for _, paths := range [][]string{{link, file}, {dir}} {
		if files, err := transcript.Find(nil, paths...); err != nil || len(files) != 1 {
			t.Errorf("%v: %v, %v", paths, files, err)
		}
	}
}

func TestNewest(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if got := transcript.Newest(home); got != "" {
		t.Errorf("found %q where there is nothing", got)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, age := range map[string]time.Duration{"one/old.jsonl": 3, "two/new.jsonl": 1, "two/empty.jsonl": 0,
		"two/agent-x.jsonl": 0, "two/z.txt": 0, "two/deep/newer.jsonl": 0} {
		p := filepath.Join(home, ".claude", "projects", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		content := []byte("x")
		if name == "two/empty.jsonl" {
			content = nil
		}
		if err := os.WriteFile(p, content, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(p, now, now.Add(-age*time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if got := filepath.Base(transcript.Newest(home)); got != "new.jsonl" {
		t.Errorf("newest is %q", got)
	}
}

// TestSessionsElsewhere holds that sessions are found where a variable puts an agent's configuration.
func TestSessionsElsewhere(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	for variable, name := range map[string]string{"CLAUDE_CONFIG_DIR": "projects/p/1111-aaaa.jsonl",
		"CODEX_HOME":      "sessions/2026/01/01/rollout-2026-01-01T10-00-00-2222-aaaa.jsonl",
		"GEMINI_CLI_HOME": ".gemini/tmp/p/chats/session-2026-01-01T10-00-33333333.json"} {
		t.Setenv(variable, dir)
		p := filepath.Join(dir, filepath.FromSlash(name))
		err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o700), os.WriteFile(p, []byte("{}"), 0o600))
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.Collect(transcript.Sessions(home)); !slices.Contains(got, p) {
			t.Errorf("with %s, the sessions are %v, without %s", variable, got, p)
		}
	}
}

// TestNamed: the file of a session is found by its id, wherever an agent writes that.
func TestNamed(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	for _, name := range []string{".claude/projects/p/11111111-aaaa.jsonl",
		".codex/sessions/2026/01/01/rollout-2026-01-01T10-00-00-22222222-aaaa.jsonl",
		".gemini/tmp/p/chats/session-2026-01-01T10-00-33333333.json",
		".copilot/session-state/44444444-aaaa/events.jsonl",
		".kimi-code/sessions/p/55555555-aaaa/agents/main/wire.jsonl"} {
		p := filepath.Join(home, filepath.FromSlash(name))
		err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o700), os.WriteFile(p, []byte("{}"), 0o600))
		if err != nil {
			t.Fatal(err)
		}
		for _, digit := range "12345" {
			id := strings.Repeat(string(digit), 8) + "-aaaa"
			got := transcript.Named(home, id)
			if strings.Contains(name, id[:8]) && got != p || got != "" && !strings.Contains(got, id[:8]) {
				t.Errorf("with %s, %s is %q", name, id, got)
			}
		}
	}
	if got := transcript.Named(home, ""); got != "" {
		t.Errorf("no id is %q", got)
	}
}

// TestNewestOfAgents: of several agents the one that was at work last counts, and no subagent.
func TestNewestOfAgents(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ name, content, want string }{
		{".claude/projects/p/a.jsonl", "x", "a.jsonl"},
		{".codex/sessions/2026/01/01/rollout-b.jsonl", rec("session_meta", meta), "rollout-b.jsonl"},
		{".codex/sessions/2026/01/01/rollout-c.jsonl", rec("session_meta",
			`"id":"t2","source":{"subagent":{"thread_spawn":{}}}`), "rollout-b.jsonl"},
		{".gemini/tmp/p/chats/session-d.jsonl", begins, "session-d.jsonl"},
		{".gemini/tmp/p/chats/g1/e.jsonl", begins, "session-d.jsonl"},
		{".gemini/tmp/p/chats/session-f.json", begins, "session-f.json"},
		{".qwen/projects/p/chats/g.jsonl", "x", "g.jsonl"},
		{".qwen/projects/p/subagents/g/agent-h.jsonl", "x", "g.jsonl"},
		{".kimi-code/sessions/p/i/agents/main/wire.jsonl", "x", "wire.jsonl"},
		{".cline/data/sessions/k/k.messages.json", "x", "k.messages.json"},
		{".cline/data/sessions/k/agent_l.messages.json", "x", "k.messages.json"},
	} {
		p := filepath.Join(home, filepath.FromSlash(c.name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(c.content), 0o644); err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Hour)
		if err := os.Chtimes(p, at, at); err != nil {
			t.Fatal(err)
		}
		if got := filepath.Base(transcript.Newest(home)); got != c.want {
			t.Errorf("with %s the newest is %q, want %q", c.name, got, c.want)
		}
	}
}

// TestFindSubagents: the files of subagents follow that of their session, wherever an agent puts them.
func TestFindSubagents(t *testing.T) {
	t.Parallel()
	for session, sub := range map[string]string{
		"qwen/chats/sess-1.jsonl":                "agent-general-purpose-call_Agents000000000011.jsonl",
		"kimi/session_s1/agents/main/wire.jsonl": "wire.jsonl",
		"cline/sess-1/sess-1.messages.json":      "agent_1795455679484_cee66m.messages.json",
	} {
		files := find(t, filepath.Join("testdata", filepath.FromSlash(session)))
		if len(files) != 2 || filepath.Base(files[1].Path) != sub || files[0].Path == files[1].Path {
			t.Errorf("%s: %v", session, files)
		}
	}
}
