package access

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/aside-go/aside/compile/load"
)

// maxFile is how long a file of tokens may be, in bytes.
const maxFile = 1 << 20

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
// ctx ends. A file that is not there, or has a mistake in it, changes nothing, and is logged once; Fault says
// so until it is mended.
//
// It watches the directory: editors and orchestrators replace a file, or a link on the way to it.
func (g *Guard) Follow(ctx context.Context, file string, again <-chan struct{}, log *slog.Logger) {
	var mu sync.Mutex // guards last
	var last []byte
	look := func(anew bool) {
		mu.Lock()
		defer mu.Unlock()
		b, err := os.ReadFile(file)
		if anew || err != nil || g.Fault() != "" || !bytes.Equal(b, last) {
			g.use(file, b, err, log)
		}
		last = b
	}
	look(false) // also where nothing can be watched
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		err := load.Follow(ctx, nil, nil, func(watch func(path string)) ([]string, func()) {
			watch(filepath.Dir(file))
			return nil, func() { look(false) }
		})
		if ctx.Err() == nil {
			log.Warn("tokens are not watched", "why", err.Error())
		}
	})
	for {
		select {
		case <-ctx.Done():
			return
		case <-again:
			look(true)
		}
	}
}

// Fault says why the tokens of the file that Follow reads are not in use, "" where they are.
func (g *Guard) Fault() string {
	if why := g.fault.Load(); why != nil {
		return *why
	}
	return ""
}

// use puts the tokens of a file's bytes into use.
func (g *Guard) use(file string, b []byte, err error, log *slog.Logger) {
	var tokens []Token
	if err == nil {
		tokens, err = read(file, b)
	}
	if err != nil {
		why := err.Error()
		if was := g.fault.Swap(&why); was == nil || *was != why {
			log.Error("tokens could not be read, those before stay in use", "why", why)
		}
		return
	}
	g.fault.Store(nil)
	g.tokens.Store(&tokens)
	log.Info("tokens read", "tokens", len(tokens))
}
