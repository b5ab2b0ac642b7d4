package trust

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/checkout"
)

// Store is a directory with a person's approvals. It holds, for a project:
//
//	NAME.json       its record; NAME is made of its place
//	NAME.json.bad   the record that could not be read
//	NAME.texts      the approved texts, to show changes; no decision depends on them
//	lock            locked by whoever changes anything
//	.NAME*          a record that is being written, or a torn one of a killed process: swept at the next change
//
// Records are 0600, the directory is 0700. Readers take no lock: a record is replaced whole.
type Store struct {
	dir  string
	disk disk
}

// Open returns the store in a directory. The directory need not exist; the first Approve creates it.
func Open(dir string) *Store { return &Store{dir: filepath.Clean(dir), disk: osDisk{}} }

const (
	recordExt = ".json"
	textsExt  = ".texts"
	badExt    = ".bad"
	lockName  = "lock"

	maxRecord = 16 << 20 // bytes
)

// Config is the configuration file of a project, below it, which is trusted as rule files are.
const Config = ".aside/config.yaml"

// path is where the record of a project is, by its place: that in its repository, or its path without links.
func (s *Store) path(place string) string {
	h := sha256.Sum256([]byte(place))
	return filepath.Join(s.dir, hex.EncodeToString(h[:16])+recordExt)
}

// Covers implements load.Gate: it reports whether any file of src is trusted.
func (s *Store) Covers(src load.Source) bool {
	real, err := s.real(src.Project)
	if err != nil {
		return false
	}
	dir, err := below(src)
	if err != nil {
		return false
	}
	rec, err := s.record(real)
	return err == nil && slices.ContainsFunc(rec.Files, func(a approved) bool {
		return strings.HasPrefix(a.Name, dir+"/")
	})
}

// Approvals implements load.Gate: it returns the path of the project's record, which need not exist.
func (s *Store) Approvals(src load.Source) string {
	real, err := s.real(src.Project)
	if err != nil {
		return ""
	}
	return s.path(checkout.Place(real))
}

// Read implements load.Gate: it returns the rule files of src. The error of a file wraps ErrNew, ErrChanged
// or ErrRefused, or the mistake of the project's record: ErrCorrupt, ErrNewer or ErrUnsafe.
func (s *Store) Read(src load.Source) []load.File {
	dir, err := below(src)
	if err != nil {
		return []load.File{{Path: src.Path, Err: err}}
	}
	p, err := s.enter(src.Project)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return []load.File{{Path: src.Path, Err: plain(err)}}
	}
	defer p.Close()
	names, bad, err := p.list(dir)
	if err != nil {
		return []load.File{{Path: src.Path, Err: plain(err)}}
	}
	if len(bad) == 0 && len(names) == 0 {
		return nil
	}
	rec, broken := s.record(p.real)
	files := make([]load.File, len(names), len(names)+len(bad))
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		if _, is := errors.AsType[load.Unread](bad[name]); is {
			files = append(files, load.File{Path: filepath.Join(src.Path, name), Err: bad[name]})
		}
	}
	for i, name := range names {
		f := &files[i]
		f.Path = filepath.Join(src.Path, name)
		switch wanted := rec.find(dir + "/" + name); {
		case broken != nil:
			f.Err = broken
		case bad[name] != nil:
			f.Err = bad[name]
		case wanted == nil:
			f.Err = ErrNew
		default:
			var c *content
			if c, f.Err = p.read(dir+"/"+name, wanted); f.Err == nil {
				f.Src = c.src
			}
		}
	}
	return files
}

// ReadConfig returns the configuration file of a project, nil where it has none. Its errors are those of the
// files of Read.
func (s *Store) ReadConfig(dir string) ([]byte, error) {
	p, err := s.enter(dir)
	if err != nil {
		return nil, plain(err)
	}
	defer p.Close()
	if _, _, err := p.resolve(Config); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	rec, err := s.record(p.real)
	if err != nil {
		return nil, err
	}
	wanted := rec.find(Config)
	if wanted == nil {
		return nil, ErrNew
	}
	c, err := p.read(Config, wanted)
	if err != nil {
		return nil, err
	}
	return c.src, nil
}

// record reads the record of a project by its path, that of its place. What was approved of a linked worktree
// while it was a project of its own, by its path, counts for it as well. A project that nobody approved, and
// one whose record is wrong, has an empty record.
func (s *Store) record(real string) (*record, error) {
	place := checkout.Place(real)
	if err := s.outside(real); err != nil {
		return &record{Project: place}, err
	}
	r, err := s.recordOf(place)
	if err != nil || place == real {
		return r, err
	}
	if own, err := s.recordOf(real); err == nil {
		for _, a := range own.Files {
			r.put(a, func(approved) bool { return true })
		}
		if r.At.Before(own.At) {
			r.At = own.At
		}
	}
	return r, nil
}

// recordOf reads the record of a place.
func (s *Store) recordOf(place string) (*record, error) {
	none := &record{Project: place}
	if err := s.outside(filepath.Clean(place)); err != nil {
		return none, err
	}
	if err := s.mine(); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return none, nil
		}
		return none, err
	}
	r, err := readRecord(s.path(place))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return none, nil
	case err != nil:
		return none, err
	case r.Project != place:
		return none, fmt.Errorf("%w: %s is that of %q", ErrCorrupt, s.path(place), r.Project)
	}
	return r, nil
}

// outside holds that the store lies in no project that it speaks of.
func (s *Store) outside(real string) error {
	at, missing := s.dir, ""
	for {
		there, err := filepath.EvalSymlinks(at)
		if err == nil {
			at = filepath.Join(there, missing)
			break
		}
		up := filepath.Dir(at)
		if !errors.Is(err, fs.ErrNotExist) || up == at {
			return fmt.Errorf("%w: %w", ErrUnsafe, err)
		}
		at, missing = up, filepath.Join(filepath.Base(at), missing)
	}
	if _, ok := inside(at, real); ok {
		return fmt.Errorf("%w: %s lies inside the project", ErrUnsafe, s.dir)
	}
	return nil
}

// mine holds that the store's directory is the user's own, and nobody else can change it.
func (s *Store) mine() error {
	info, err := os.Lstat(s.dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%w: %s is %s, not a directory", ErrUnsafe, s.dir, kindOrLink(info.Mode()))
	case foreign(info) != "":
		return fmt.Errorf("%w: %s: %s", ErrUnsafe, s.dir, foreign(info))
	}
	return nil
}

func kindOrLink(m fs.FileMode) string {
	if m&fs.ModeSymlink != 0 {
		return "a link"
	}
	return kind(m)
}

// readRecord reads a record, if it is a file of the user's own that nobody else can change.
func readRecord(path string) (*record, error) {
	var b []byte
	for {
		found, err := os.Lstat(path)
		if err != nil {
			return nil, err
		}
		if err := own(path, found); err != nil {
			return nil, err
		}
		var same bool
		if b, same, err = readSame(path, found); err != nil {
			return nil, err
		}
		if same {
			break
		}
		// An approval has replaced it meanwhile.
	}
	r, err := decode(b)
	if err != nil {
		return nil, fmt.Errorf("%w (%s)", err, path)
	}
	return r, nil
}

// readSame reads the file at path, if it is still the file of found.
func readSame(path string, found fs.FileInfo) (b []byte, same bool, err error) {
	f, err := osDisk{}.open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !os.SameFile(found, info) {
		return nil, false, err
	}
	b, err = io.ReadAll(io.LimitReader(f, maxRecord))
	return b, true, err
}

func own(path string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return fmt.Errorf("%w: %s is %s, not a file", ErrUnsafe, path, kindOrLink(info.Mode()))
	case checkout.Links(info) > 1:
		return fmt.Errorf("%w: %s has %d hard links", ErrUnsafe, path, checkout.Links(info))
	case foreign(info) != "":
		return fmt.Errorf("%w: %s: %s", ErrUnsafe, path, foreign(info))
	case info.Size() >= maxRecord:
		return fmt.Errorf("%w: %s has %d bytes", ErrCorrupt, path, info.Size())
	}
	return nil
}

// Project says which files of a project are trusted.
type Project struct {
	Path  string    // without symbolic links; of a repository that of the main worktree, or the bare repository
	At    time.Time // when files were last approved
	Files []string  // their paths below Path, with slashes, sorted
}

// Projects returns the projects of which files are trusted, sorted by path. Records that cannot be used are
// left out, and joined in the error.
func (s *Store) Projects() ([]Project, error) {
	if err := s.mine(); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	var all []Project
	var wrong []error
	for _, e := range entries {
		if filepath.Ext(e.Name()) != recordExt {
			continue
		}
		path := filepath.Join(s.dir, e.Name())
		r, err := readRecord(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err == nil && s.path(r.Project) != path:
			err = fmt.Errorf("%w: %s is that of %q", ErrCorrupt, path, r.Project)
		}
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		p := Project{Path: filepath.Clean(r.Project), At: r.At}
		for _, a := range r.Files {
			p.Files = append(p.Files, a.Name)
		}
		p.Files = slices.Compact(p.Files)
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Project) int { return strings.Compare(a.Path, b.Path) })
	return all, errors.Join(wrong...)
}

// Mistakes of a record: nothing of its project is trusted then.
var (
	ErrCorrupt = errors.New("the trust record cannot be read")
	ErrNewer   = errors.New("the trust record was written by a newer version")
	ErrUnsafe  = errors.New("the trust record is not safe")
)

// Versions of records.
const (
	single  = 1 // each file has one text
	several = 2 // the checkouts of a repository have different texts of a file
)

// record holds the approved files of one project, in all checkouts of its repository.
type record struct {
	Version int        `json:"version"`
	Project string     `json:"project"` // its place
	At      time.Time  `json:"at"`      // of the last approval
	Files   []approved `json:"files"`   // by name, and of one name the latest approval last
}

// approved is one text of a file.
type approved struct {
	Name   string `json:"name"`           // below the project, with slashes
	Real   string `json:"real,omitempty"` // where it lies, if links lead there
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

func (a approved) place() string {
	if a.Real == "" {
		return a.Name
	}
	return a.Real
}

// find is the approved texts of a file, the latest approval last; nil if there is none.
func (r *record) find(name string) []approved {
	from := slices.IndexFunc(r.Files, func(a approved) bool { return a.Name == name })
	if from < 0 {
		return nil
	}
	n := slices.IndexFunc(r.Files[from:], func(a approved) bool { return a.Name != name })
	if n < 0 {
		n = len(r.Files) - from
	}
	return r.Files[from : from+n]
}

// sum is the SHA-256 of a file's bytes as records have it.
func sum(src []byte) string {
	h := sha256.Sum256(src)
	return hex.EncodeToString(h[:])
}

// put approves a in the place of the file's other texts, but for those that are held elsewhere.
func (r *record) put(a approved, held func(approved) bool) {
	r.drop(a.Name, func(b approved) bool { return a != b && held(b) })
	r.Files = append(r.Files, a)
	slices.SortStableFunc(r.Files, func(a, b approved) int { return strings.Compare(a.Name, b.Name) })
}

// drop forgets the texts of a file that are not held elsewhere.
func (r *record) drop(name string, held func(approved) bool) {
	r.Files = slices.DeleteFunc(r.Files, func(a approved) bool { return a.Name == name && !held(a) })
}

// encode writes a record in the oldest version that has room for it.
func (r *record) encode() ([]byte, error) {
	r.Version = single
	for i := range r.Files {
		if i > 0 && r.Files[i].Name == r.Files[i-1].Name {
			r.Version = several
		}
	}
	b, err := json.MarshalIndent(r, "", "\t")
	return append(b, '\n'), err
}

// decode reads a record, and takes nothing that encode does not write.
func decode(b []byte) (*record, error) {
	var head struct {
		Version int `json:"version"`
	}
	if json.Unmarshal(b, &head) == nil && head.Version > several {
		return nil, ErrNewer
	}
	r := new(record)
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrCorrupt, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("%w: something stands behind it", ErrCorrupt)
	}
	if r.Version < single || !filepath.IsAbs(r.Project) {
		return nil, fmt.Errorf("%w: version %d, project %q", ErrCorrupt, r.Version, r.Project)
	}
	seen := map[approved]bool{}
	for _, a := range r.Files {
		key := a
		if r.Version == single {
			key = approved{Name: a.Name}
		}
		h, err := hex.DecodeString(a.SHA256)
		if err != nil || len(h) != sha256.Size || seen[key] || !local(a.Name) || a.Real != "" &&
			!local(a.Real) || a.Size < 0 || a.Size > maxFile {
			return nil, fmt.Errorf("%w: file %q", ErrCorrupt, a.Name)
		}
		seen[key] = true
	}
	slices.SortStableFunc(r.Files, func(a, b approved) int { return strings.Compare(a.Name, b.Name) })
	return r, nil
}

// local reports whether a name with slashes lies below the project, and is written in one way only.
func local(name string) bool {
	return name != "" && name != "." && path.Clean(name) == name && !path.IsAbs(name) && name != ".." &&
		!strings.HasPrefix(name, "../")
}

// foreign says why something of the user's own may be somebody else's by its owner or its mode; "" if it is
// not. Modes mean nothing on Windows.
func foreign(info fs.FileInfo) string {
	switch {
	case checkout.Foreign(info):
		return "it belongs to somebody else"
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return "others can write to it"
	}
	return ""
}
