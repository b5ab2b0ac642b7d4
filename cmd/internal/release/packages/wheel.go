package packages

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// module is the name of a distribution in Python and in the names of files.
func module(distribution string) string { return strings.ReplaceAll(distribution, "-", "_") }

// platformWheel writes the wheel that carries the programs of a platform, as scripts.
func (n names) platformWheel(p platform, version string, carried []file, out string) error {
	name := module(n.PyPI.CLI)
	all, err := tree(files, "pypi", name)
	if err != nil {
		return err
	}
	for _, f := range carried {
		f.name = name + "-" + version + ".data/scripts/" + f.name
		all = append(all, f)
	}
	entry := fmt.Sprintf("[console_scripts]\n%s = %s:main\n", n.PyPI.CLI, name)
	return n.wheel(n.PyPI.CLI, version, p.wheel, append(all, file{"entry_points.txt", []byte(entry), false}),
		out)
}

// clientWheel writes the wheel of the client for Python.
func (n names) clientWheel(root fs.FS, version, out string) error {
	all, err := tree(root, "cmd/aside/client/python/src", "")
	if err != nil {
		return err
	}
	readme, err := fs.ReadFile(root, "cmd/internal/manual/clients.md")
	if err != nil {
		return err
	}
	return n.wheel(n.PyPI.Client, version, "any", append(all, file{"METADATA", readme, false}), out)
}

// wheel writes a wheel with the metadata that installers need. The text of a file METADATA is the
// description, and entry_points.txt stands with the metadata.
func (n names) wheel(distribution, version, platform string, all []file, out string) error {
	info := module(distribution) + "-" + version + ".dist-info/"
	tag := "py3-none-" + platform
	meta := fmt.Sprintf("Metadata-Version: 2.1\nName: %s\nVersion: %s\nSummary: %s\nProject-URL: Source, %s\n"+
		"License: Apache-2.0\nRequires-Python: >=3.10\nDescription-Content-Type: text/markdown\n", distribution,
		version, n.Summary, n.Repository)
	about := fmt.Sprintf("Wheel-Version: 1.0\nGenerator: aside\nRoot-Is-Purelib: %t\n", platform == "any")
	for _, t := range strings.Split(platform, ".") {
		about += "Tag: py3-none-" + t + "\n"
	}
	for i := range all {
		switch f := &all[i]; f.name {
		case "METADATA":
			meta += "\n" + string(f.data)
			f.name, f.data = info+"METADATA", []byte(meta)
		case "entry_points.txt":
			f.name = info + f.name
		}
	}
	if platform != "any" {
		all = append(all, file{info + "METADATA", []byte(meta), false})
	}
	all = append(all, file{info + "WHEEL", []byte(about), false})
	record := ""
	for _, f := range all {
		sum := sha256.Sum256(f.data)
		record += fmt.Sprintf("%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]),
			len(f.data))
	}
	all = append(all, file{info + "RECORD", []byte(record + info + "RECORD,,\n"), false})
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range all {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate}
		h.SetMode(0o644)
		if f.run {
			h.SetMode(0o755)
		}
		part, err := w.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := part.Write(f.data); err != nil {
			return err
		}
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, module(distribution)+"-"+version+"-"+tag+".whl"), b.Bytes(), 0o644)
}
