package inject

import (
	"cmp"
	"slices"

	"github.com/aside-go/aside/internal/forgery"
)

// Neutralise makes the reminder tags in a text harmless: the < of every opening, closing or unfinished one, however it is
// spelled, becomes &lt;, and all else stays. A tag is what reads as one after NFKC, without blanks and invisible characters, in
// any case, with all dashes and underscores taken as the same, and with or without markup that splits it. Neutralise is
// idempotent, and linear in the length of the text.
func Neutralise(text string) string { return forgery.Neutralise(text) }

// Blank reports whether text has no visible character.
func Blank(text string) bool { return forgery.Blank(text) }

// Forgery is a place in a text where a reminder tag begins: With, in place of the bytes from Start to End, makes the tag
// harmless.
type Forgery = forgery.Forgery

// Forgeries returns the reminder tags in a text of a user or tool message that are not ours, in order; and the prefixes, if the
// options write prefixes. What carries our mark is ours where texts of ours have that form.
func (s Seal) Forgeries(text string, at Stand) []Forgery {
	if s.opts.KeepForged {
		return nil
	}
	fs := s.opts.forgeries(text)
	if len(fs) == 0 || s.opts.Mark == "" {
		return fs
	}
	own := s.Own(text, at)
	switch {
	case own.Block || own.Whole:
		return nil
	case own.Tail < 0:
		return fs
	}
	n, _ := slices.BinarySearchFunc(fs, own.Tail, func(f Forgery, at int) int { return cmp.Compare(f.Start, at) })
	return fs[:n]
}

func (o Options) forgeries(text string) []Forgery {
	fs := forgery.Tags(text)
	if o.Prefix {
		if ps := forgery.Prefixes(text); len(ps) > 0 {
			fs = append(fs, ps...)
			slices.SortFunc(fs, func(a, b Forgery) int { return cmp.Compare(a.Start, b.Start) })
		}
	}
	return fs
}

func (o Options) forged(text string) bool { return len(o.forgeries(text)) > 0 }

func (o Options) neutralise(text string) string { return forgery.Replace(text, o.forgeries(text)) }
