package packages

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// manifest is a package.json. Its members keep their order.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	Repository  string            `json:"repository"`
	License     string            `json:"license"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Bin         map[string]string `json:"bin,omitempty"`
	Main        string            `json:"main,omitempty"`
	Optional    map[string]string `json:"optionalDependencies,omitempty"`
	Exclusive   bool              `json:"preferUnplugged,omitempty"`
}

func (n names) manifest(name, version string) manifest {
	return manifest{Name: name, Version: version, Description: n.Summary, Repository: n.Repository,
		License: "Apache-2.0"}
}

// npmName is the name of the package for a platform.
func (p platform) npmName(n names) string { return n.NPM.CLI + "-" + p.os + "-" + p.cpu }

// platformNPM writes the package that carries the programs of a platform.
func (n names) platformNPM(p platform, version string, carried []file, out string) error {
	m := n.manifest(p.npmName(n), version)
	m.OS, m.CPU, m.Exclusive = []string{p.os}, []string{p.cpu}, true
	all := []file{m.file()}
	for _, f := range carried {
		f.name = "bin/" + f.name
		all = append(all, f)
	}
	return tarball(m.Name, version, all, out)
}

// mainNPM writes the package that people name: it runs the program of the platform's package.
func (n names) mainNPM(version, out string) error {
	m := n.manifest(n.NPM.CLI, version)
	m.Bin, m.Main, m.Optional = map[string]string{"aside": "aside.js"}, "command.js", map[string]string{}
	for _, p := range platforms {
		m.Optional[p.npmName(n)] = version
	}
	scripts, err := tree(files, "npm", "")
	if err != nil {
		return err
	}
	return tarball(m.Name, version, append(scripts, m.file()), out)
}

// clientNPM writes the package of the client for TypeScript.
func (n names) clientNPM(root fs.FS, version, out string) error {
	all, err := tree(root, "cmd/aside/client/typescript", "")
	if err != nil {
		return err
	}
	for i, f := range all {
		if f.name != "package.json" {
			continue
		}
		var m map[string]json.RawMessage // within its members order counts: of exports the first that fits
		if err := json.Unmarshal(f.data, &m); err != nil {
			return err
		}
		for member, is := range map[string]string{"name": n.NPM.Client, "version": version,
			"repository": n.Repository} {
			if m[member], err = json.Marshal(is); err != nil {
				return err
			}
		}
		if all[i].data, err = json.MarshalIndent(m, "", "  "); err != nil {
			return err
		}
	}
	readme, err := fs.ReadFile(root, "cmd/internal/manual/clients.md")
	if err != nil {
		return err
	}
	return tarball(n.NPM.Client, version, append(all, file{"README.md", readme, false}), out)
}

func (m manifest) file() file {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		panic(err) // strings and lists
	}
	return file{"package.json", append(b, '\n'), false}
}

// tarball writes a package as npm pack does, without times and owners.
func tarball(name, version string, all []file, out string) error {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, f := range all {
		mode := int64(0o644)
		if f.run || f.name == "aside.js" {
			mode = 0o755
		}
		h := &tar.Header{Name: path.Join("package", f.name), Mode: mode, Size: int64(len(f.data)),
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := w.Write(f.data); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	file := strings.NewReplacer("@", "", "/", "-").Replace(name) + "-" + version + ".tgz"
	return os.WriteFile(filepath.Join(out, file), b.Bytes(), 0o644)
}
