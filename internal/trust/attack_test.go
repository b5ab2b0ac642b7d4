//go:build unix

package trust_test

// This file is long because it is one table of attacks: each is read beside the others of its law.

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/aside-go/aside/internal/trust"
)

// attack is a way to put text before a model that nobody has approved, or to have a file opened that is none
// of the project's business. It is done when good.md and evil.md of a project are trusted, unless it is
// first.
type attack struct {
	law, name string
	first     func(w *world)                  // before anything is trusted
	do        func(w *world)                  // when everything is
	during    func(w *world, op, name string) // before each operation, until it says that it is done
	ask       func(w *world) string           // for which project; the trusted one
	// only the bytes can tell: evil.md is opened and read, and not used
	hashed bool
	// what was found is another file when it is opened: nothing of it is read
	raced bool
	why   string // part of why evil.md is not used; "" if nobody even knows of it
	// part of why something is not used, where nothing of the project is
	all     string
	at      string // where the evil lies, if not in evil.md
	lasting bool   // a person could not even approve it
	// makes a file as the attack needs it; nil: anybody can make one
	needs func(path string) error
}

// attacks returns those that this user can make.
func attacks(t *testing.T) []attack {
	t.Helper()
	all := slices.Concat(fileAttacks(), linkAttacks(), kindAttacks(), raceAttacks(), placeAttacks(),
		recordAttacks())
	dir := t.TempDir()
	return slices.DeleteFunc(all, func(a attack) bool {
		return a.needs != nil && a.needs(filepath.Join(dir, a.name)) != nil
	})
}

// device makes a device.
func device(path string) error { return syscall.Mknod(path, syscall.S_IFCHR|0o644, 1<<8|5) }

// somebodys makes a file of another user.
func somebodys(path string) error {
	return errors.Join(os.WriteFile(path, nil, 0o600), os.Chown(path, 12345, 12345))
}

// link makes evil.md a link.
func link(to string) func(*world) {
	return func(w *world) {
		w.evil(func(path string) error { return os.Symlink(strings.ReplaceAll(to, "PROJECT", w.project), path) })
	}
}

func fileAttacks() []attack {
	write := func(text string) func(*world) {
		return func(w *world) { w.put("work/"+dir+"/evil.md", text) }
	}
	return []attack{
		{law: "T1", name: "a file that is new in a trusted project", at: dir + "/evil2.md", why: "not trusted",
			do: func(w *world) { w.put("work/"+dir+"/evil2.md", "evil") }},
		{law: "T1", name: "a file in another directory of rules", at: ".claude/reminders/evil.md",
			why: "not trusted",
			do:  func(w *world) { w.put("work/.claude/reminders/evil.md", "harmless") }},
		{law: "T1", name: "an approved file under another name", at: dir + "/evil2.md", why: "not trusted",
			do: func(w *world) { w.try(os.Rename(w.in("evil.md"), w.in("evil2.md"))) }},
		{law: "T4", name: "one byte", hashed: true, why: "changed since it was trusted: its text",
			do: write("harmlesS")},
		{law: "T4", name: "a byte more", why: "changed since it was trusted: 8 bytes then, 9 now",
			do: write("harmless!")},
		{law: "T4", name: "nothing left", why: "changed since it was trusted: 8 bytes then, 0 now", do: write("")},
		{law: "T4", name: "one byte, and the old times", hashed: true, why: "changed since it was trusted",
			do: func(w *world) {
				info, err := os.Stat(w.in("evil.md"))
				w.try(err)
				write("harmlesS")(w)
				w.try(os.Chtimes(w.in("evil.md"), info.ModTime(), info.ModTime()))
			}},
		{law: "T4", name: "two files that change places", hashed: true, why: "changed since it was trusted",
			first: func(w *world) { w.put("work/"+dir+"/evil2.md", "HARMLESS") },
			do: func(w *world) {
				w.try(os.Rename(w.in("evil.md"), w.in("x")))
				w.try(os.Rename(w.in("evil2.md"), w.in("evil.md")))
				w.try(os.Rename(w.in("x"), w.in("evil2.md")))
			}},
		{law: "T1", name: "trust that was taken back", all: "not trusted", do: func(w *world) {
			if was, err := w.store.Revoke(w.project); !was || err != nil {
				w.t.Error(was, err)
			}
		}},
	}
}

func linkAttacks() []attack {
	const outside = "refused: it lies outside of the project"
	return []attack{
		{law: "T1", name: "a link out of the project", lasting: true, why: outside, do: link("/etc/passwd")},
		{law: "T1", name: "a link to a file beside the project", lasting: true, why: outside,
			do: link("../../../outside/secret.md")},
		{law: "T5", name: "a link to a place whose path begins as the project's does", lasting: true, why: outside,
			do: func(w *world) {
				w.put("work-evil/evil.md", "harmless")
				link("PROJECT-evil/evil.md")(w)
			}},
		{law: "T5", name: "a link into the project and out again", lasting: true, why: outside,
			do: link("PROJECT/../outside/secret.md")},
		{law: "T5", name: "a link up to the root of all files", lasting: true, why: outside,
			do: link(strings.Repeat("../", 60) + "etc/passwd")},
		{law: "T1", name: "a link to a link that leads out", lasting: true, why: outside, do: func(w *world) {
			w.try(os.Symlink("../outside", w.at("work/docs")))
			link("../../docs/secret.md")(w)
		}},
		{law: "T1", name: "a link to itself", lasting: true, why: "refused: more than 40 links",
			do: link("evil.md")},
		{law: "T1", name: "a link to nothing", lasting: true, why: "refused: there is no such file",
			do: link("nothing.md")},
		{law: "T1", name: "a link through a file", lasting: true,
			why: "refused: it cannot be read: not a directory", do: link("good.md/../good.md")},
		{law: "T4", name: "a link in the place of a file, to the same text",
			why: "changed since it was trusted: it is another file now", do: func(w *world) {
				w.put("work/docs/evil.txt", "harmless")
				link("../../docs/evil.txt")(w)
			}},
		{law: "T4", name: "a link whose target is another file with the same text",
			why: `changed since it was trusted: it is another file now, "docs/evil2.txt"`,
			first: func(w *world) {
				w.put("work/docs/evil.txt", "harmless")
				w.put("work/docs/evil2.txt", "harmless")
				link("../../docs/evil.txt")(w)
			},
			do: link("../../docs/evil2.txt")},
		{law: "T4", name: "a link whose target has changed",
			why: "changed since it was trusted: 8 bytes then, 4 now",
			first: func(w *world) {
				w.put("work/docs/evil.txt", "harmless")
				link("../../docs/evil.txt")(w)
			},
			do: func(w *world) { w.put("work/docs/evil.txt", "evil") }},
		{law: "T1", name: "a directory of rules that is a link out of the project", all: outside, lasting: true,
			at: dir, do: func(w *world) {
				w.try(os.Rename(w.at("work/.aside"), w.at("outside/aside")))
				w.try(os.Symlink("../outside/aside", w.at("work/.aside")))
			}},
		{law: "T4", name: "a directory of rules that is a link to another one",
			all: "changed since it was trusted: it is another file now", do: func(w *world) {
				w.try(os.Rename(w.at("work/"+dir), w.at("work/.aside/other")))
				w.try(os.Symlink("other", w.at("work/"+dir)))
			}},
	}
}

func kindAttacks() []attack {
	sparse := func(path string) error {
		f, err := os.Create(path)
		return errors.Join(err, f.Truncate(10<<30), f.Close())
	}
	return []attack{
		{law: "T1", name: "a hard link to a file outside", lasting: true, why: "refused: it has 2 hard links",
			do: func(w *world) {
				w.evil(func(path string) error { return os.Link(w.secret, path) })
			}},
		{law: "T1", name: "a second name for an approved file", lasting: true, why: "refused: it has 2 hard links",
			do: func(w *world) {
				w.try(os.Link(w.in("evil.md"), w.at("outside/evil.md")))
			}},
		{law: "T1", name: "a named pipe, at which a reader would wait for ever", lasting: true,
			why: "refused: it is a named pipe", do: func(w *world) {
				w.evil(func(path string) error { return syscall.Mkfifo(path, 0o644) })
			}},
		{law: "T1", name: "a link to a named pipe", lasting: true, why: "refused: it is a named pipe",
			do: func(w *world) {
				w.try(syscall.Mkfifo(w.at("work/evil.pipe"), 0o644))
				link("../../evil.pipe")(w)
			}},
		{law: "T1", name: "a device", lasting: true, why: "refused: it is a device", needs: device,
			do: func(w *world) { w.evil(device) }},
		{law: "T1", name: "a link to a device", lasting: true, why: "refused: it lies outside of the project",
			do: link("/dev/zero")},
		{law: "T1", name: "a socket", lasting: true, why: "refused: it is a socket", do: func(w *world) {
			w.evil(func(path string) error { return socket(path) })
		}},
		{law: "T1", name: "a directory by the name of a file", lasting: true, why: "refused: it is a directory",
			do: func(w *world) {
				w.evil(func(path string) error { return os.Mkdir(path, 0o755) })
			}},
		{law: "T1", name: "10 GB without a byte in it", lasting: true, why: "refused: it has 10737418240 bytes",
			do: func(w *world) { w.evil(sparse) }},
		{law: "T1", name: "a file in the place of the directory", all: "refused: it is a file, not a directory",
			lasting: true, at: dir, do: func(w *world) {
				w.try(os.RemoveAll(w.at("work/" + dir)))
				w.put("work/"+dir, "evil")
			}},
		{law: "T1", name: "more files than anybody can look at", all: "refused: it holds more than 10000 files",
			lasting: true, at: dir, do: func(w *world) {
				for i := range 10_000 {
					w.try(os.Link(w.secret, w.in(fmt.Sprintf("%d.txt", i))))
				}
			}},
		{law: "T4", name: "names that differ only in case", lasting: true,
			why: `refused: on some machines "EVIL.md" is the same file`,
			do:  func(w *world) { w.put("work/"+dir+"/EVIL.md", "evil") }},
		{law: "T4", name: "names that differ only in how an accent is written", lasting: true,
			at: dir + "/\u00e9vil.md", why: "is the same file", do: func(w *world) {
				w.put("work/"+dir+"/\u00e9vil.md", "evil")
				w.put("work/"+dir+"/e\u0301vil.md", "evil")
			}},
		{law: "T1", name: "a name that reads as another", lasting: true, at: dir + "/\u202eevil.md",
			why: "characters that cannot be seen",
			do:  func(w *world) { w.put("work/"+dir+"/\u202eevil.md", "evil") }},
		{law: "T1", name: "a name that is no text", lasting: true, at: dir + "/evil\xff.md",
			why: "characters that cannot be seen",
			do:  func(w *world) { w.put("work/"+dir+"/evil\xff.md", "evil") }},
	}
}

// socket makes a socket; its path would be too long for the system.
func socket(path string) error {
	short, err := os.MkdirTemp("", "s")
	if err != nil {
		return err
	}
	defer os.RemoveAll(short)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(short, "s"), Net: "unix"})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	return os.Rename(filepath.Join(short, "s"), path)
}

func raceAttacks() []attack {
	const evil = dir + "/evil.md"
	const moved = "refused: it changed while it was read"
	// swap puts what how makes in the place of evil.md just before an operation on it.
	swap := func(op string, how func(w *world, path string) error) func(*world, string, string) {
		return func(w *world, did, name string) {
			if did == op && name == evil {
				w.evil(func(path string) error { return how(w, path) })
			}
		}
	}
	return []attack{
		{law: "T2", name: "another file between the look and the opening", raced: true, why: moved,
			during: swap("Open", func(w *world, path string) error {
				return os.WriteFile(path, []byte("harmlesS"), 0o644)
			})},
		{law: "T2", name: "another file of the same times between the look and the opening", raced: true,
			why: moved, during: func(w *world, op, name string) {
				if op == "Open" && name == evil {
					w.put("work/evil2.md", "harmlesS")
					w.try(os.Chtimes(w.at("work/evil2.md"), when, when))
					w.try(os.Rename(w.at("work/evil2.md"), w.in("evil.md")))
				}
			}},
		{law: "T2", name: "a link out of the project between the look and the opening", raced: true,
			why: "refused: it cannot be read", during: swap("Open", func(w *world, path string) error {
				return os.Symlink(w.secret, path)
			})},
		{law: "T2", name: "a link to another file between the look and the opening", raced: true, why: moved,
			during: swap("Open", func(w *world, path string) error {
				return os.Symlink("good.md", path)
			})},
		{law: "T2", name: "a named pipe between the look and the opening", raced: true,
			why: "refused: it is a named pipe", during: swap("Open", func(w *world, path string) error {
				return syscall.Mkfifo(path, 0o644)
			})},
		{law: "T2", name: "a hard link between the look and the opening", raced: true,
			why: "refused: it has 2 hard links", during: func(w *world, op, name string) {
				if op == "Open" && name == evil {
					w.try(os.Link(w.in("evil.md"), w.at("outside/evil.md")))
				}
			}},
		{law: "T2", name: "the directory a link between the look and the opening", raced: true,
			all: "refused: it lies outside of the project", during: func(w *world, op, name string) {
				if op == "Open" && name == evil {
					w.try(os.Rename(w.at("work/.aside"), w.at("work/x")))
					w.put("outside/reminders/evil.md", "harmlesS")
					w.try(os.Symlink("../outside", w.at("work/.aside")))
				}
			}},
		{law: "T2", name: "another file while it is read", hashed: true, why: moved,
			during: swap("Read", func(w *world, path string) error {
				return os.WriteFile(path, []byte("harmlesS"), 0o644)
			})},
		{law: "T2", name: "another name while it is read", hashed: true, why: moved, during: func(w *world, op,
			name string) {
			if op == "Read" && name == evil {
				w.try(os.Rename(w.in("evil.md"), w.in("evil2.md")))
			}
		}},
		{law: "T2", name: "more bytes while it is read", hashed: true, why: "are allowed", during: func(w *world,
			op, name string) {
			if op == "Read" && name == evil {
				w.put("work/"+evil, "harmless"+strings.Repeat("!", 1<<20))
			}
		}},
		{law: "T2", name: "a byte changed in its place while it is read", hashed: true, why: moved,
			during: func(w *world, op, name string) {
				if op == "Read" && name == evil {
					w.put("work/"+evil, "harmlesS")
				}
			}},
		{law: "T2", name: "another project in its place while it is opened", all: "the directory was replaced",
			during: func(w *world, op, name string) {
				if op == "lstat" {
					w.try(os.Rename(w.project, w.at("old")))
					w.put("work/"+evil, "evil")
				}
			}},
		{law: "T2", name: "a link in the place of a parent while it is opened", all: "the directory was replaced",
			during: func(w *world, op, name string) {
				if op == "root" {
					w.try(os.Rename(w.at("parent"), w.at("old")))
					w.put("other/p/"+evil, "harmless")
					w.try(os.Symlink("other", w.at("parent")))
				}
			}, ask: ask("parent/p"), first: func(w *world) {
				w.put("parent/p/"+evil, "harmless")
				w.trust(w.at("parent/p"))
			}},
		{law: "T2", name: "a link to another project in its place while it is opened",
			all: "the directory was replaced", during: func(w *world, op, name string) {
				if op == "root" {
					w.try(os.Rename(w.project, w.at("old")))
					w.put("other/"+evil, "evil")
					w.try(os.Symlink("other", w.project))
				}
			}},
	}
}

// ask asks for a directory of the world, by a path that nobody has cleaned.
func ask(name string) func(*world) string {
	return func(w *world) string { return w.base + "/" + name }
}

func placeAttacks() []attack {
	copied := func(name string) func(*world) {
		return func(w *world) {
			w.put(name+"/"+dir+"/good.md", "good")
			w.put(name+"/"+dir+"/evil.md", "harmless")
		}
	}
	return []attack{
		{law: "T5", name: "a project whose path begins as a trusted one's does", do: copied("work-evil"),
			ask: ask("work-evil"), all: "not trusted"},
		{law: "T5", name: "a project whose path is the beginning of a trusted one's", do: copied("wor"),
			ask: ask("wor"), all: "not trusted"},
		{law: "T5", name: "a project below a trusted one", do: copied("work/sub"), ask: ask("work/sub"),
			all: "not trusted"},
		{law: "T5", name: "a project above a trusted one", ask: ask("above"), all: "not trusted",
			first: func(w *world) {
				copied("above/p")(w)
				w.trust(w.at("above/p"))
			},
			do: copied("above")},
		{law: "T5", name: "a project of the same name in other letters", do: copied("WORK"), ask: ask("WORK"),
			all: "not trusted"},
		{law: "T5", name: "a link that led to the trusted project, and leads elsewhere", ask: ask("link"),
			all:   "not trusted",
			first: func(w *world) { w.try(os.Symlink("work", w.at("link"))) },
			do: func(w *world) {
				copied("other")(w)
				w.try(os.Remove(w.at("link")))
				w.try(os.Symlink("other", w.at("link")))
			}},
		{law: "T5", name: ".. behind a link, which leads to where the link leads", all: "not trusted",
			ask: ask("work/link/../work"), do: func(w *world) {
				copied("other/work")(w)
				w.try(os.Mkdir(w.at("other/x"), 0o755))
				w.try(os.Symlink("../other/x", w.at("work/link")))
			}},
		{law: "T5", name: ".. behind a link, from where the process is", all: "not trusted", do: func(w *world) {
			copied("other/work")(w)
			w.try(os.Mkdir(w.at("other/x"), 0o755))
			w.try(os.Symlink("../other/x", w.at("work/link")))
		}, ask: func(w *world) string {
			here, err := os.Getwd()
			w.try(err)
			here, err = filepath.EvalSymlinks(here)
			w.try(err)
			rel, err := filepath.Rel(here, w.base)
			w.try(err)
			return rel + "/work/link/../work"
		}},
		{law: "T4", name: "the project under another name", ask: ask("moved"), all: "not trusted",
			do: func(w *world) { w.try(os.Rename(w.project, w.at("moved"))) }},
		{law: "T4", name: "a parent under another name", ask: ask("parent2/p"), all: "not trusted",
			first: func(w *world) {
				copied("parent/p")(w)
				w.trust(w.at("parent/p"))
			},
			do: func(w *world) { w.try(os.Rename(w.at("parent"), w.at("parent2"))) }},
		{law: "T4", name: "another project in its place", hashed: true, why: "changed since it was trusted",
			do: func(w *world) {
				w.try(os.Rename(w.project, w.at("old")))
				copied("work")(w)
				w.put("work/"+dir+"/evil.md", "harmlesS")
			}},
		{law: "T5", name: "a path that is no text, of which the record would be that of another",
			ask: ask("work\xff"), all: "is not UTF-8",
			first: func(w *world) {
				copied("work\ufffd")(w)
				w.trust(w.at("work\ufffd"))
			},
			do: copied("work\xff")},
	}
}

// recordAttacks are on what is remembered.
func recordAttacks() []attack {
	record := func(w *world) string { return w.store.Path(w.project) }
	edit := func(change func(w *world, rec map[string]any)) func(*world) {
		return func(w *world) {
			b, err := os.ReadFile(record(w))
			w.try(err)
			rec := map[string]any{}
			w.try(json.Unmarshal(b, &rec))
			change(w, rec)
			b, err = json.Marshal(rec)
			w.try(err)
			w.try(os.WriteFile(record(w), b, 0o600))
		}
	}
	write := func(text string) func(*world) {
		return func(w *world) { w.try(os.WriteFile(record(w), []byte(text), 0o600)) }
	}
	replaced := func(how func(w *world, path, old string) error) func(*world) {
		return func(w *world) {
			w.try(os.Rename(record(w), w.at("old.json")))
			w.try(how(w, record(w), w.at("old.json")))
		}
	}
	return []attack{
		{law: "T3", name: "a project that brings a record of its own", at: dir + "/evil2.md", why: "not trusted",
			do: func(w *world) {
				w.put("work/"+dir+"/evil2.md", "evil")
				other := trust.Open(w.at("other/trust"))
				r, err := other.Review(w.project)
				w.try(err)
				w.try(other.Approve(r, when))
				for _, name := range []string{".aside/trust", ".aside", ".local/state/aside/trust", dir} {
					w.try(os.MkdirAll(w.at("work/"+name), 0o700))
					w.try(os.CopyFS(w.at("work/"+name), os.DirFS(w.at("other/trust"))))
				}
			}},
		{law: "T3", name: "a store that lies inside the project", all: "lies inside the project",
			do: func(w *world) {
				w.try(os.Rename(w.at("state"), w.at("work/.state")))
				*w.store = *trust.Open(w.at("work/.state/aside/trust"))
			}},
		{law: "T3", name: "a store that a link leads into the project", all: "lies inside the project",
			do: func(w *world) {
				w.try(os.Rename(w.at("state"), w.at("work/.state")))
				w.try(os.Symlink("work/.state", w.at("state")))
			}},
		{law: "T3", name: "a store that is a link", all: "is a link, not a directory", do: func(w *world) {
			w.try(os.Rename(w.state, w.at("elsewhere")))
			w.try(os.Symlink(w.at("elsewhere"), w.state))
		}},
		{law: "T3", name: "a store that others can write to", all: "others can write to it",
			do: func(w *world) { w.try(os.Chmod(w.state, 0o777)) }},
		{law: "T3", name: "a record that others can write to", all: "others can write to it",
			do: func(w *world) { w.try(os.Chmod(record(w), 0o666)) }},
		{law: "T3", name: "a record that the group can write to", all: "others can write to it",
			do: func(w *world) { w.try(os.Chmod(record(w), 0o620)) }},
		{law: "T3", name: "a record of somebody else", all: "it belongs to somebody else", needs: somebodys,
			do: func(w *world) { w.try(os.Chown(record(w), 12345, 12345)) }},
		{law: "T3", name: "a record that is a link", all: "is a link, not a file",
			do: replaced(func(w *world, path, old string) error { return os.Symlink(old, path) })},
		{law: "T3", name: "a record that has another name", all: "has 2 hard links",
			do: replaced(func(w *world, path, old string) error { return os.Link(old, path) })},
		{law: "T3", name: "a record that is a named pipe", all: "is a named pipe",
			do: replaced(func(w *world, path, old string) error { return syscall.Mkfifo(path, 0o600) })},
		{law: "T3", name: "a record that is a directory", all: "is a directory",
			do: replaced(func(w *world, path, old string) error { return os.Mkdir(path, 0o700) })},
		{law: "T3", name: "a record of 10 GB", all: "has 10737418240 bytes",
			do: func(w *world) { w.try(os.Truncate(record(w), 10<<30)) }},
		{law: "T5", name: "the record of another project in the place of this one's", all: `is that of`,
			do: func(w *world) {
				w.put("other/"+dir+"/evil.md", "harmless")
				w.trust(w.at("other"))
				w.try(os.Rename(w.store.Path(w.at("other")), record(w)))
			}},
		{law: "T3", name: "an empty record", all: "cannot be read", do: write("")},
		{law: "T3", name: "half a record", all: "cannot be read",
			do: func(w *world) { w.try(os.Truncate(record(w), 100)) }},
		{law: "T3", name: "a record that is no object", all: "cannot be read", do: write("null")},
		{law: "T3", name: "a record of an older version", all: "cannot be read",
			do: edit(func(_ *world, rec map[string]any) { rec["version"] = 0 })},
		{law: "T3", name: "a record of a newer version", all: "written by a newer version",
			do: edit(func(_ *world, rec map[string]any) { rec["version"] = 3; rec["everything"] = true })},
		{law: "T3", name: "a record with a key that is not known", all: "cannot be read",
			do: edit(func(_ *world, rec map[string]any) { rec["everything"] = true })},
		{law: "T3", name: "two records in one", all: "something stands behind it", do: func(w *world) {
			b, err := os.ReadFile(record(w))
			w.try(err)
			write(string(b) + string(b))(w)
		}},
		{law: "T3", name: "a record with a name that leads out", all: "cannot be read",
			do: edit(func(_ *world, rec map[string]any) {
				rec["files"].([]any)[0].(map[string]any)["name"] = dir + "/../../../outside/secret.md"
			})},
		{law: "T3", name: "a record with a place that leads out", all: "cannot be read",
			do: edit(func(_ *world, rec map[string]any) {
				rec["files"].([]any)[0].(map[string]any)["real"] = "../outside/secret.md"
			})},
		{law: "T3", name: "a record with a file twice", all: "cannot be read",
			do: edit(func(_ *world, rec map[string]any) {
				rec["files"] = append(rec["files"].([]any), rec["files"].([]any)[0])
			})},
		{law: "T3", name: "a record with half a sum", all: "cannot be read",
			do: edit(func(_ *world, rec map[string]any) {
				rec["files"].([]any)[0].(map[string]any)["sha256"] = "00"
			})},
	}
}

// TestAttacks does each attack, and asks as a host would. What must not be used is not, the reason is told,
// the file is not opened (where only its bytes can tell: not used; where it is swapped on the way: not read),
// and the other file of the project goes on.
func TestAttacks(t *testing.T) {
	t.Parallel()
	for _, a := range attacks(t) {
		t.Run(a.law+" "+a.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			project := a.prepare(w)
			var mu sync.Mutex
			var opened, read []string
			done := false
			seen := w.store.Seen(func(op, name string) {
				mu.Lock()
				defer mu.Unlock()
				switch op {
				case "Open":
					opened = append(opened, name)
				case "Read":
					read = append(read, name)
				}
				if a.during != nil && !done {
					before := w.mark()
					a.during(w, op, name)
					done = w.mark() != before
				}
			})
			texts, why := loaded(seen, project)
			if a.during != nil && !done {
				t.Fatal("nothing was done")
			}
			a.verify(t, texts, why)
			isEvil := func(name string) bool {
				return a.all != "" || name != dir+"/good.md" && (name != dir+"/evil.md" || a.at == "")
			}
			if !a.hashed && !a.raced && slices.ContainsFunc(opened, isEvil) {
				t.Errorf("opened: %q", opened)
			}
			if !a.hashed && slices.ContainsFunc(read, isEvil) {
				t.Errorf("read: %q", read)
			}
			if a.hashed && !slices.ContainsFunc(read, isEvil) {
				t.Error("the test says that only the bytes can tell, but they were not read")
			}
			if a.lasting {
				a.refusedToPeople(t, w)
			}
		})
	}
}

// prepare does the attack, and says for which project to ask.
func (a *attack) prepare(w *world) string {
	w.t.Helper()
	if a.first != nil {
		a.first(w)
	}
	w.trust(w.project)
	texts, why := loaded(w.store, w.project)
	if texts["good"] != "good" || texts["evil"] != "harmless" || len(why) > 0 {
		w.t.Fatalf("before: %q %q", texts, why)
	}
	if a.do != nil {
		a.do(w)
	}
	if a.ask != nil {
		return a.ask(w)
	}
	return w.project
}

// mark changes when something is made, moved or written in the world.
func (w *world) mark() string {
	var b strings.Builder
	for _, p := range []string{"", "parent", "work", "work/.aside", "work/" + dir, "work/" + dir +
		"/evil.md", "outside"} {
		if info, err := os.Lstat(w.at(p)); err == nil {
			st := info.Sys().(*syscall.Stat_t)
			fmt.Fprint(&b, st.Ino, info.ModTime(), st.Nlink, " ")
		}
	}
	return b.String()
}

// verify holds what a host got against what it may get.
func (a *attack) verify(t *testing.T, texts, why map[string]string) {
	t.Helper()
	want := map[string]string{}
	at := a.at
	switch {
	case a.all != "":
		told := false
		for _, because := range why {
			told = told || strings.Contains(because, a.all)
		}
		if !told {
			t.Errorf("told %q", why)
		}
	case at == "":
		want["good"] = "good"
		at = dir + "/evil.md"
	default:
		want["good"], want["evil"] = "good", "harmless"
		if strings.Contains(a.name, "another name") {
			delete(want, "evil")
		}
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}
	if a.all == "" && (why[at] == "" || !strings.Contains(why[at], a.why)) {
		t.Errorf("told %q", why)
	}
}

// refusedToPeople holds that Review does not open it either, and that approving all there is does not approve
// it.
func (a *attack) refusedToPeople(t *testing.T, w *world) {
	t.Helper()
	at := a.at
	if at == "" {
		at = dir + "/evil.md"
	}
	r, err := w.store.Seen(func(op, name string) {
		if op == "Open" && name != dir+"/good.md" && name != dir+"/evil.md" && name != dir+"/evil2.md" {
			t.Errorf("a review opened %q", name)
		}
	}).Review(w.project)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(r.Files, func(f trust.File) bool { return f.Name == at })
	if i < 0 || r.Files[i].Status != trust.Refused || r.Files[i].Src != nil || !errors.Is(r.Files[i].Why,
		trust.ErrRefused) {
		t.Fatalf("a review shows %v", r.Files)
	}
	if err := w.store.Approve(r, when); err != nil {
		t.Fatal(err)
	}
	texts, why := loaded(w.store, w.project)
	a.verify(t, texts, why)
}
