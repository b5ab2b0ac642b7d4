package load

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/document"
)

const (
	maxFile      = 256 << 10
	maxReminders = 10_000
)

// file is a rule file that was read.
type file struct {
	path      string
	dir       string // reminders of one directory may not share an id
	src       []byte // nil if it could not be read
	reminders []compile.Source
	ds        grammar.Diagnostics
	test      bool // a rule test, which has no reminders
	gone      bool // its directory could not be read: this is its last version
	removed   bool // it was listed, and is not there any more

	project bool  // it is somebody else's
	refused error // why it is not used; nothing of it is known then
}

// read reads the files of all sources, lowest precedence first.
func read(sources []Source, opts Options) []file {
	var files []file
	seen := make(map[string]bool)
	for _, s := range sources {
		if s.Path == "" {
			continue
		}
		s.Path = filepath.Clean(s.Path)
		var found []file
		if s.Project != "" {
			found = through(opts.Trusted, s)
		} else {
			found = list(s.Path)
		}
		files = slices.Grow(files, len(found))
		for _, f := range found {
			if !seen[f.path] {
				seen[f.path] = f.refused == nil
				files = append(files, f)
			}
		}
	}
	parse := opts.parser()
	inParallel(len(files), func(i int) {
		f := &files[i]
		if f.refused != nil {
			return
		}
		switch {
		case f.ds != nil:
		case f.project:
			parse(f)
		default:
			own(f, parse)
		}
	})
	return slices.DeleteFunc(files, func(f file) bool { return f.removed })
}

// inParallel calls do for each number below n, on all processors if there are many.
func inParallel(n int, do func(int)) {
	const few = 32
	workers := min(runtime.GOMAXPROCS(0), n/few)
	if workers < 2 {
		for i := range n {
			do(i)
		}
		return
	}
	var next atomic.Int64
	var panicked atomic.Pointer[any]
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil { // the caller, who may handle it, gets the panic
					panicked.CompareAndSwap(nil, &p)
				}
			}()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	wg.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
}

// list returns the rule files of a source, in name order. A source that does not exist has none.
func list(path string) []file {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !dangling(path), errors.Is(err, syscall.ENOTDIR):
		return nil
	case err != nil:
		return []file{{path: path, dir: path, ds: trouble(path, code.UnreadableFile, err)}}
	case !info.IsDir():
		return []file{{path: path, dir: filepath.Dir(path)}}
	}
	entries, err := os.ReadDir(path)
	files := make([]file, 0, len(entries))
	if err != nil {
		files = append(files, file{path: path, dir: path, ds: trouble(path, code.UnreadableFile, err)})
	}
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		if !IsRuleFile(name) || e.IsDir() || e.Type()&fs.ModeSymlink != 0 && isDirectory(name) {
			continue
		}
		files = append(files, file{path: name, dir: path})
	}
	return files
}

// dangling reports whether path is a symbolic link to nothing.
func dangling(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// own reads a file of the user's own.
func own(f *file, parse func(*file)) {
	if f.src, f.ds = readOwn(f.path); f.ds == nil {
		parse(f)
		return
	}
	_, err := os.Lstat(f.path)
	f.removed = errors.Is(err, fs.ErrNotExist)
}

func readOwn(path string) ([]byte, grammar.Diagnostics) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, trouble(path, code.UnreadableFile, err)
	}
	if ds := refuse(path, info); ds != nil {
		return nil, ds
	}
	return readFile(path)
}

// parser returns the function that parses a file whose bytes were read.
func (o *Options) parser() func(*file) {
	read := o.Read
	if read == nil {
		read = document.Read
	}
	return func(f *file) {
		f.reminders, f.ds = read(f.path, f.src)
		if f.test = document.IsTest(f.path, f.src, f.ds); f.test {
			f.reminders, f.ds = nil, nil
		}
	}
}

// readFile reads a regular file once. Anything else is refused before it is opened, and again after, since
// names move.
func readFile(path string) ([]byte, grammar.Diagnostics) {
	f, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, trouble(path, code.UnreadableFile, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, trouble(path, code.UnreadableFile, err)
	}
	if ds := refuse(path, info); ds != nil {
		return nil, ds
	}
	src := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(src[len(src):cap(src)])
		src = src[:len(src)+n]
		switch {
		case len(src) > maxFile:
			return nil, tooBig(path, int64(len(src)))
		case err == io.EOF:
			return src, nil
		case err != nil:
			return nil, trouble(path, code.UnreadableFile, err)
		case len(src) == cap(src):
			src = append(src, 0)[:len(src)]
		}
	}
}

func refuse(path string, info fs.FileInfo) grammar.Diagnostics {
	switch {
	case !info.Mode().IsRegular():
		return grammar.Diagnostics{{Code: code.NotRegularFile, File: path, Message: fmt.Sprintf(
			"not a regular file but %s",
			kind(info.Mode())), Hint: "remove it from the directory"}}
	case info.Size() > maxFile:
		return tooBig(path, info.Size())
	}
	return nil
}

func tooBig(path string, size int64) grammar.Diagnostics {
	return grammar.Diagnostics{{Code: code.LargeFile, File: path,
		Message: fmt.Sprintf("the file has %d bytes, and %d are allowed", size,
			maxFile), Hint: "split the file, or shorten the text"}}
}

func kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	case m.IsDir():
		return "a directory"
	}
	return "something else"
}

// trouble is err, which the machine gave, without the path that it repeats.
func trouble(path string, id grammar.Code, err error) grammar.Diagnostics {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	hint := "make it readable"
	if errors.Is(err, fs.ErrNotExist) {
		hint = "remove the link, or restore what it points to"
	}
	return grammar.Diagnostics{{Code: id, File: path, Message: "cannot be read: " + err.Error(), Hint: hint}}
}
