package bundle

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/aside-go/aside/internal/atomicfile"
)

// The names of the files in NodeOptions.Dir: the bundle, and of which version the server said that it is. The
// second one is as old as the last answer that confirmed this.
const (
	keptName  = "last.tar.gz"
	aboutName = "last.json"
)

// about is the content of the file aboutName.
type about struct {
	ETag   string `json:"etag"`
	SHA256 string `json:"sha256"` // of the bundle beside it; for another one this says nothing
}

// kept returns the bundle that was kept, and for how long the server has not confirmed it; nil if there is
// none. The calendar of the machine tells the time: where it was put back meanwhile, it is 0.
func (n *Node) kept() (src []byte, etag string, age time.Duration, err error) {
	if n.opts.Dir == "" {
		return nil, "", 0, nil
	}
	src, err = readBytes(filepath.Join(n.opts.Dir, keptName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", 0, nil
	case err != nil:
		return nil, "", 0, err
	}
	var of about
	name := filepath.Join(n.opts.Dir, aboutName)
	text, err := os.ReadFile(name)
	if err == nil && json.Unmarshal(text, &of) == nil && of.SHA256 == sum(src) {
		etag = of.ETag
		if info, err := os.Stat(name); err == nil {
			age = max(n.opts.Now().Sub(info.ModTime()), 0)
		}
	}
	return src, etag, age, nil
}

// confirmed notes for the next start that the server has confirmed the bundle that is kept.
func (n *Node) confirmed() {
	if n.opts.Dir != "" {
		now := n.opts.Now()
		_ = os.Chtimes(filepath.Join(n.opts.Dir, aboutName), now, now) // keep tells where a file cannot be written
	}
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
