package load

// Document is a rule file that the caller has read, such as one that is open in an editor.
type Document struct {
	Path    string
	Dir     string // the directory that it counts as a part of: within one, no two reminders may have the same id
	Src     []byte // its bytes, which Result.Files keeps
	Project bool   // whether it belongs to a project, so that it cannot override the user's own safety reminders
}

// Given is Load for files that were read already. docs are in order of precedence, the lowest first, those of one directory in the
// order of their names, and none twice. Given opens no file, and does not ask opts.Trusted: all docs are trusted.
func Given(docs []Document, opts Options) *Result {
	parse := opts.parser()
	files := make([]file, len(docs))
	inParallel(len(docs), func(i int) {
		d := &docs[i]
		files[i] = file{path: d.Path, dir: d.Dir, src: d.Src, project: d.Project}
		parse(&files[i])
	})
	return assemble(files, opts)
}
