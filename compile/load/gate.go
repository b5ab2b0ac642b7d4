package load

// Gate reads the rule files of projects, and only those that a person has approved. It reads each once, and the bytes that it
// returns are the ones that are parsed. trust.Store is the implementation for people's machines. The methods must be safe for
// concurrent use.
type Gate interface {
	// Covers reports whether any file of a project's source may be read. It opens no file of the project.
	Covers(s Source) bool
	// Read returns the rule files of a project's source in the order of their names, including those that it refuses to read.
	Read(s Source) []File
}

// File is a rule file of a project.
type File struct {
	Path string
	Src  []byte // its bytes, if they are approved
	Err  error  // why it is not used, in which case Src is nil
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
