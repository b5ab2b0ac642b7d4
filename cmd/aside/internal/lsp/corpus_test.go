package lsp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/lint"
)

// The corpus is testdata/faulty, rule files with mistakes, and testdata/good, rule files without any. "#
// check: FLAGS" in a file names the flags of `aside check` that it is checked with.
var checkLine = regexp.MustCompile(`(?m)^[ \t]*# check: (.*?)\r?$`)

const corpusDir = "../../../../testdata/"

// corpusFile is a file of the corpus that is served by itself.
type corpusFile struct {
	name  string
	src   string
	flags string
}

// corpus are the files directly in a directory of testdata.
func corpus(t testing.TB, name string) (files []corpusFile) {
	t.Helper()
	entries, err := os.ReadDir(filepath.FromSlash(corpusDir + name))
	if err != nil {
		t.Fatal(err)
	}
	for _, en := range entries {
		if en.IsDir() {
			continue
		}
		b, err := os.ReadFile(filepath.FromSlash(corpusDir + name + "/" + en.Name()))
		if err != nil {
			t.Fatal(err)
		}
		f := corpusFile{name: en.Name(), src: string(b)}
		if m := checkLine.FindSubmatch(b); m != nil {
			f.flags = string(m[1])
		}
		files = append(files, f)
	}
	return files
}

// editors are an editor for each set of flags that files of the corpus are checked with.
type editors struct {
	t  *testing.T
	by map[string]*editor
	n  int
}

func (es *editors) of(flags string) *editor {
	es.t.Helper()
	if es.by[flags] == nil {
		es.by[flags] = open(es.t, settings(es.set(flags)), offering("utf-32", "utf-16"))
	}
	return es.by[flags]
}

// set are the settings that flags come to.
func (es *editors) set(flags string) m {
	es.t.Helper()
	set := m{}
	words := strings.Fields(flags)
	for i := 0; i+1 < len(words); i += 2 {
		switch words[i] {
		case "--agent":
			set["agent"] = words[i+1]
		case "--max-tokens":
			n, err := strconv.Atoi(words[i+1])
			if err != nil {
				es.t.Fatal(err)
			}
			set["maxTokens"] = n
		case "--var":
			name, typ, _ := strings.Cut(words[i+1], ":")
			typ, _, _ = strings.Cut(typ, ":")
			set["vars"] = m{name: typ}
		case "--allow":
			set["allow"] = []grammar.Code{grammar.Code(words[i+1])}
		default:
			es.t.Fatalf("flags %q", flags)
		}
	}
	return set
}

// show opens a file in a project of its own.
func (es *editors) show(f corpusFile) (*editor, string) {
	es.t.Helper()
	es.n++
	e := es.of(f.flags)
	return e, e.show(fmt.Sprintf("%d/.aside/reminders/%s", es.n, f.name), f.src)
}

// readable reports whether the text of a file survives JSON.
func readable(f corpusFile) bool { return strings.ToValidUTF8(f.src, "") == f.src }

// TestCorpus: an editor gets for each file of the corpus the diagnostics of `aside check`, at the same
// places.
func TestCorpus(t *testing.T) {
	t.Parallel()
	es := &editors{t: t, by: map[string]*editor{}}
	for _, f := range slices.Concat(corpus(t, "faulty"), corpus(t, "good")) {
		if !readable(f) {
			continue
		}
		e, u := es.show(f)
		var want, got []string
		for _, d := range checked(t, f, es.set(f.flags)) {
			at := d.Range
			want = append(want, fmt.Sprintf("%d:%d-%d:%d %s %s %s", max(at.Start.Line, 1), max(at.Start.Column, 1),
				max(at.End.Line, 1), max(at.End.Column, 1), d.Code, d.Message, d.Hint))
		}
		for _, w := range e.wrong(u, 1) {
			message, hint, _ := strings.Cut(w.Message, "\n")
			at := w.Range
			got = append(got, fmt.Sprintf("%d:%d-%d:%d %s %s %s", at.Start.Line+1, at.Start.Character+1, at.End.Line+1,
				at.End.Character+1, w.Code, message, hint))
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			t.Errorf("%s: got\n%s\nwant\n%s", f.name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		e.hide(u)
	}
	if es.n < 400 {
		t.Errorf("only %d files", es.n)
	}
}

// checked returns the findings of `aside check` in a file.
func checked(t *testing.T, f corpusFile, set m) grammar.Diagnostics {
	t.Helper()
	var facts []fact.Fact
	if vars, ok := set["vars"].(m); ok {
		for name, typ := range vars {
			x, _ := fact.ParseType(typ.(string))
			facts = append(facts, fact.Fact{Name: "vars." + name, Type: x})
		}
	}
	schema, err := fact.NewSchema(facts...)
	if err != nil {
		t.Fatal(err)
	}
	r := load.Given([]load.Document{{Path: f.name, Src: []byte(f.src)}},
		load.Options{Options: compile.Options{Schema: schema}})
	var opts lint.Options
	opts.Agent, _ = set["agent"].(string)
	opts.MaxTokens, _ = set["maxTokens"].(int)
	opts.Allow, _ = set["allow"].([]grammar.Code)
	return lint.Run(r.Set, r.Diagnostics, r.Files, opts)
}

type action struct {
	Title       string
	Kind        string
	IsPreferred bool
	Diagnostics []wrong
	Edit        struct {
		DocumentChanges []struct {
			TextDocument struct {
				URI     string
				Version int
			}
			Edits []edit
		}
	}
}

// actions asks for the fixes of the diagnostics at a place.
func (e *editor) actions(u string, at span, only ...string) []action {
	e.t.Helper()
	ctx := m{"diagnostics": []m{}}
	if len(only) > 0 {
		ctx["only"] = only
	}
	var list []action
	e.ask("textDocument/codeAction", m{"textDocument": m{"uri": u}, "range": at, "context": ctx}, &list)
	return list
}

// edited is a text with edits, places in UTF-32 or, if astral says so, UTF-16; as an editor applies them.
func edited(t testing.TB, src string, edits []edit, astral bool) string {
	t.Helper()
	offset := func(p spot) int {
		at := 0
		for range p.Line {
			i := strings.IndexAny(src[at:], "\r\n")
			if i < 0 {
				t.Fatalf("line %d of %q", p.Line, src)
			}
			if strings.HasPrefix(src[at+i:], "\r\n") {
				i++
			}
			at += i + 1
		}
		n := 0
		for i, r := range src[at:] {
			if n >= p.Character {
				return at + i
			}
			if n++; astral && utf16.RuneLen(r) == 2 {
				n++
			}
		}
		return len(src)
	}
	slices.SortFunc(edits, func(a, b edit) int { return offset(b.Range.Start) - offset(a.Range.Start) })
	for _, x := range edits {
		src = src[:offset(x.Range.Start)] + x.NewText + src[offset(x.Range.End):]
	}
	return src
}

// TestL4CodeActions: following the hint of a finding through its code action makes it go away (what it hid
// may come to light); so does to allow it, where it can be allowed; and to fix everything leaves nothing that
// fixes itself.
func TestL4CodeActions(t *testing.T) {
	t.Parallel()
	es := &editors{t: t, by: map[string]*editor{}}
	findings, fixes, allowed, alls := 0, 0, 0, 0
	for _, f := range corpus(t, "faulty") {
		if !readable(f) {
			continue
		}
		e, u := es.show(f)
		before := e.wrong(u, 1)
		version := 1
		// try shows the text with an edit, returns its diagnostics, and shows the text as it was.
		try := func(a action, asked int) []wrong {
			t.Helper()
			if len(a.Edit.DocumentChanges) != 1 || a.Edit.DocumentChanges[0].TextDocument.URI != u ||
				a.Edit.DocumentChanges[0].TextDocument.Version != asked {
				t.Fatalf("%s: %s: %+v", f.name, a.Title, a.Edit)
			}
			version++
			e.retype(u, version, edited(t, f.src, a.Edit.DocumentChanges[0].Edits, false))
			now := e.wrong(u, version)
			version++
			e.retype(u, version, f.src)
			e.wrong(u, version)
			return now
		}
		for _, w := range before {
			findings++
			asked := version
			for _, a := range e.actions(u, w.Range, "quickfix") {
				if len(a.Diagnostics) != 1 || a.Diagnostics[0].Code != w.Code || a.Diagnostics[0].Message != w.Message {
					continue // of another finding at this place
				}
				if a.IsPreferred {
					fixes++
				} else {
					allowed++
				}
				if now := try(a, asked); stays(before, w, now) {
					t.Errorf("%s: %s\n%v\nfollowed by %+v there is\n%v", f.name, a.Title, w,
						a.Edit.DocumentChanges[0].Edits, now)
				}
			}
		}
		for _, a := range e.actions(u, span{}, "source.fixAll") {
			alls++
			version++
			e.retype(u, version, edited(t, f.src, a.Edit.DocumentChanges[0].Edits, false))
			now := e.wrong(u, version)
			for _, w := range now {
				for _, again := range e.actions(u, w.Range, "quickfix") {
					if again.IsPreferred {
						t.Errorf("%s: what fixes itself is left: %v", f.name, w)
					}
				}
			}
		}
		e.hide(u)
	}
	t.Logf("%d findings, %d fixes, %d that can be allowed, %d files that fix themselves in part", findings,
		fixes, allowed, alls)
	if fixes < 200 || allowed < 100 {
		t.Errorf("only %d fixes and %d that can be allowed", fixes, allowed)
	}
}

// stays reports whether a finding is still there, or another that says the same of another place has come.
func stays(before []wrong, gone wrong, now []wrong) bool {
	left := -1
	for _, w := range before {
		if w.Code == gone.Code && w.Message == gone.Message {
			left++
		}
	}
	for _, w := range now {
		if w.Code == gone.Code && w.Message == gone.Message {
			left--
		}
	}
	return left < 0
}
