package callpattern_test

import (
	"strings"
	"testing"

	"github.com/aside-go/aside/compile/fact"
	"github.com/aside-go/aside/internal/callpattern"
)

var (
	linux   = fact.Place{Project: "/home/ann/app", Home: "/home/ann"}
	windows = fact.Place{Project: `C:\Users\ann\app`, Home: "c:/Users/ann"}
	nowhere = fact.Place{}
)

func TestFiles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at    fact.Place
		glob  string
		match []string
		not   []string
	}{
		// without a slash: the name
		{linux, "*.env", []string{".env", "prod.env", "deploy/prod.env", "/etc/x.env", "a/.env", "../x.env"},
			[]string{"env", "x.env.bak", "x.env/y", "X.ENV"}},
		{linux, ".env*", []string{".env", ".env.local", "a/.envrc"}, []string{"a.env", ".en"}},
		{linux, "*", []string{"a", ".a", "a/b/.c", "/x"}, nil},
		{linux, "**", []string{"a", ".a", "a/b/.c", "/x"}, nil},
		{linux, "go.mod", []string{"go.mod", "sub/go.mod", "./go.mod", "a/../go.mod"},
			[]string{"go.mod.x", "go.mo"}},
		{linux, "?.go", []string{"a.go", "é.go", "x/b.go"}, []string{"ab.go", ".go"}},
		{linux, "[ab].go", []string{"a.go", "x/b.go"}, []string{"c.go"}},
		{linux, "[!ab].go", []string{"c.go"}, []string{"a.go"}},
		{linux, "[^ab].go", []string{"c.go"}, []string{"a.go"}},
		{linux, "[a-c]*", []string{"b", "x/c1"}, []string{"d", "B"}},
		{linux, "*.{js,ts}", []string{"a.js", "x/b.ts"}, []string{"a.jsx", "a.{js,ts}"}},
		{linux, "{a,b{c,d}}.x", []string{"a.x", "bc.x", "bd.x"}, []string{"b.x", "c.x"}},
		{linux, `\*.go`, []string{"*.go", "x/*.go"}, []string{"a.go"}},
		{linux, "Makefile", []string{"Makefile"}, []string{"makefile"}},
		{linux, "**.md", []string{"a.md", "x/a.md"}, []string{"a.txt"}},

		// with a slash: the path below the project
		{linux, "db/*.sql", []string{"db/one.sql", "./db/one.sql", "db/x/../one.sql",
			"/home/ann/app/db/one.sql", "db/.sql"},
			[]string{"db/old/one.sql", "x/db/one.sql", "/db/one.sql", "../db/one.sql", "one.sql",
				"/home/ann/db/one.sql"}},
		{linux, "db/**", []string{"db/one.sql", "db/a/b/c", "db/.x/y", "db"}, []string{"dbx/a", "x/db/a",
			"/srv/db/a"}},
		{linux, "**/*.sql", []string{"one.sql", "a/one.sql", "a/b/one.sql", ".x/one.sql"},
			[]string{"/srv/one.sql", "../one.sql"}},
		{linux, "**/db/**", []string{"db/a", "x/db/a", "x/y/db/a/b"}, []string{"xdb/a", "db2/a"}},
		{linux, "a/**/z", []string{"a/z", "a/b/z", "a/b/c/z"}, []string{"a/zz", "b/a/z"}},
		{linux, "./x.go", []string{"x.go"}, []string{"a/x.go"}},
		{linux, "a/../x/*.go", []string{"x/a.go"}, []string{"a/x/a.go"}},
		{linux, "../x/*", nil, []string{"../x/a", "x/a", "/home/ann/x/a"}},
		{linux, "src/{a,b}/*.go", []string{"src/a/x.go", "src/b/y.go"}, []string{"src/c/x.go"}},
		{linux, "{src,test}/**", []string{"src/a", "test/b/c"}, []string{"doc/a"}},
		{linux, "{*.env,secrets/**}", []string{"a/b.env", "secrets/x/y"}, []string{"x/secrets/y"}},
		{linux, "*/x", []string{"a/x", ".a/x"}, []string{"x", "a/b/x"}},
		{linux, ".github/workflows/*.y*ml", []string{".github/workflows/ci.yml"}, []string{".github/ci.yml"}},

		// absolute
		{linux, "/etc/*", []string{"/etc/hosts", "/etc/../etc/hosts", "//etc/hosts"},
			[]string{"etc/hosts", "/etc/a/b", "/etc"}},
		{linux, "/etc/**", []string{"/etc/a/b", "/etc/.x"}, []string{"/etcx/a", "etc/a"}},
		{linux, "/home/ann/app/**", []string{"a.go", "x/y", "/home/ann/app/z", "../app/a"},
			[]string{"../b", "/home/ann/b"}},
		{linux, "/home/*/app/db/*", []string{"db/x"}, []string{"db/x/y"}},
		{linux, "/**/*.pem", []string{"/a/b/c.pem", "x.pem", "/c.pem"}, []string{"/a/b/c.pe"}},
		{linux, "/**", []string{"/a", "b", "../c"}, nil},
		{linux, "/home/ann/./x/../y", []string{"/home/ann/y", "../y"}, nil},
		{linux, "~/.ssh/*", []string{"/home/ann/.ssh/id", "~/.ssh/id", "../.ssh/id"},
			[]string{"/root/.ssh/id", ".ssh/id", "/home/ann/.ssh/a/b"}},
		{linux, "~/**", []string{"a.go", "/home/ann/b", "~/c"}, []string{"/home/annx/b", "/etc/hosts"}},
		{linux, "{/etc,~}/x", []string{"/etc/x", "~/x", "/home/ann/x"}, []string{"x"}},

		// a place that is not known
		{nowhere, "*.env", []string{"a.env", "x/a.env", "/y/a.env", "../a.env"}, nil},
		{nowhere, "db/*.sql", []string{"db/a.sql", "./db/a.sql"}, []string{"../db/a.sql", "/db/a.sql"}},
		{nowhere, "/etc/*", []string{"/etc/hosts"}, []string{"etc/hosts", "../etc/hosts"}},
		{nowhere, "~/x", []string{"~/x", "~/a/../x"}, []string{"x", "/home/ann/x", "~/../x"}},
		{nowhere, "**/x", []string{"x", "a/x"}, []string{"~/x", "~/a/x"}},
		{nowhere, "/**", []string{"/a"}, []string{"a", "../a"}},
		{fact.Place{Project: "/"}, "etc/*", []string{"etc/hosts", "/etc/hosts"}, nil},
		{fact.Place{Project: "/p/", Home: "/h/"}, "a/*", []string{"a/b", "/p/a/b"}, []string{"/h/a/b"}},
		{fact.Place{Project: "/p/", Home: "/h/"}, "~/a", []string{"/h/a"}, []string{"/h/h/a"}},

		// Windows
		{windows, "*.env", []string{`deploy\prod.env`, `C:\x\a.env`}, []string{`a.env\b`}},
		{windows, "src/*.go", []string{`src\a.go`, `C:\Users\ann\app\src\a.go`,
			"c:/Users/ann/app/src/a.go", "src/a.go"},
			[]string{`src\x\a.go`, `D:\Users\ann\app\src\a.go`, `..\src\a.go`}},
		{windows, "C:/Windows/**", []string{`c:\Windows\a\b`, "C:/Windows/x"}, []string{`D:\Windows\a`,
			"Windows/a"}},
		{windows, `c:\Windows\*`, []string{`C:\Windows\a`}, []string{`C:\Windows\a\b`}},
		{windows, "~/.ssh/*", []string{`C:\Users\ann\.ssh\id`, `~\.ssh\id`, `..\.ssh\id`},
			[]string{`C:\Users\bob\.ssh\id`}},
		{windows, `\\server\share\**`, []string{`\\server\share\a\b`}, []string{`C:\share\a`}},
		{linux, "a*", []string{`a\b`, "x/a"}, []string{`x\a`}},
	} {
		p := parse(t, "@edit("+c.glob+")")
		for want, list := range map[fact.Truth][]string{fact.True: c.match, fact.False: c.not} {
			for _, path := range list {
				call := fact.Call{Tool: "Write", Class: fact.Edit, Paths: []string{path}, Told: true}
				if got := p.Match(&call, c.at); got != want {
					t.Errorf("%v in %q: %s is %v", p, c.at.Project, path, got)
				}
			}
		}
	}
}

// TestFilesOfCall: a call that names several files matches if one of them does; a path that no file can have
// matches nothing.
func TestFilesOfCall(t *testing.T) {
	t.Parallel()
	p := parse(t, "@read(*.go)")
	for want, lists := range map[fact.Truth][][]string{
		fact.True:  {{"a.md", "b.go"}, {"", "b.go"}},
		fact.False: {{"a.md", "b.js"}, {}, {""}, {strings.Repeat("a/", 3000) + "a.go"}},
	} {
		for _, paths := range lists {
			call := fact.Call{Tool: "Read", Class: fact.Read, Paths: paths, Told: true}
			if got := p.Match(&call, linux); got != want {
				t.Errorf("%.40q is %v", paths, got)
			}
		}
	}
}

// TestBadGlobs: a class of files takes no broken glob; a tool by name may be one of commands.
func TestBadGlobs(t *testing.T) {
	t.Parallel()
	for _, glob := range []string{"[a", "{a,b", "a}", "[]", `a\`, strings.Repeat("{a,b}", 7)} {
		if _, m := callpattern.Parse("@edit(" + glob + ")"); m == nil || m.Kind != callpattern.BadGlob {
			t.Errorf("@edit(%s): %v", glob, m)
		}
		p := parse(t, "X("+glob+")")
		call := fact.Call{Tool: "X", Class: fact.Shell, Command: "'" + glob + "'", Told: true}
		if p.Match(&call, linux) != fact.True {
			t.Errorf("%v does not match the command", p)
		}
		call = fact.Call{Tool: "X", Class: fact.Edit, Paths: []string{"a"}, Told: true}
		if p.Match(&call, linux) != fact.False {
			t.Errorf("%v matches the file a", p)
		}
	}
	if p := parse(t, "@edit("+strings.Repeat("{a,b}", 6)+")"); p.Match(&fact.Call{Class: fact.Edit, Told: true,
		Paths: []string{"ababba"}}, linux) != fact.True {
		t.Error("64 choices are not all tried")
	}
}
