package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	xmod "golang.org/x/mod/module"
)

// sums are the lines of a go.sum file: hashes of modules, and of their go.mod files (goModOf).
type sums map[xmod.Version]string

// goModOf returns the name of the go.mod file of a module in sums.
func goModOf(v xmod.Version) xmod.Version {
	return xmod.Version{Path: v.Path, Version: v.Version + "/go.mod"}
}

// readSums reads a go.sum file. Where there is none, there are no sums.
func readSums(file string) (sums, error) {
	b, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	all := sums{}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) == 3 {
			all[xmod.Version{Path: f[0], Version: f[1]}] = f[2]
		}
	}
	return all, nil
}

// bytes returns the file, in the order of the go command.
func (s sums) bytes() []byte {
	var all []xmod.Version
	for v := range s {
		all = append(all, v)
	}
	xmod.Sort(all)
	var b bytes.Buffer
	for _, v := range all {
		fmt.Fprintf(&b, "%s %s %s\n", v.Path, v.Version, s[v])
	}
	return b.Bytes()
}
