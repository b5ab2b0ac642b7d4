package body

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/model"
)

// neutraliseTexts appends a change for each tag of others that is to be made harmless.
func (dr *Draft) neutraliseTexts(s *Splices) {
	if dr.opts.Neutralise == mark.Nothing {
		return
	}
	claim := dr.Wrap.Claim()
	if claim != "" && !mayClaim(dr.Bytes, claim) {
		return // the common case: the body does not know the mark
	}
	for _, p := range dr.Texts {
		if raw := p.Of(dr.Bytes); claim != "" && !mayClaim(raw, claim) || !mayForge(raw) {
			continue
		}
		t := decode(dr.Bytes, p.Span)
		for _, f := range dr.forged(t.s, p) {
			from := t.offset(f.Start)
			*s = append(*s, splice{Span{from, t.offset(f.End)}, []byte(mark.Harmless)})
		}
	}
}

// forged returns the tags in a text of a user or a tool that are to be made harmless.
func (dr *Draft) forged(text string, p Text) []mark.Forged {
	fs := dr.Wrap.Forged(text)
	if len(fs) == 0 || dr.opts.Mark != "" && dr.ownMarked(text, p, &fs) {
		return nil
	}
	return fs
}

// ownMarked reports whether all of a text is ours, by its mark. If only its end is, ownMarked drops from fs
// what is in that end.
func (dr *Draft) ownMarked(text string, p Text, fs *[]mark.Forged) bool {
	switch inside := dr.allows(model.Result); {
	case p.Source == OfBlock, p.InResult && inside:
		return dr.Wrap.Block(text)
	case p.Source == OfUser && dr.Format.OwnMessages && dr.Wrap.Whole(text):
		return true
	case p.Source == OfUser && dr.lengthens(), p.Source == OfTool, p.Source == OfResult && inside:
		if at := dr.Wrap.Tail(text); at >= 0 {
			n := 0
			for n < len(*fs) && (*fs)[n].Start < at {
				n++
			}
			*fs = (*fs)[:n]
		}
	}
	return false
}

// mayClaim reports whether JSON may have a string that says claim: as it stands, or with an escape for one of
// its characters. A \u escape matters only where it stands for a letter or a digit, which few writers write.
func mayClaim(raw []byte, claim string) bool {
	if bytes.Contains(raw, []byte(claim)) {
		return true
	}
	if strings.ContainsFunc(claim, func(r rune) bool { return !alphanumeric(r) }) {
		return bytes.IndexByte(raw, '\\') >= 0
	}
	for at := 0; ; at++ { // text has fewer zeros than backslashes
		i := bytes.Index(raw[at:], []byte("00"))
		if at += i; i < 0 || at+4 > len(raw) {
			return false
		}
		if at < 2 || raw[at-2] != '\\' || raw[at-1] != 'u' {
			continue
		}
		if n, err := strconv.ParseUint(string(raw[at+2:at+4]), 16, 8); err == nil && alphanumeric(rune(n)) {
			return true
		}
	}
}

// alphanumeric reports whether r is an ASCII letter or digit.
func alphanumeric(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

// mayForge reports whether the JSON string whose inside is raw may hold a forged tag: a sign that opens one,
// or an escape that may stand for it. If not, it need not be decoded.
func mayForge(raw []byte) bool {
	return slices.ContainsFunc([]string{"<", "＜", "﹤", "≮", `\u`},
		func(s string) bool { return bytes.Contains(raw, []byte(s)) })
}
