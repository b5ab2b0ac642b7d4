package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/aside-go/aside/internal/atomicfile"
)

// The names of the files in NodeOptions.Dir: the bundle, and of which version the server said that it is.
const (
	keptName  = "last.tar.gz"
	aboutName = "last.json"
)

// about is the content of the file aboutName.
type about struct {
	ETag   string `json:"etag"`
	SHA256 string `json:"sha256"` // of the bundle beside it; for another one this says nothing
}

// kept returns the bundle that was kept; nil if there is none.
func (n *Node) kept() (src []byte, etag string, err error) {
	if n.opts.Dir == "" {
		return nil, etag, nil
	}
	f, err := os.Open(filepath.Join(n.opts.Dir, keptName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, etag, nil
	}
	if err != nil {
		return nil, etag, err
	}
	defer f.Close()
	if src, err = io.ReadAll(io.LimitReader(f, maxArchive+1)); err != nil {
		return nil, etag, err
	}
	var of about
	text, err := os.ReadFile(filepath.Join(n.opts.Dir, aboutName))
	if err == nil && json.Unmarshal(text, &of) == nil && of.SHA256 == sum(src) {
		etag = of.ETag
	}
	return src, etag, nil
}

// keep keeps a bundle for the next start.
func (n *Node) keep(src []byte, etag string) {
	if n.opts.Dir == "" {
		return
	}
	text, _ := json.Marshal(about{etag, sum(src)}) // strings can be encoded
	err := os.MkdirAll(n.opts.Dir, 0o700)
	if err == nil {
		err = atomicfile.Write(filepath.Join(n.opts.Dir, keptName), src, 0o600)
	}
	if err == nil {
		err = atomicfile.Write(filepath.Join(n.opts.Dir, aboutName), text, 0o600)
	}
	if err != nil {
		n.log.Warn("the bundle cannot be kept: after a restart there are no rules until the server answers", "why",
			err.Error())
	}
}

func sum(src []byte) string {
	s := sha256.Sum256(src)
	return hex.EncodeToString(s[:])
}
