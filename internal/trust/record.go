package trust

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What is wrong with a record: nothing of its project is trusted then.
var (
	ErrCorrupt = errors.New("the trust record cannot be read")
	ErrNewer   = errors.New("the trust record was written by a newer version")
	ErrUnsafe  = errors.New("the trust record is not safe")
)

// version is that of records.
const version = 1

// record is what is trusted of one project.
type record struct {
	Version int        `json:"version"`
	Project string     `json:"project"` // its path without links
	At      time.Time  `json:"at"`      // of the last approval
	Files   []approved `json:"files"`   // by name
}

// approved is one file.
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

// find is the approval of a file; nil if there is none.
func (r *record) find(name string) *approved {
	if i := slices.IndexFunc(r.Files, func(a approved) bool { return a.Name == name }); i >= 0 {
		return &r.Files[i]
	}
	return nil
}

// sum is the SHA-256 of a file's bytes as records have it.
func sum(src []byte) string {
	h := sha256.Sum256(src)
	return hex.EncodeToString(h[:])
}

// put puts a in the place of what was approved under its name.
func (r *record) put(a approved) {
	r.drop(a.Name)
	r.Files = append(r.Files, a)
	slices.SortFunc(r.Files, func(a, b approved) int { return strings.Compare(a.Name, b.Name) })
}

func (r *record) drop(name string) {
	r.Files = slices.DeleteFunc(r.Files, func(a approved) bool { return a.Name == name })
}

func (r *record) encode() ([]byte, error) {
	b, err := json.MarshalIndent(r, "", "\t")
	return append(b, '\n'), err
}

// decode reads a record, and takes nothing that encode does not write.
func decode(b []byte) (*record, error) {
	var head struct {
		Version int `json:"version"`
	}
	if json.Unmarshal(b, &head) == nil && head.Version > version {
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
	if r.Version != version || !filepath.IsAbs(r.Project) {
		return nil, fmt.Errorf("%w: version %d, project %q", ErrCorrupt, r.Version, r.Project)
	}
	seen := map[string]bool{}
	for _, a := range r.Files {
		h, err := hex.DecodeString(a.SHA256)
		if err != nil || len(h) != sha256.Size || seen[a.Name] || !local(a.Name) || a.Real != "" && !local(a.Real) || a.Size < 0 || a.Size > maxFile {
			return nil, fmt.Errorf("%w: file %q", ErrCorrupt, a.Name)
		}
		seen[a.Name] = true
	}
	return r, nil
}

// local reports whether a name with slashes lies below the project, and is written in one way only.
func local(name string) bool {
	return name != "" && name != "." && path.Clean(name) == name && !path.IsAbs(name) && name != ".." && !strings.HasPrefix(name, "../")
}
