package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/excerpt"
)

// format is the version of the archive's form.
const format = 1

// Limits of an archive.
const (
	maxArchive    = 16 << 20  // bytes as it is sent
	maxUnpacked   = 64 << 20  // bytes of all that is in it
	maxManifest   = 4 << 20   // bytes
	maxSignatures = 16 << 10  // bytes
	maxFile       = 256 << 10 // bytes of a rule file, as package load reads it
	maxFiles      = 20_000
)

// The names in an archive, in their order: the manifest, the signatures unless there are none, the rules, and
// in a roll-out the rules before them.
const (
	manifestName   = "manifest.json"
	signaturesName = "signatures.json"
	nextDir        = "rules/"
	baseDir        = "stable/"
)

// Manifest says what an archive holds. What it says is signed.
type Manifest struct {
	Format   int       `json:"format"`
	Name     string    `json:"name"`     // seeds the hash that shares runs out
	Revision int64     `json:"revision"` // grows with each bundle of this name, from 1
	Created  time.Time `json:"created"`  // for people; nothing is decided by it
	// from when on no node takes it up any more, and those that use it say so; zero: never
	Expires time.Time `json:"expires,omitzero"`
	// the share of runs that have the files below "rules/", 0 to 1; the others have those below "stable/"
	Rollout float64 `json:"rollout"`
	// a later revision that this one may take the place of, which was published by mistake; 0: none
	Replaces int64  `json:"replaces,omitzero"`
	Files    []File `json:"files"` // in byte order of their paths
}

// File is a file of an archive.
type File struct {
	Path   string `json:"path"`
	Size   int    `json:"size"`   // in bytes
	SHA256 string `json:"sha256"` // in hexadecimal
}

// Archive is a bundle. It is immutable.
type Archive struct {
	Manifest   Manifest
	signed     []byte // the manifest, as it is signed
	signatures []signature
	files      map[string][]byte // by File.Path
}

// newArchive returns an archive without signatures of rule files by their names; base is empty but for a
// roll-out. It sets Manifest.Format and Manifest.Files.
func newArchive(m Manifest, next, base map[string][]byte) (*Archive, error) {
	a := &Archive{files: map[string][]byte{}}
	m.Format, m.Created, m.Files = format, m.Created.UTC().Truncate(time.Second), nil
	if !m.Expires.IsZero() {
		m.Expires = m.Expires.UTC()
	}
	for _, part := range []struct {
		dir   string
		files map[string][]byte
	}{{nextDir, next}, {baseDir, base}} {
		for name, src := range part.files {
			f := File{Path: part.dir + name, Size: len(src), SHA256: sum(src)}
			m.Files = append(m.Files, f)
			a.files[f.Path] = src
		}
	}
	slices.SortFunc(m.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	var err error
	if a.signed, err = json.Marshal(m); err != nil {
		return nil, err
	}
	a.Manifest = m
	return a, m.check()
}

// check returns the first thing that a manifest may not say.
func (m *Manifest) check() error {
	switch {
	case m.Format != format:
		return fmt.Errorf("format %d: this version of aside reads format %d", m.Format, format)
	case !reminder.ValidID(m.Name):
		return fmt.Errorf("name %q: letters, digits, '.', '_' and '-'", clip(m.Name))
	case m.Revision < 1:
		return fmt.Errorf("revision %d: a revision is 1 or more", m.Revision)
	case !(m.Rollout >= 0 && m.Rollout <= 1):
		return fmt.Errorf("rollout %v: a share is 0%% to 100%%", m.Rollout)
	case m.Replaces != 0 && m.Replaces <= m.Revision:
		return fmt.Errorf("replaces %d: only a later revision than %d has to be named", m.Replaces, m.Revision)
	case len(m.Files) > maxFiles:
		return fmt.Errorf("%d files: at most %d", len(m.Files), maxFiles)
	}
	last := ""
	for _, f := range m.Files {
		dir, name, _ := strings.Cut(f.Path, "/")
		switch {
		case dir+"/" != nextDir && dir+"/" != baseDir || !plainName(name):
			return fmt.Errorf("file %q: not the name of a rule file", clip(f.Path))
		case f.Size < 0 || f.Size > maxFile:
			return fmt.Errorf("file %q: %d bytes, at most %d", f.Path, f.Size, maxFile)
		case f.Path <= last:
			return fmt.Errorf("file %q: out of order", f.Path)
		case m.Rollout == 1 && dir+"/" == baseDir:
			return fmt.Errorf("file %q: a bundle for all runs has no earlier rules", f.Path)
		}
		last = f.Path
	}
	return nil
}

// plainName reports whether name is that of a rule file, without any directory.
func plainName(name string) bool {
	return load.IsRuleFile(name) && len(name) <= 200 && !strings.ContainsFunc(name, func(r rune) bool {
		return r < ' ' || r == 0x7f || r == '/' || r == '\\' || r == ':' || r == 0xfffd
	}) && !strings.HasPrefix(name, ".")
}

// expired reports whether nobody should use the bundle any more.
func (m *Manifest) expired(now time.Time) bool { return !m.Expires.IsZero() && !now.Before(m.Expires) }

// Digest names the rules of a bundle, whatever its revision and its share: 16 hexadecimal digits.
func (a *Archive) Digest() string { return a.Manifest.digest(nextDir) }

// Base is the Digest of the rules before a roll-out; "" where there are none.
func (a *Archive) Base() string {
	if a.Manifest.Rollout == 1 {
		return ""
	}
	return a.Manifest.digest(baseDir)
}

func (m *Manifest) digest(dir string) string {
	d := sha256.New()
	for _, f := range m.Files {
		if name, ok := strings.CutPrefix(f.Path, dir); ok {
			fmt.Fprintf(d, "%s\x00%s\n", name, f.SHA256)
		}
	}
	return hex.EncodeToString(d.Sum(nil)[:8])
}

// in returns the files of a directory of the archive by their names.
func (a *Archive) in(dir string) map[string][]byte {
	files := map[string][]byte{}
	for path, src := range a.files {
		if name, ok := strings.CutPrefix(path, dir); ok {
			files[name] = src
		}
	}
	return files
}

// Encode returns the bytes of the archive: a tar.gz, the same for the same archive.
func (a *Archive) Encode() ([]byte, error) {
	var out bytes.Buffer
	zip, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(zip)
	put := func(name string, src []byte) {
		if err == nil {
			err = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(src)), Mode: 0o644,
				ModTime: a.Manifest.Created, Format: tar.FormatPAX})
		}
		if err == nil {
			_, err = w.Write(src)
		}
	}
	put(manifestName, a.signed)
	if len(a.signatures) > 0 {
		text, _ := json.Marshal(a.signatures) // strings can be encoded
		put(signaturesName, text)
	}
	for _, f := range a.Manifest.Files {
		put(f.Path, a.files[f.Path])
	}
	if err = errors.Join(err, w.Close(), zip.Close()); err == nil && out.Len() > maxArchive {
		err = fmt.Errorf("the bundle would be %d bytes, at most %d", out.Len(), maxArchive)
	}
	return out.Bytes(), err
}

// ErrTorn is the error for an archive that ends too early.
var ErrTorn = errors.New("the bundle is cut short")

// Read reads an archive, and checks that it is whole: each file is there as the manifest says, and nothing
// else. Who signed it is left to Verify. It never reads more than 64 MiB, whatever src unpacks to.
func Read(src []byte) (*Archive, error) {
	if len(src) > maxArchive {
		return nil, fmt.Errorf("the bundle is longer than %d bytes", maxArchive)
	}
	rest := bytes.NewReader(src)
	zip, err := gzip.NewReader(rest)
	if err != nil {
		return nil, torn(err, "not a bundle: no gzip")
	}
	zip.Multistream(false)
	r := &reader{bounded: &bounded{zip, maxUnpacked}}
	r.tar = tar.NewReader(r.bounded)
	a, err := r.archive()
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(io.Discard, r.bounded); err != nil { // to the checksum of all
		return nil, torn(err, "the bundle is damaged")
	}
	if rest.Len() > 0 {
		return nil, errors.New("something follows the bundle")
	}
	return a, nil
}

// reader reads the entries of an archive one by one.
type reader struct {
	*bounded
	tar *tar.Reader
}

func (r *reader) archive() (*Archive, error) {
	a := &Archive{files: map[string][]byte{}}
	name, src, err := r.next(maxManifest)
	switch {
	case err == io.EOF:
		return nil, ErrTorn
	case err != nil:
		return nil, err
	case name != manifestName:
		return nil, fmt.Errorf("not a bundle: it begins with %q, not with %s", clip(name), manifestName)
	}
	a.signed = src
	var version struct{ Format int }
	if json.Unmarshal(src, &version) == nil && version.Format > format {
		a.Manifest.Format = version.Format
		return nil, a.Manifest.check()
	}
	if err := json.Unmarshal(src, &a.Manifest); err != nil {
		return nil, fmt.Errorf("%s: %w", manifestName, err)
	}
	if again, err := json.Marshal(a.Manifest); err != nil || !bytes.Equal(again, src) {
		return nil, fmt.Errorf("%s: not as this format has it", manifestName)
	}
	if err := a.Manifest.check(); err != nil {
		return nil, err
	}
	name, src, err = r.next(maxFile)
	if err == nil && name == signaturesName {
		if len(src) > maxSignatures || json.Unmarshal(src, &a.signatures) != nil {
			return nil, fmt.Errorf("%s: not a list of signatures", signaturesName)
		}
		name, src, err = r.next(maxFile)
	}
	for _, f := range a.Manifest.Files {
		switch {
		case err == io.EOF:
			return nil, fmt.Errorf("file %q is missing", f.Path)
		case err != nil:
			return nil, err
		case name != f.Path:
			return nil, fmt.Errorf("file %q stands in the place of %q", clip(name), f.Path)
		case len(src) != f.Size || sum(src) != f.SHA256:
			return nil, fmt.Errorf("file %q is not the one that the manifest names", f.Path)
		}
		a.files[f.Path] = src
		name, src, err = r.next(maxFile)
	}
	if err == nil {
		return nil, fmt.Errorf("file %q is not in the manifest", clip(name))
	}
	if err != io.EOF {
		return nil, err
	}
	return a, nil
}

// next reads the next entry. After the last one the error is io.EOF.
func (r *reader) next(limit int64) (name string, src []byte, err error) {
	h, err := r.tar.Next()
	switch {
	case err == io.EOF:
		return "", nil, io.EOF
	case err != nil:
		return "", nil, torn(err, "the bundle is damaged")
	case h.Typeflag != tar.TypeReg:
		return "", nil, fmt.Errorf("%q is not a regular file", clip(h.Name))
	case h.Size > limit:
		return "", nil, fmt.Errorf("%q has %d bytes, at most %d", clip(h.Name), h.Size, limit)
	}
	src = make([]byte, h.Size)
	if _, err := io.ReadFull(r.tar, src); err != nil {
		return "", nil, torn(err, "the bundle is damaged")
	}
	return h.Name, src, nil
}

// errBomb is the error for an archive that unpacks to more than is read.
var errBomb = fmt.Errorf("the bundle unpacks to more than %d bytes", maxUnpacked)

// bounded reads at most left bytes.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errBomb
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// torn returns the error for what could not be unpacked.
func torn(err error, otherwise string) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		return ErrTorn
	case errors.Is(err, errBomb):
		return errBomb
	}
	return errors.New(otherwise)
}

// clip makes words of others fit for a message: short, and valid UTF-8 without control characters.
func clip(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(excerpt.Of(s, 100), "?"))
}
