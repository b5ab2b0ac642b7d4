package load

import (
	"path/filepath"
	"strings"

	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
)

// Unread says why something that lies in a directory of rules is not read. It is an error for a Gate to
// return beside the files that it refuses.
type Unread string

// Error returns the reason.
func (u Unread) Error() string { return string(u) }

// UnreadEntry returns why an entry of a directory of rules is not read; "" where that surprises nobody, as
// with the files that editors and systems leave.
func UnreadEntry(name string, directory bool) Unread {
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case strings.HasPrefix(name, "."), strings.HasSuffix(name, "~"), strings.HasPrefix(name, "#"):
		return ""
	case directory:
		return "a directory in a directory of rules is not searched"
	case IsRuleFile(strings.ToLower(name)):
		return Unread("not read: the name of a rule file ends in " + ext + ", in small letters")
	default:
		return "not read: the name of a rule file ends in .md, .yaml or .yml"
	}
}

// unread is the remark about an entry that is not read.
func unread(path string, why Unread) grammar.Diagnostics {
	hint := "rename it, or move it elsewhere"
	if strings.HasPrefix(string(why), "a directory") {
		hint = "move its rules into " + filepath.Base(filepath.Dir(path)) + ", or name it on the command line"
	}
	return grammar.Diagnostics{{Code: code.NotRead, Severity: grammar.Info, File: path, Message: string(why),
		Hint: hint}}
}

// rulesDirectory reports whether a directory is one of rules, and not a project with rules among other files.
func rulesDirectory(path string) bool {
	abs, err := filepath.Abs(path)
	return err == nil && !isProject(abs) && !isConfig(filepath.Base(abs))
}
