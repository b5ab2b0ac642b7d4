package load

import (
	"github.com/aside-go/aside/compile/document"
)

// Document is a rule file that somebody else has read, such as an editor.
type Document struct {
	Path    string
	Dir     string // reminders of one directory may not share an id
	Src     []byte // not kept beyond the Result's Files
	Project bool   // it is a project's, and may not take the place of the user's own safety reminders
}

// Given is Load of files that were read already. They come in order of precedence, those of one directory in that of their
// names, none twice. Nothing is opened, and opts.Trusted is not asked: who gives a file answers for it.
func Given(docs []Document, opts Options) *Result {
	parse := opts.Read
	if parse == nil {
		parse = document.Read
	}
	files := make([]file, len(docs))
	inParallel(len(docs), func(i int) {
		d := &docs[i]
		files[i] = file{path: d.Path, dir: d.Dir, src: d.Src, project: d.Project}
		files[i].reminders, files[i].ds = parse(d.Path, d.Src)
	})
	return assemble(files, opts)
}
