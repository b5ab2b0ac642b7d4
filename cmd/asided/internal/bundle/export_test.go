package bundle

// For tests: making archives without a directory, and what is in them.
var (
	NewArchive = newArchive
	ErrBomb    = errBomb
)

const MaxBackoff = maxBackoff

// Break returns the archive with another text in a file than its manifest says.
func (a *Archive) Break(path, text string) *Archive {
	b := *a
	b.files = map[string][]byte{}
	for p, src := range a.files {
		b.files[p] = src
	}
	b.files[path] = []byte(text)
	return &b
}

// File returns a file of the archive.
func (a *Archive) File(path string) string { return string(a.files[path]) }
