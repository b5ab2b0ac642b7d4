package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/atomicfile"
	"github.com/aside-go/aside/internal/firing"
)

// PullCmd is "asided bundle pull".
type PullCmd struct {
	URL       string           `arg:"" help:"The address of the bundle."`
	To        string           `required:"" placeholder:"DIR" help:"The directory for the rule files, which belongs to this command: what is not in the bundle is removed."`
	Key       []string         `required:"" sep:"none" placeholder:"FILE" help:"A public key, in PEM. Repeatable: one of them must have signed."`
	TokenFile string           `placeholder:"FILE" help:"The bearer token for the server; by default that of ASIDE_BUNDLE_TOKEN."`
	Var       program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// recordDir is where the last good bundle is kept, below the directory of its files.
const recordDir = ".bundle"

// Run brings the rule files of a server's bundle into a directory. In a roll-out the machine's name decides
// which.
func (o *PullCmd) Run(ctx context.Context, e *command.Env) error {
	schema, err := rules.Schema(e, o.Var)
	if err != nil {
		return err
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	d := &directory{path: o.To, host: host}
	var opts load.Options
	opts.Schema = schema
	dir := filepath.Join(o.To, recordDir)
	n, err := NewNode(NodeOptions{Server: Server{URL: o.URL, TokenFile: o.TokenFile}, Keys: o.Key, Load: opts,
		Dir: dir, Accept: d.accept, Use: d.use,
		Log: slog.New(slog.NewTextHandler(e.Err, &slog.HandlerOptions{Level: slog.LevelError}))})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := atomicfile.Check(filepath.Join(dir, keptName)); err != nil {
		return err
	}
	if before, err := readFile(filepath.Join(dir, keptName)); err == nil {
		d.mine = d.files(before)
	}
	n.Restore()
	n.Check(ctx)
	if err := errors.Join(d.err, n.failed); err != nil {
		code := command.ExitNo
		if errors.As(err, new(*awayError)) || d.err != nil {
			code = command.ExitMachine
		}
		more := e.Short(o.To) + " stays as it is"
		if n.rules != nil {
			more = fmt.Sprintf("%s keeps %s", e.Short(o.To), n.rules.title())
		}
		return &command.Error{Code: code, Err: err, More: []string{more}}
	}
	e.Note("aside: %s holds %s", e.Short(o.To), n.rules.title())
	return nil
}

// directory is where Pull writes.
type directory struct {
	path string
	host string
	mine map[string][]byte // the files that an earlier pull has written
	err  error
}

// files returns the files of the rules that this machine has.
func (d *directory) files(a *Archive) map[string][]byte {
	if firing.Fraction(d.host, a.Manifest.Name) >= a.Manifest.Rollout {
		return a.in(baseDir)
	}
	return a.in(nextDir)
}

// accept refuses rules that would replace a file that no pull has written.
func (d *directory) accept(r *Rules) error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return err
	}
	files := d.files(r.Archive)
	for _, en := range entries {
		if _, mine := d.mine[en.Name()]; mine || !load.IsRuleFile(en.Name()) {
			continue
		}
		here, err := os.ReadFile(filepath.Join(d.path, en.Name()))
		if src, ok := files[en.Name()]; err != nil || !ok || !bytes.Equal(here, src) {
			return fmt.Errorf("%s is not a file of a bundle: --to takes a directory of its own",
				filepath.Join(d.path, en.Name()))
		}
	}
	return nil
}

// use writes the files, and removes those of an earlier pull that are gone.
func (d *directory) use(r *Rules) {
	files := d.files(r.Archive)
	d.err = nil
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(d.path, name)
		if here, err := os.ReadFile(path); err == nil && bytes.Equal(here, files[name]) {
			continue
		}
		d.err = errors.Join(d.err, atomicfile.Write(path, files[name], 0o644))
	}
	for name := range d.mine {
		if _, still := files[name]; !still {
			if err := os.Remove(filepath.Join(d.path, name)); !errors.Is(err, fs.ErrNotExist) {
				d.err = errors.Join(d.err, err)
			}
		}
	}
	d.mine = files
}
