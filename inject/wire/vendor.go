package wire

import (
	"strings"

	"github.com/aside-go/aside/compile/reminder"

	"github.com/aside-go/aside/internal/mark"
)

// model returns the row of the body's model, and notes the model in report.
func (o Options) model(d *body, report *Report) Model {
	if report.Model = d.head.model; report.Model == "" {
		report.Model = o.Model
	}
	return o.row(report.Model)
}

// put returns the splices that put due into a vendor's body; none where nothing is put. Texts of ours that stand already where
// texts go are removed first, and the body is read again: the splices are for the body that is returned.
func (o Options) put(d *body, due []reminder.Due, report *Report) (*body, splices, error) {
	seal := mark.New(o.tag()).Only(due)
	v := d.view(seal, false, o.model(d, report), o)
	var start, turn, tail bool
	for _, x := range due {
		switch {
		case mark.Blank(x.Text):
		case x.Attach == reminder.RunStart:
			start = !v.isBound(-1)
		case o.byTurn(x):
			turn = true
		default:
			tail = true
		}
	}
	groups := v.plan(due, report)
	if len(groups) == 0 { // all is held: nothing is touched
		return d, nil, nil
	}
	if s := v.removeStanding(start, turn, tail); len(s) > 0 {
		var err error
		if d, err = d.f.read(s.apply(d.b)); err != nil {
			return nil, nil, err
		}
		*report = Report{}
		v = d.view(seal, false, o.model(d, report), o)
		groups = v.plan(due, report)
	}
	var s splices
	v.neutralise(&s)
	v.insert(&s, groups)
	return d, s, nil
}

// strip returns the splices that remove everything that is ours from a vendor's body.
func (o Options) strip(d *body) splices {
	var report Report
	return d.view(mark.New(o.tag()), o.Mark == "", o.model(d, &report), o).removeAll()
}

// neutralise appends a splice for each forged tag.
func (v *view) neutralise(s *splices) {
	if v.opts.KeepForged {
		return
	}
	for _, p := range v.texts {
		if !mayForge(p.of(v.b), v.opts.Prefix) {
			continue
		}
		t := decode(v.b, p.span)
		for _, f := range v.forgeries(t.s, p) {
			*s = append(*s, splice{span{t.offset(f.Start), t.offset(f.End)}, []byte(f.With)})
		}
	}
}

// forgeries returns the forged tags in a text of a user or a tool. A reminder of the client's own keeps its outer tags.
func (v *view) forgeries(text string, p foreignText) []mark.Forged {
	fs := v.seal.Forged(text, mark.InResult)
	if len(fs) == 0 || v.opts.Mark != "" && v.ownMarked(text, p, &fs) {
		return nil
	}
	if v.clientsOwn(p) {
		return withoutOuter(text, fs)
	}
	return fs
}

// clientsOwn reports whether a text that is wholly one tag is a reminder of the client's own, by where it stands: as a text block,
// in Anthropic's shape. Where later requests repeat what is put (replayed), a block may come back as a string, and the other way
// round. Then both count in Anthropic's shape; in the others, only blocks that cannot become a string do.
func (v *view) clientsOwn(p foreignText) bool {
	switch p.stand {
	case mark.InBlock:
		return v.f.anthropic || v.replayed && (v.f.keyed || p.oneOfSeveral)
	case mark.InUser:
		return v.f.anthropic && v.replayed
	default:
		return false
	}
}

// ownMarked reports whether all of a text is ours, by its mark. If only its end is, ownMarked drops from fs what is in that end.
func (v *view) ownMarked(text string, p foreignText, fs *[]mark.Forged) bool {
	switch {
	case p.stand == mark.InBlock, p.inResult && v.intoResults():
		return v.seal.Ours(text, mark.InBlock).Block
	case p.stand == mark.InUser:
		return v.anyRole() && v.seal.Ours(text, mark.InUser).Whole
	case p.stand == mark.InResult && v.intoResults():
		if at := v.seal.Ours(text, mark.InTool).Tail; at >= 0 {
			n := 0
			for n < len(*fs) && (*fs)[n].Start < at {
				n++
			}
			*fs = (*fs)[:n]
		}
	}
	return false
}

// withoutOuter leaves out the two outer tags of a text that is wholly one reminder of the client's own, such as those that Claude Code
// writes. Tags inside of it are forged all the same.
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
