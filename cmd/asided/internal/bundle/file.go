package bundle

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/program"
	"github.com/aside-go/aside/cmd/internal/rules"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile/load"
	"github.com/aside-go/aside/internal/atomicfile"
)

// BuildCmd is "asided bundle build".
type BuildCmd struct {
	Dir      string           `arg:"" help:"The directory with the rule files; directories in it are not looked at, rule tests stay out."`
	Out      string           `short:"o" placeholder:"FILE" help:"Where to write the bundle; by default NAME-REVISION.tar.gz."`
	Name     string           `placeholder:"NAME" help:"The bundle's name, which stays the same; by default that of the directory."`
	Revision int64            `placeholder:"N" help:"A number that grows with each bundle. Nodes refuse an earlier one."`
	Rollout  string           `placeholder:"SHARE" help:"The share of runs that have these rules, such as 10%; the others have those of --base."`
	Base     string           `placeholder:"FILE" help:"With --rollout: the bundle that all runs had before."`
	Expires  string           `placeholder:"DATE" help:"From when on no process takes it up, and those that use it count as stale; by default never."`
	Replaces int64            `placeholder:"N" help:"A later revision, published by mistake, that this bundle takes the place of."`
	Var      program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Run makes a bundle of the rule files in a directory, unless one of them has an error.
func (o *BuildCmd) Run(e *command.Env) error {
	m := Manifest{Name: o.Name, Revision: o.Revision, Rollout: 1, Replaces: o.Replaces}
	if m.Name == "" {
		at, err := command.Directory(o.Dir)
		if err != nil {
			return err
		}
		m.Name = filepath.Base(at)
	}
	if o.Revision < 1 {
		return command.Usage("--revision: a number that grows with each bundle, such as $(git rev-list " +
			"--count HEAD)")
	}
	var err error
	if m.Rollout, err = share(o.Rollout); err != nil {
		return err
	}
	if (m.Rollout < 1) != (o.Base != "") {
		return command.Usage("--rollout and --base go together: the other runs keep the rules of the bundle " +
			"that --base names")
	}
	if m.Expires, err = moment(o.Expires); err != nil {
		return err
	}
	base := map[string][]byte{}
	if o.Base != "" {
		before, err := readFile(o.Base)
		switch {
		case err != nil:
			return err
		case before.Manifest.Rollout < 1:
			return command.No("%s: is itself rolled out to %s of the runs; --base is the bundle that all runs had",
				e.Short(o.Base), percent(before.Manifest.Rollout))
		case before.Manifest.Name != m.Name:
			return command.No("%s: is the bundle %q, and this one is %q", e.Short(o.Base),
				before.Manifest.Name, m.Name)
		case before.Manifest.Revision >= m.Revision:
			return command.No("%s: has revision %d, so this one takes a later one than %d", e.Short(o.Base),
				before.Manifest.Revision, m.Revision)
		}
		base = before.in(nextDir)
	}
	next, created, err := ruleFiles(e, o)
	if err != nil {
		return err
	}
	if m.Created = created; m.expired(created) {
		return command.Usage("--expires %s: the newest file is of a later time, %s", o.Expires,
			created.UTC().Format(time.RFC3339))
	}
	a, err := newArchive(m, next, base)
	if err != nil {
		return command.Usage("%w", err)
	}
	out := cmp.Or(o.Out, fmt.Sprintf("%s-%d.tar.gz", m.Name, m.Revision))
	if err := writeFile(out, a); err != nil {
		return err
	}
	e.Note("aside: %s holds %s", e.Short(out), a.title())
	return nil
}

// moment reads a day, which begins at midnight in UTC, or a time.
func moment(s string) (t time.Time, err error) {
	if s == "" {
		return t, nil
	}
	if t, err = time.Parse(time.DateOnly, s); err != nil {
		t, err = time.Parse(time.RFC3339, s)
	}
	if err != nil {
		return t, command.Usage("--expires %s: a day such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z", s)
	}
	return t, nil
}

// ruleFiles returns the rule files of a directory by name, and the newest of their times. It prints their
// diagnostics.
func ruleFiles(e *command.Env, o *BuildCmd) (files map[string][]byte, newest time.Time, err error) {
	if fi, err := os.Stat(o.Dir); err != nil || !fi.IsDir() {
		if err == nil {
			err = command.Usage("%s is not a directory: a bundle is made of the rule files in one", e.Short(o.Dir))
		}
		return nil, newest, err
	}
	schema, err := rules.Schema(e, o.Var)
	if err != nil {
		return nil, newest, err
	}
	sources, err := rules.Named(e, []string{o.Dir})
	if err != nil {
		return nil, newest, err
	}
	var opts load.Options
	opts.Schema = schema
	r := &rules.Loaded{Result: load.Load(sources, opts)}
	if r.Complain(e) {
		return nil, newest, command.No("no bundle is made of rules with errors")
	}
	files = map[string][]byte{}
	for path, src := range r.Files {
		if slices.Contains(r.Tests, path) {
			continue
		}
		files[filepath.Base(path)] = src
		if fi, err := os.Stat(path); err == nil && fi.ModTime().After(newest) {
			newest = fi.ModTime()
		}
	}
	if len(files) == 0 {
		return nil, newest, command.No("%s holds no rule file", e.Short(o.Dir))
	}
	if epoch, err := strconv.ParseInt(os.Getenv("SOURCE_DATE_EPOCH"), 10, 64); err == nil {
		newest = time.Unix(epoch, 0)
	}
	return files, newest, nil
}

// share parses a share of runs.
func share(s string) (float64, error) {
	if s == "" {
		return 1, nil
	}
	digits, percents := strings.CutSuffix(s, "%")
	f, err := strconv.ParseFloat(digits, 64)
	if percents {
		f /= 100
	}
	if err != nil || !(f >= 0 && f <= 1) || !percents && f == 1 && s == "1" {
		return 0, command.Usage("--rollout %q: a share of runs such as 10%%", s)
	}
	return f, nil
}

func percent(share float64) string { return strconv.FormatFloat(share*100, 'g', 6, 64) + "%" }

// title says in a line what an archive holds.
func (a *Archive) title() string {
	m := &a.Manifest
	s := fmt.Sprintf("%s revision %d, digest %s, %s", m.Name, m.Revision, a.Digest(),
		terminal.Count(len(a.in(nextDir)), "file"))
	if m.Rollout < 1 {
		s += fmt.Sprintf("; for %s of the runs, digest %s for the others", percent(m.Rollout), a.Base())
	}
	if !m.Expires.IsZero() {
		s += ", expires " + m.Expires.Format(time.RFC3339)
	}
	return s
}

func readFile(path string) (*Archive, error) {
	src, err := readBytes(path)
	if err != nil {
		return nil, err
	}
	a, err := Read(src)
	if err != nil {
		return nil, command.No("%s: %w", path, err)
	}
	return a, nil
}

// readBytes reads a file, of one that is too long as much as shows it.
func readBytes(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxArchive+1))
}

func writeFile(path string, a *Archive) error {
	src, err := a.Encode()
	if err != nil {
		return command.No("%w", err)
	}
	return atomicfile.Write(path, src, 0o644)
}

// KeygenCmd is "asided bundle keygen".
type KeygenCmd struct {
	Name string `arg:"" help:"The files are NAME.key and NAME.pub."`
}

// Run writes a new key: NAME.key, which signs, and NAME.pub, by which nodes check. It overwrites nothing.
func (c *KeygenCmd) Run(e *command.Env) error {
	private, public, id, err := newKey()
	if err != nil {
		return err
	}
	for _, f := range []struct {
		path string
		src  []byte
		mode fs.FileMode
	}{{c.Name + ".key", private, 0o600}, {c.Name + ".pub", public, 0o644}} {
		file, err := os.OpenFile(f.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.mode)
		if errors.Is(err, fs.ErrExist) {
			return command.No("%s is there already, and stays", e.Short(f.path))
		}
		if err != nil {
			return err
		}
		_, err = file.Write(f.src)
		if err = errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	e.Note("aside: key %s: keep %s secret, and give %s to each node", id, e.Short(c.Name+".key"),
		e.Short(c.Name+".pub"))
	return nil
}

// SignCmd is "asided bundle sign".
type SignCmd struct {
	File string `arg:"" help:"The bundle, which is rewritten. Signatures of other keys stay."`
	Key  string `required:"" placeholder:"FILE" help:"The private key, in PEM."`
}

// Run signs the bundle in a file.
func (c *SignCmd) Run(e *command.Env) error {
	key, err := privateKey(c.Key)
	if err != nil {
		return keyError(err)
	}
	a, err := readFile(c.File)
	if err != nil {
		return err
	}
	a = a.Sign(key)
	if err := writeFile(c.File, a); err != nil {
		return err
	}
	e.Note("aside: %s is signed by %s", e.Short(c.File), a.signers())
	return nil
}

func (a *Archive) signers() string {
	var ids []string
	for _, s := range a.signatures {
		ids = append(ids, clip(s.Key))
	}
	return strings.Join(ids, ", ")
}

// keyError gives an error about a key file the exit code of a wrong argument, unless the machine failed.
func keyError(err error) error {
	if errors.As(err, new(*fs.PathError)) {
		return err
	}
	return command.Usage("%w", err)
}

// VerifyCmd is "asided bundle verify".
type VerifyCmd struct {
	File string           `arg:"" help:"The bundle."`
	Pub  []string         `required:"" sep:"none" placeholder:"FILE" help:"A public key, in PEM. Repeatable: one of them must have signed."`
	Var  program.VarFlags `sep:"none" placeholder:"NAME:TYPE[:KIND]" help:"Declare a fact vars.NAME that the rules may read. Repeatable."`
}

// Run checks a bundle as a node does.
func (c *VerifyCmd) Run(e *command.Env) error {
	keys, err := PublicKeys(c.Pub...)
	if err != nil {
		return keyError(err)
	}
	schema, err := rules.Schema(e, c.Var)
	if err != nil {
		return err
	}
	a, err := readFile(c.File)
	if err != nil {
		return err
	}
	id, err := a.Verify(keys)
	if err != nil {
		return command.No("%s: %w", e.Short(c.File), err)
	}
	var opts load.Options
	opts.Schema = schema
	r, err := a.Compile(opts)
	rules.Render(e, e.Err, r.Diagnostics(), r.Sources(), false)
	if err != nil {
		return command.No("%s: no node uses rules with errors", e.Short(c.File))
	}
	fmt.Fprintf(e.Out, "%s: %s; created %s, signed by %s\n", e.Short(c.File), a.title(),
		a.Manifest.Created.Format(time.RFC3339), id)
	return nil
}

// PushCmd is "asided bundle push".
type PushCmd struct {
	File      string `arg:"" help:"The bundle, signed."`
	URL       string `arg:"" help:"Its address on a server that takes PUT."`
	TokenFile string `placeholder:"FILE" help:"The bearer token for the server; by default that of ASIDE_BUNDLE_TOKEN."`
}

// Run puts the bundle in a file in the place of the one that a server has, if that is an earlier one.
func (c *PushCmd) Run(ctx context.Context, e *command.Env) error {
	path, s := c.File, Server{URL: c.URL, TokenFile: c.TokenFile}
	if err := s.check(); err != nil {
		return err
	}
	a, err := readFile(path)
	if err != nil {
		return err
	}
	if len(a.signatures) == 0 {
		return command.No("%s is not signed, so no node would use it: asided bundle sign %s --key FILE",
			e.Short(path),
			path)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	header := map[string]string{"Content-Type": "application/gzip"}
	there, etag, err := s.fetch(ctx, "")
	var none *statusError
	switch {
	case errors.As(err, &none) && none.status == http.StatusNotFound:
		header["If-None-Match"] = "*"
	case err != nil:
		return err
	default:
		before, err := Read(there)
		if err != nil {
			return command.No("the server has something there that is not a bundle (%w): remove it first", err)
		}
		if bytes.Equal(before.signed, a.signed) {
			e.Note("aside: the server has %s already", a.title())
			return nil
		}
		if err := a.Manifest.follows(&before.Manifest); err != nil {
			return command.No("the nodes would refuse it: %w", err)
		}
		header["If-Match"] = etag
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	res, err := s.do(ctx, http.MethodPut, bytes.NewReader(src), header)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusPreconditionFailed:
		return command.No("somebody else has pushed meanwhile: look at what is there, and push again")
	case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden:
		return command.No("the server answers %d: give its token in %s or --token-file", res.StatusCode, TokenVar)
	case res.StatusCode == http.StatusMethodNotAllowed || res.StatusCode == http.StatusNotImplemented:
		return command.No("the server answers %d: it takes no PUT; copy the file to where it reads it",
			res.StatusCode)
	case res.StatusCode/100 != 2:
		return &statusError{res.StatusCode}
	}
	e.Note("aside: pushed %s", a.title())
	return nil
}
