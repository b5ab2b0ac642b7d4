package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
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

	project string  // the directory of the project that it belongs to; "": the user's own
	in      *folder // the open directory of a file of the user's own
	regular bool    // the directory lists it as a regular file
	refused error   // why it is not used; nothing of it is known then
}

// read reads the files of all sources, lowest precedence first. before are those that were read before.
func read(sources []Source, opts Options, before lastGood) []file {
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
			var in *folder
			if found, in = list(s); in != nil {
				defer in.close()
			}
			if s.Keep && !slices.ContainsFunc(found, func(f file) bool { return f.ds == nil || f.path == f.dir }) {
				found = append(before.gone(s), found...)
			}
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
		case f.project != "":
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
	var panicked atomic.Pointer[any]
	var wg sync.WaitGroup
	for first := range workers {
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil { // the caller, who may handle it, gets the panic
					panicked.CompareAndSwap(nil, &p)
				}
			}()
			for i := first; i < n; i += workers {
				do(i)
			}
		})
	}
	wg.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
}

// list returns the rule files of a source, in name order, and the open directory that they lie in. A source
// that does not exist has none.
func list(s Source) ([]file, *folder) {
	path := s.Path
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		return single(s)
	}
	var in *folder
	if err == nil {
		in, err = openFolder(path, s.Below)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && !dangling(path), errors.Is(err, syscall.ENOTDIR):
		return nil, nil
	case err != nil:
		return []file{{path: path, dir: path, ds: Trouble(path, err)}}, nil
	}
	entries, err := in.entries()
	files := make([]file, 0, len(entries))
	if err != nil {
		files = append(files, file{path: path, dir: path, ds: Trouble(path, err)})
	}
	for _, e := range entries {
		f := file{path: filepath.Join(path, e.Name()), dir: path, in: in, regular: e.Type().IsRegular()}
		if directory := e.IsDir() || e.Type()&fs.ModeSymlink != 0 && in.isDirectory(e.Name()); directory ||
			!IsRuleFile(e.Name()) {
			why := UnreadEntry(e.Name(), directory)
			if why == "" || !rulesDirectory(path) {
				continue
			}
			f.ds = unread(f.path, why)
		}
		files = append(files, f)
	}
	return files, in
}

// single returns the one file that a source is.
func single(s Source) ([]file, *folder) {
	f := file{path: s.Path, dir: filepath.Dir(s.Path)}
	if _, ds := document.Read(s.Path, nil); len(ds) == 1 && ds[0].Code == code.NotRuleFile {
		f.ds = ds // its bytes are nobody's business
		return []file{f}, nil
	}
	var err error
	if f.in, err = openFolder(f.dir, s.Below); err != nil {
		f.ds = Trouble(s.Path, err)
	}
	return []file{f}, f.in
}

// dangling reports whether path is a symbolic link to nothing.
func dangling(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Files reads the rule files of a source, in the order of their names and each once, whosever they are: a
// caller asks a Gate first. It leaves out those that cannot be read.
func Files(s Source) (all []File) {
	files, in := list(s)
	if in != nil {
		defer in.close()
	}
	for i := range files {
		f := &files[i]
		if f.ds == nil {
			own(f, func(*file) {})
		}
		if f.src != nil {
			all = append(all, File{Path: f.path, Src: f.src})
		}
	}
	return all
}

// own reads a file of the user's own.
func own(f *file, parse func(*file)) {
	name := filepath.Base(f.path)
	var src []byte
	var err error
	if f.regular {
		src, err = readOnce(f.in.dir, name, maxFile)
	} else {
		src, err = f.in.read(name, maxFile)
	}
	if err == nil {
		f.src = src
		parse(f)
		return
	}
	f.ds = Trouble(f.path, err)
	_, err = os.Lstat(f.path)
	f.removed = errors.Is(err, fs.ErrNotExist)
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

// Trouble says why a file or directory is not read: err, without the path that it repeats.
func Trouble(path string, err error) grammar.Diagnostics {
	d := grammar.Diagnostic{Code: code.UnreadableFile, File: path, Hint: "make it readable"}
	if k, is := errors.AsType[*kindError](err); is {
		d.Code, d.Message, d.Hint = code.NotRegularFile, k.Error(), "remove it from the directory"
		return grammar.Diagnostics{d}
	}
	if s, is := errors.AsType[*sizeError](err); is {
		d.Code, d.Hint = code.LargeFile, "split the file, or shorten the text"
		d.Message = fmt.Sprintf("the file has %d bytes, and %d are allowed", s.size, maxFile)
		return grammar.Diagnostics{d}
	}
	if pe, is := errors.AsType[*fs.PathError](err); is {
		err = pe.Err
	}
	d.Message = "cannot be read: " + strings.TrimPrefix(err.Error(), "EvalSymlinks: ")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.Hint = "remove the link, or restore what it points to"
	case errors.Is(err, ErrOutside), strings.Contains(err.Error(),
		"escapes"): // package os exports no error for it
		d.Code, d.Message = code.LinkOutside, "not read: a link leads out of the directory that was named"
		d.Hint = "put a copy in its place, or name the file that it leads to"
	case errors.Is(err, errSpecial):
		d.Code, d.Message, d.Hint = code.LinkOutside, "not read: "+errSpecial.Error(), "put a copy in its place"
	}
	return grammar.Diagnostics{d}
}
