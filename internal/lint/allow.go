package lint

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/grammar"
	"github.com/aside-go/aside/internal/code"
	"github.com/aside-go/aside/internal/document"
)

// An allowance is one code in a comment "# aside: allow R1002", with the lines that it stands for.
type allowance struct {
	code     grammar.Code
	at       grammar.Range
	from, to int  // lines of the file, both included
	live     bool // its reminder is in the set, and has no errors, so that lints have looked at it
	used     bool
}

var (
	allowCode = regexp.MustCompile(`[A-Za-z0-9]+`)
	// allowComment matches the codes with the commas between them; a reason may follow them.
	allowComment = regexp.MustCompile(`^#\s*aside:\s*allow\b[ \t]*` +
		`([A-Za-z0-9]+(?:[ \t]*,[ \t]*[A-Za-z0-9]+)*)?`)
)

// silence leaves out of ds the findings that comments in the files and Options.Allow allow, but never an
// error. An allowance that silences nothing is a finding itself, if its reminder is one of set.
func silence(ds grammar.Diagnostics, set *compile.Set, files map[string][]byte,
	opts Options) grammar.Diagnostics {
	byFile := map[string][]allowance{}
	for name, src := range files {
		if as := allowances(name, src, set); as != nil {
			byFile[name] = as
		}
	}
	out := make(grammar.Diagnostics, 0, len(ds))
	for _, d := range ds {
		silent := slices.Contains(opts.Allow, d.Code)
		as := byFile[d.File]
		for i := range as {
			if as[i].code == d.Code && as[i].from <= d.Range.Start.Line && d.Range.Start.Line <= as[i].to {
				as[i].used, silent = true, true
			}
		}
		if !silent || d.Severity == grammar.Error {
			out = append(out, d)
		}
	}
	for name, as := range byFile {
		if opts.Only != nil && !opts.Only[name] || slices.Contains(opts.Allow, code.IdleAllowance) {
			continue
		}
		for _, a := range as {
			if d, ok := a.idle(); ok {
				d.File = name
				out = append(out, d)
			}
		}
	}
	out.Sort()
	return out
}

// idle says that the allowance silences nothing.
func (a *allowance) idle() (grammar.Diagnostic, bool) {
	d := grammar.Diagnostic{Code: code.IdleAllowance, Severity: grammar.Info, Range: a.at, Hint: "remove it"}
	switch {
	case a.used:
		return d, false
	case a.code == "":
		d.Message = "this allows nothing, as it names no code"
		d.Hint = fmt.Sprintf("write `# aside: allow %s`, with the code of the finding", code.Flapping)
	case !isCode(a.code):
		d.Message = fmt.Sprintf("%q is not a code", a.code)
		d.Hint = fmt.Sprintf("write the code of a finding, such as %s", code.Flapping)
	case !a.live:
		return d, false
	default:
		d.Message = fmt.Sprintf("there is no %s here to allow", a.code)
	}
	return d, true
}

func isCode(s grammar.Code) bool {
	return len(s) == 5 && s[0] == 'R' && strings.Trim(string(s[1:]), "0123456789") == ""
}

// Allow is the edit that silences a code in the reminder that stands at a place of a file; nil where no
// comment can be put there.
func Allow(file string, src []byte, at grammar.Range, id grammar.Code) *grammar.Edit {
	return document.InsertComment(file, src, at.Start.Line, "# aside: allow "+string(id))
}

// Mendable reports whether the hint of a diagnostic may be followed without asking anybody: it leaves what a
// rule does as it is. Remarks are a matter of taste.
func Mendable(d grammar.Diagnostic) bool {
	return d.Fix != nil && !d.Fix.Unsafe && d.Severity != grammar.Info
}

// Follow applies the fixes of those diagnostics to a file that are Mendable, but for a fix that overlaps an
// earlier one or would insert at the same place, and returns how many it has applied. The rest, and a mistake
// that another one has hidden, come up when the result is checked again.
func Follow(src []byte, ds grammar.Diagnostics) (out []byte, n int) {
	var edits []*grammar.Edit
	for _, d := range ds {
		if Mendable(d) {
			edits = append(edits, d.Fix)
		}
	}
	slices.SortStableFunc(edits, func(a, b *grammar.Edit) int {
		return cmp.Compare(a.Range.Start.Offset, b.Range.Start.Offset)
	})
	at := 0
	for _, ed := range edits {
		from, to := ed.Range.Start.Offset, ed.Range.End.Offset
		if from < at || n > 0 && from == at && from == to || from > to || to > len(src) {
			continue
		}
		out = append(append(out, src[at:from]...), ed.Text...)
		at = to
		n++
	}
	return append(out, src[at:]...), n
}

// Mend applies the fixes of a file that are Mendable, and returns the result and how many fixes it has. check
// returns the diagnostics of a text of the file. Mend goes on until there is nothing to fix, since a mistake
// may hide another. It applies no fix that makes nothing better.
func Mend(src []byte, check func([]byte) grammar.Diagnostics) (out []byte, n int) {
	const rounds = 20 // files that people write take three at most
	ds := check(src)
	for range rounds {
		next, followed := Follow(src, ds)
		if followed == 0 {
			break
		}
		after := check(next)
		for i := 0; i < len(ds) && !better(after, ds); i++ { // then the first fix that helps by itself
			if next, followed = Follow(src, ds[i:i+1]); followed > 0 {
				after = check(next)
			}
		}
		if !better(after, ds) {
			break
		}
		src, ds, n = next, after, n+followed
	}
	return src, n
}

// better reports whether some mistakes of before are gone in after, and no more new ones have come up, as
// hidden mistakes may. Remarks do not count.
func better(after, before grammar.Diagnostics) bool {
	left := map[string]int{}
	for _, d := range before {
		if d.Severity != grammar.Info {
			left[string(d.Code)+d.Message]++
		}
	}
	gone := 0
	for _, n := range left {
		gone += n
	}
	fresh := 0
	for _, d := range after {
		if d.Severity == grammar.Info {
			continue
		}
		if key := string(d.Code) + d.Message; left[key] > 0 {
			left[key]--
			gone--
		} else {
			fresh++
		}
	}
	return gone > 0 && fresh <= gone
}

// allowances reads the comments of a file.
func allowances(name string, src []byte, set *compile.Set) []allowance {
	if !strings.Contains(string(src), "aside:") {
		return nil
	}
	var found []allowance
	for _, c := range document.Comments(name, src) {
		m := allowComment.FindStringSubmatchIndex(c.Text)
		if m == nil {
			continue
		}
		live := c.Reminders != nil
		for _, id := range c.Reminders {
			i, ok := set.Index(id)
			live = live && ok && set.Reminder(i).File == name
		}
		if m[2] < 0 { // no code
			if strings.TrimSpace(c.Text[m[1]:]) == "" {
				found = append(found, allowance{at: c.Range, from: c.From, to: c.To})
			}
			continue
		}
		for _, at := range allowCode.FindAllStringIndex(c.Text[m[2]:m[3]], -1) {
			from, to := m[2]+at[0], m[2]+at[1]
			found = append(found, allowance{
				code: grammar.Code(c.Text[from:to]), at: shift(c.Range, c.Text, from, to),
				from: c.From, to: c.To, live: live,
			})
		}
	}
	slices.SortStableFunc(found, func(a, b allowance) int {
		return cmp.Compare(a.at.Start.Offset, b.at.Start.Offset)
	})
	return found
}
