package bundle_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/ed25519"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/aside-go/aside/cmd/asided/internal/bundle"
)

// key returns a key by a number.
func key(n byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{n}, ed25519.SeedSize))
}

func public(keys ...ed25519.PrivateKey) (pubs []ed25519.PublicKey) {
	for _, k := range keys {
		pubs = append(pubs, k.Public().(ed25519.PublicKey))
	}
	return pubs
}

// rule returns a rule file.
func rule(id, text string) []byte {
	return []byte("---\nid: " + id + "\nwhen: turn_count >= 1\nmax_fires: 1\n---\n" + text + "\n")
}

func archive(t testing.TB, m bundle.Manifest, next, base map[string][]byte) *bundle.Archive {
	t.Helper()
	if m.Name == "" {
		m.Name = "team"
	}
	a, err := bundle.NewArchive(m, next, base)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func encode(t testing.TB, a *bundle.Archive) []byte {
	t.Helper()
	src, err := a.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// whole returns a signed archive with two rules, in the middle of a roll-out.
func whole(t testing.TB) *bundle.Archive {
	t.Helper()
	return archive(t, bundle.Manifest{Revision: 7, Rollout: 0.25, Created: time.Unix(1e9, 0)},
		map[string][]byte{"b.md": rule("b", "B"), "a.md": rule("a", "A")},
		map[string][]byte{"a.md": rule("a", "earlier")}).Sign(key(1))
}

func TestArchive(t *testing.T) {
	t.Parallel()
	a := whole(t)
	src := encode(t, a)
	if !bytes.Equal(src, encode(t, whole(t))) {
		t.Error("the same files make other bytes")
	}
	b, err := bundle.Read(src)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encode(t, b), src) || b.File("rules/a.md") != string(rule("a", "A")) ||
		b.File("stable/a.md") != string(rule("a", "earlier")) {
		t.Errorf("read as %+v", b.Manifest)
	}
	if id, err := b.Verify(public(key(2), key(1))); err != nil || id != bundle.KeyID(public(key(1))[0]) {
		t.Error(id, err)
	}
	if _, err := b.Verify(public(key(2))); !errors.Is(err, bundle.ErrUnsigned) {
		t.Error(err)
	}
	both := b.Sign(key(2))
	for n := range byte(2) {
		if _, err := both.Verify(public(key(n + 1))); err != nil {
			t.Error(err)
		}
	}
	all := archive(t, bundle.Manifest{Revision: 9, Rollout: 1}, map[string][]byte{"b.md": rule("b", "B"),
		"a.md": rule("a", "A")}, nil)
	if all.Digest() != a.Digest() || a.Base() == a.Digest() || all.Base() != "" {
		t.Error("the digest is not of the rules alone")
	}
}

// TestT9Torn: no beginning of an archive, and none with one byte changed, is taken for one of its signer.
func TestT9Torn(t *testing.T) {
	t.Parallel()
	src := encode(t, whole(t))
	want := whole(t)
	for n := range src {
		if _, err := bundle.Read(src[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are an archive", n, len(src))
		}
		other := bytes.Clone(src)
		other[n] ^= 0x20
		a, err := bundle.Read(other)
		if err != nil {
			continue
		}
		if _, err := a.Verify(public(key(1))); err != nil {
			continue
		}
		if !bytes.Equal(encode(t, a), encode(t, want)) { // a bit that says nothing, such as a time in a tar header
			t.Fatalf("byte %d changed is another archive of the same signer", n)
		}
	}
	if _, err := bundle.Read(src[:len(src)/2]); !errors.Is(err, bundle.ErrTorn) {
		t.Error(err)
	}
	if _, err := bundle.Read(append(bytes.Clone(src), src...)); err == nil {
		t.Error("two archives are one")
	}
}

// entry is one of a tar file; a link leads to what its text says.
type entry struct {
	name string
	kind byte
	text string
	size int64 // 0: that of text
}

func pack(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	w := tar.NewWriter(zip)
	for _, en := range entries {
		h := &tar.Header{Name: en.name, Typeflag: en.kind, Mode: 0o644, Size: int64(len(en.text))}
		if en.kind != tar.TypeReg {
			h.Size, h.Linkname = 0, en.text
		}
		h.Size = max(h.Size, en.size)
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if en.kind == tar.TypeReg {
			_, _ = io.WriteString(w, en.text)
			_, _ = io.CopyN(w, zeros{}, h.Size-int64(len(en.text)))
		}
	}
	_ = w.Close()
	_ = zip.Close()
	return out.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestT9Hostile: an archive cannot write elsewhere, hold more than it says, or cost more than it may.
func TestT9Hostile(t *testing.T) {
	t.Parallel()
	manifest := func(files string) entry {
		return entry{"manifest.json", tar.TypeReg, `{"format":1,"name":"team","revision":1,` +
			`"created":"2001-01-01T00:00:00Z","rollout":1,"files":[` + files + `]}`, 0}
	}
	file := func(path string) string {
		return `{"path":"` + path +
			`","size":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}`
	}
	good := file("rules/a.md")
	if _, err := bundle.Read(pack(t, manifest(good), entry{"rules/a.md", tar.TypeReg, "", 0})); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		entries []entry
		want    string
	}{
		"nothing":        {nil, "cut short"},
		"no manifest":    {[]entry{{"rules/a.md", tar.TypeReg, "", 0}}, "begins with"},
		"up":             {[]entry{manifest(file("rules/../a.md"))}, "not the name of a rule file"},
		"far up":         {[]entry{manifest(file("../../etc/cron.d/a.md"))}, "not the name of a rule file"},
		"absolute":       {[]entry{manifest(file("/etc/a.md"))}, "not the name of a rule file"},
		"deeper":         {[]entry{manifest(file("rules/x/a.md"))}, "not the name of a rule file"},
		"another root":   {[]entry{manifest(file("bin/a.md"))}, "not the name of a rule file"},
		"drive":          {[]entry{manifest(file("rules/c:a.md"))}, "not the name of a rule file"},
		"hidden":         {[]entry{manifest(file("rules/.a.md"))}, "not the name of a rule file"},
		"no rule file":   {[]entry{manifest(file("rules/a.sh"))}, "not the name of a rule file"},
		"twice":          {[]entry{manifest(good + "," + good)}, "out of order"},
		"stable for all": {[]entry{manifest(file("stable/a.md"))}, "no earlier rules"},
		"link": {[]entry{manifest(good), {"rules/a.md", tar.TypeSymlink, "/etc/passwd", 0}},
			"not a regular file"},
		"hard link": {[]entry{manifest(good), {"rules/a.md", tar.TypeLink, "manifest.json", 0}},
			"not a regular file"},
		"device":  {[]entry{manifest(good), {"rules/a.md", tar.TypeChar, "", 0}}, "not a regular file"},
		"missing": {[]entry{manifest(good)}, "is missing"},
		"another": {[]entry{manifest(good), {"rules/b.md", tar.TypeReg, "", 0}}, "in the place of"},
		"changed": {[]entry{manifest(good), {"rules/a.md", tar.TypeReg, "x", 0}}, "not the one"},
		"more": {[]entry{manifest(good), {"rules/a.md", tar.TypeReg, "", 0}, {"x.md", tar.TypeReg, "",
			0}}, "not in the manifest"},
		"large":           {[]entry{manifest(good), {"rules/a.md", tar.TypeReg, "", 300 << 10}}, "at most"},
		"bomb":            {[]entry{manifest(good), {"rules/a.md", tar.TypeReg, "", 66 << 20}}, "at most"},
		"large manifest":  {[]entry{{"manifest.json", tar.TypeReg, "", 5 << 20}}, "at most"},
		"a later version": {[]entry{{"manifest.json", tar.TypeReg, `{"format":2,"new":true}`, 0}}, "format 2"},
		"unknown member": {[]entry{{"manifest.json", tar.TypeReg, `{"format":1,"name":"t","extra":1}`, 0}},
			"not as this format"},
		"no JSON":        {[]entry{{"manifest.json", tar.TypeReg, `{`, 0}}, "manifest.json"},
		"bad signatures": {[]entry{manifest(good), {"signatures.json", tar.TypeReg, `{`, 0}}, "signatures"},
	} {
		if _, err := bundle.Read(pack(t, c.entries...)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	var out bytes.Buffer // behind the last entry, where tar has only zeros
	zip := gzip.NewWriter(&out)
	plain, _ := gzip.NewReader(bytes.NewReader(pack(t, manifest(good), entry{"rules/a.md", tar.TypeReg, "", 0})))
	_, _ = io.Copy(zip, plain)
	_, _ = io.CopyN(zip, zeros{}, 66<<20)
	_ = zip.Close()
	if _, err := bundle.Read(out.Bytes()); !errors.Is(err, bundle.ErrBomb) {
		t.Error(err)
	}
}

// FuzzRead holds what is read of a tar file to the laws: it is written as it was read, names nothing outside,
// and has the signature of its signer alone.
func FuzzRead(f *testing.F) {
	zip, err := gzip.NewReader(bytes.NewReader(encode(f, whole(f))))
	if err != nil {
		f.Fatal(err)
	}
	plain, err := io.ReadAll(zip)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(plain)
	f.Fuzz(func(t *testing.T, src []byte) {
		var packed bytes.Buffer
		zip, _ := gzip.NewWriterLevel(&packed, gzip.NoCompression)
		_, _ = zip.Write(src)
		_ = zip.Close()
		a, err := bundle.Read(packed.Bytes())
		if err != nil {
			return
		}
		again, err := bundle.Read(encode(t, a))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encode(t, again), encode(t, a)) {
			t.Error("what was read is not what is written")
		}
		for _, file := range a.Manifest.Files {
			if strings.Contains(file.Path, "..") || strings.Count(file.Path, "/") != 1 {
				t.Errorf("a file %q", file.Path)
			}
		}
		if _, err := a.Verify(public(key(1))); err == nil && a.Digest() != whole(t).Digest() {
			t.Error("other rules with the signature")
		}
	})
}
