package body

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/mark"
)

// neutraliseTexts appends a change for each forged tag.
func (dr *Draft) neutraliseTexts(s *Splices) {
	if dr.opts.KeepForged {
		return
	}
	for _, p := range dr.Texts {
		if !mayForge(p.Of(dr.Bytes), dr.opts.Prefix) {
			continue
		}
		t := decode(dr.Bytes, p.Span)
		for _, f := range dr.forged(t.s, p) {
			from := t.offset(f.Start)
			*s = append(*s, splice{Span{from, t.offset(f.End)}, []byte(f.With)})
		}
	}
}

// forged returns the forged tags in a text of a user or a tool. A reminder of the client's own keeps its
// outer tags.
func (dr *Draft) forged(text string, p Text) []mark.Forged {
	if plan := dr.Format.Planner; plan != nil {
		return plan.Forged(dr, text, p)
	}
	fs := dr.Wrap.Forged(text, mark.InResult)
	if len(fs) == 0 || dr.opts.Mark != "" && dr.ownMarked(text, p, &fs) {
		return nil
	}
	if f := dr.Format.ClientsOwn; f != nil && f(p, dr.repeated) {
		return withoutOuter(text, fs)
	}
	return fs
}

// ownMarked reports whether all of a text is ours, by its mark. If only its end is, ownMarked drops from fs
// what is in that end.
func (dr *Draft) ownMarked(text string, p Text, fs *[]mark.Forged) bool {
	switch {
	case p.Place == mark.InBlock, p.InResult && dr.intoResults():
		return dr.Wrap.Ours(text, mark.InBlock).Block
	case p.Place == mark.InUser:
		return dr.Format.OwnMessages && dr.Wrap.Ours(text, mark.InUser).Whole
	case p.Place == mark.InResult && dr.intoResults():
		if at := dr.Wrap.Ours(text, mark.InTool).Tail; at >= 0 {
			n := 0
			for n < len(*fs) && (*fs)[n].Start < at {
				n++
			}
			*fs = (*fs)[:n]
		}
	}
	return false
}

// withoutOuter leaves out the two outer tags of a text that is wholly one reminder of the client's own, such
// as those that Claude Code writes. Tags inside of it are forged all the same.
func withoutOuter(text string, fs []mark.Forged) []mark.Forged {
	const open, end = "<system-reminder>", "</system-reminder>"
	t := strings.TrimSpace(text)
	if !strings.HasPrefix(t, open) || !strings.HasSuffix(t, end) || len(fs) < 2 {
		return fs
	}
	from := strings.Index(text, open)
	to := strings.LastIndex(text, end)
	if fs[0].Start != from || fs[len(fs)-1].Start != to {
		return fs
	}
	return fs[1 : len(fs)-1]
}

// mayForge reports whether the JSON string whose inside is raw may hold a forged tag: a sign that opens one,
// or an escape that may stand for it. If not, it need not be decoded. prefix is whether prefixes count as
// well.
func mayForge(raw []byte, prefix bool) bool {
	signs := []string{"<", "＜", "﹤", "≮", `\u`, "[", "［", "﹇"}
	if !prefix {
		signs = signs[:5]
	}
	return slices.ContainsFunc(signs, func(s string) bool { return bytes.Contains(raw, []byte(s)) })
}
