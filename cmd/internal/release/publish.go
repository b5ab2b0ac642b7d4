package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	xmod "golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"
)

type proxyCmd struct {
	Dir     string `arg:"" help:"The directory of the proxy. Versions that it has stay."`
	Version string `arg:"" help:"Such as v1.2.3."`
}

// Run writes the proxy, and leaves the tree as it is.
func (c *proxyCmd) Run(t *tree) error {
	root, err := t.publishedCopy(c.Dir, c.Version)
	return errors.Join(err, os.RemoveAll(root))
}

type prepareCmd struct {
	Version string `arg:"" help:"Such as v1.2.3."`
}

// Run writes the version and prints the tags, in the order in which they are pushed: what a module requires
// is there before it.
func (c *prepareCmd) Run(t *tree) error {
	scratch, err := os.MkdirTemp("", "proxy")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	published, err := t.publish(scratch, c.Version)
	for _, m := range published {
		fmt.Println(m.tag(c.Version))
	}
	return err
}

// tag is the name of the git tag that publishes a version of the module.
func (m module) tag(version string) string { return m.file(version) }

// publishedCopy writes a version into a copy of the tree, and the proxy into dir. The caller removes the
// copy, also after an error.
func (t *tree) publishedCopy(dir, version string) (root string, err error) {
	if root, err = os.MkdirTemp("", "tree"); err != nil {
		return "", err
	}
	c, err := t.copied(root)
	if err == nil {
		_, err = c.publish(dir, version)
	}
	return root, err
}

// publish writes a version into the tree, and all modules but those of tests alone into dir, as a proxy has
// them. Each module then requires the others at that version and has their sums. Workspaces go first: the one
// at the top is a file of the module there. It returns the modules in the order of their tags.
func (t *tree) publish(dir, version string) (published []module, err error) {
	order, err := t.ordered()
	if err != nil {
		return nil, err
	}
	for _, name := range t.workspaces {
		if err := t.stampWorkspace(name, version); err != nil {
			return nil, err
		}
	}
	own := sums{}
	for _, m := range order {
		if err := t.stamp(m, version, own); err != nil {
			return nil, err
		}
		if m.tests {
			continue
		}
		if err := t.pack(m, version, dir, own); err != nil {
			return nil, err
		}
		published = append(published, m)
	}
	return published, nil
}

// stampWorkspace writes a version into the replacements of a workspace that name the version they replace.
func (t *tree) stampWorkspace(name, version string) error {
	work, err := t.workspace(name)
	if err != nil {
		return err
	}
	for _, r := range work.Replace {
		if t.owns(r.Old.Path) && r.Old.Version != "" { // in place: AddReplace would leave the block and its comment
			r.Syntax.Token[slices.Index(r.Syntax.Token, r.Old.Version)] = version
		}
	}
	return t.put(name, modfile.Format(work.Syntax))
}

// stamp writes a version into go.mod, and the sums of the modules of the tree, which have been packed, into
// go.sum.
func (t *tree) stamp(m module, version string, own sums) error {
	f, err := t.goMod(m)
	if err != nil {
		return err
	}
	sum, err := readSums(t.at(m.file("go.sum")))
	if err != nil {
		return err
	}
	for v := range sum {
		if t.owns(v.Path) {
			delete(sum, v)
		}
	}
	for _, r := range f.Require {
		if t.owns(r.Mod.Path) {
			_ = f.AddRequire(r.Mod.Path, version) // it never fails
			v := xmod.Version{Path: r.Mod.Path, Version: version}
			sum[v], sum[goModOf(v)] = own[v], own[goModOf(v)]
		}
		if xmod.IsZeroPseudoVersion(r.Mod.Version) {
			return fmt.Errorf("%s requires %s at a version that nobody has published", m.path, r.Mod)
		}
	}
	if len(f.Replace) > 0 {
		return fmt.Errorf("%s replaces %s, which holds for nobody else", m.path, f.Replace[0].Old)
	}
	return errors.Join(t.put(m.file("go.mod"), modfile.Format(f.Syntax)), t.put(m.file("go.sum"), sum.bytes()))
}

// pack writes the files that a proxy has of a module into dir, and adds its sums.
func (t *tree) pack(m module, version, dir string, own sums) error {
	v := xmod.Version{Path: m.path, Version: version}
	if err := xmod.Check(v.Path, v.Version); err != nil {
		return err
	}
	escaped, err := xmod.EscapePath(m.path)
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	at := filepath.Join(dir, version)
	mod, err := os.ReadFile(t.at(m.file("go.mod")))
	if err == nil {
		err = errors.Join(t.zip(m, v, at+".zip"), os.WriteFile(at+".mod", mod, 0o644),
			os.WriteFile(at+".info", fmt.Appendf(nil, "{\"Version\":%q}\n", version), 0o644))
	}
	if err != nil {
		return err
	}
	if own[v], err = dirhash.HashZip(at+".zip", dirhash.DefaultHash); err != nil {
		return err
	}
	own[goModOf(v)], err = dirhash.DefaultHash([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(mod)), nil
	})
	if err != nil {
		return err
	}
	infos, err := filepath.Glob(filepath.Join(dir, "*.info"))
	var list strings.Builder
	for _, info := range infos {
		fmt.Fprintln(&list, strings.TrimSuffix(filepath.Base(info), ".info"))
	}
	return errors.Join(err, os.WriteFile(filepath.Join(dir, "list"), []byte(list.String()), 0o644))
}

// zip writes the archive of a module, as the go command makes it of a tag: with the license of the repository
// where the module has none of its own.
func (t *tree) zip(m module, v xmod.Version, file string) error {
	var files []zip.File
	for _, name := range t.filesOf(m) {
		files = append(files, packed{strings.TrimPrefix(name, m.dir+"/"), t.at(name)})
	}
	if _, err := os.Stat(t.at(m.file("LICENSE"))); os.IsNotExist(err) {
		files = append(files, packed{"LICENSE", t.at("LICENSE")})
	}
	var b bytes.Buffer
	if err := zip.Create(&b, v, files); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// packed is a file of a module.
type packed struct{ name, at string }

func (p packed) Path() string                 { return p.name }
func (p packed) Lstat() (os.FileInfo, error)  { return os.Lstat(p.at) }
func (p packed) Open() (io.ReadCloser, error) { return os.Open(p.at) }
