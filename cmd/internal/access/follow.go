package access

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"
)

// maxFile is how long a file of tokens may be, in bytes.
const maxFile = 1 << 20

// settle is how long Follow waits after a change before it reads: an editor's save is several changes.
const settle = 100 * time.Millisecond

// Load reads the tokens of a file.
func Load(file string) ([]Token, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return read(file, b)
}

func read(file string, b []byte) ([]Token, error) {
	if len(b) > maxFile {
		return nil, fmt.Errorf("%s: longer than %d bytes", file, maxFile)
	}
	tokens, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return tokens, nil
}

// Follow puts the tokens of a file into use whenever the file changes, and for each value from again, until
// ctx ends. A file with a mistake in it changes nothing, and is logged.
//
// It watches the directory: editors and orchestrators replace a file, or a link on the way to it.
func (g *Guard) Follow(ctx context.Context, file string, again <-chan struct{}, log *slog.Logger) {
	var changed chan fsnotify.Event
	var lost chan error
	w, err := fsnotify.NewWatcher()
	if err == nil {
		defer w.Close()
		changed, lost = w.Events, w.Errors
		err = w.Add(filepath.Dir(file))
	}
	if err != nil {
		log.Warn("tokens are not watched", "why", err.Error())
	}
	var last []byte
	for {
		b, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(b, last) {
			g.use(file, b, err, log)
		}
		last = b
		select {
		case <-ctx.Done():
			return
		case <-again:
			last = nil
			continue
		case <-changed:
		case <-lost:
		}
		for due := time.After(settle); due != nil; {
			select {
			case <-ctx.Done():
				return
			case <-due:
				due = nil
			case <-changed:
			}
		}
	}
}

// use puts the tokens of a file's bytes into use.
func (g *Guard) use(file string, b []byte, err error, log *slog.Logger) {
	var tokens []Token
	if err == nil {
		tokens, err = read(file, b)
	}
	if err != nil {
		log.Error("tokens could not be read, those before stay in use", "why", err.Error())
		return
	}
	g.tokens.Store(&tokens)
	log.Info("tokens read", "tokens", len(tokens))
}
