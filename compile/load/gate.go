package load

// A Gate reads the files of projects: of them only what a person has approved, and each once. What it gives is what is parsed.
// Package trust has the one for people's machines. Its methods may be called concurrently.
type Gate interface {
	// Covers reports whether any file of a project's source may be read. It opens nothing of the project.
	Covers(s Source) bool
	// Read gives the rule files of a project's source in name order, those that it does not read included.
	Read(s Source) []File
}

// File is a rule file of a project, as a Gate found it.
type File struct {
	Path string
	Src  []byte // what was read and is approved
	Err  error  // why it was not read, or is not used; Src is nil then
}

// Untrusted is a rule file of a project that is not used.
type Untrusted struct {
	Path string
	Why  error
}

// through reads a project's source through the gate.
func through(gate Gate, s Source) []file {
	if gate == nil {
		return nil
	}
	var files []file
	for _, f := range gate.Read(s) {
		files = append(files, file{path: f.Path, dir: s.Path, src: f.Src, project: true, refused: f.Err})
	}
	return files
}
