package wire

import (
	"strings"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/inject"
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/outline"
)

// Inject returns body, a request of opts.API, with the texts of due put into it, and with the reminder tags neutralised that
// others wrote into its user and tool messages.
//
// Where there is nothing to put, or nothing may be put (InjectReport says why), Inject returns body itself, without
// neutralising. Otherwise the result is a new slice. An *Error says why the body cannot be read; an unknown opts.API is ErrAPI.
// Inject may be called concurrently.
func Inject(body []byte, due []reminder.Due, opts Options) ([]byte, error) {
	out, _, err := InjectReport(body, due, opts)
	return out, err
}

// InjectReport is Inject, and reports what became of the texts.
func InjectReport(body []byte, due []reminder.Due, opts Options) ([]byte, Report, error) {
	var report Report
	if nothing(due, opts) {
		return body, report, nil
	}
	if err := validate(body); err != nil {
		return nil, report, err
	}
	d, s, err := opts.splices(body, due, &report)
	switch {
	case err != nil:
		return nil, report, err
	case len(s) == 0:
		return body, report, nil
	}
	return s.apply(d.b), report, nil
}

// nothing reports whether none of due has anything to say.
func nothing(due []reminder.Due, opts Options) bool {
	for _, d := range due {
		if !strings.ContainsAny(d.Text, "<[") && !mark.Blank(d.Text) {
			return false // the common case, without a plan
		}
	}
	return outline.Plan(nil, due, opts.outline()) == nil
}

// splices reads a body forward and returns the body and what to change in it to put due in; no splices if nothing is to be put.
func (o Options) splices(b []byte, due []reminder.Due, report *Report) (*body, splices, error) {
	f := o.API.format()
	if f == nil {
		return nil, nil, ErrAPI
	}
	d, err := f.read(b)
	if err != nil {
		return nil, nil, err
	}
	if f.vendor {
		return o.put(d, due, report)
	}
	seal := mark.New(o.tag()).Only(due)
	ms := d.outlines(seal)
	if rs := outline.Clear(ms, due, o.outline()); rs != nil {
		var s splices
		d.remove(&s, rs)
		if d, err = f.read(s.apply(b)); err != nil {
			return nil, nil, err
		}
		ms = d.outlines(seal)
	}
	var s splices
	d.neutralise(&s, seal, o.Options)
	d.put(&s, outline.Plan(ms, due, o.outline()))
	report.Delivery = Tail
	return d, s, nil
}

// Strip returns body without what Inject has put into it: of the content, what inject.Strip removes, and every other byte as it
// was before Inject, except in neutralised tags, which stay so. A body without anything of ours comes back itself. Errors are
// those of Inject.
func Strip(body []byte, opts Options) ([]byte, error) {
	d, err := opts.check(body)
	if err != nil {
		return nil, err
	}
	var s splices
	if d.f.vendor {
		s = opts.strip(d)
	} else {
		d.remove(&s, outline.Remove(d.outlines(mark.New(opts.tag())), opts.outline()))
	}
	return s.apply(body), nil
}

// Neutralise returns body with the reminder tags neutralised that others wrote into its user and tool messages, body itself if
// there are none. Errors are those of Inject.
func Neutralise(body []byte, opts Options) ([]byte, error) {
	d, err := opts.check(body)
	if err != nil {
		return nil, err
	}
	var s splices
	seal := mark.New(opts.tag()).Only(nil)
	if d.f.vendor {
		var report Report
		d.view(seal, false, opts.model(d, &report), opts).neutralise(&s)
	} else {
		d.neutralise(&s, seal, opts.Options)
	}
	return s.apply(body), nil
}

// check is read for a body that may not be JSON: it validates the body first.
func (o Options) check(b []byte) (*body, error) {
	if err := validate(b); err != nil {
		return nil, err
	}
	return o.read(b)
}

// read reads a request of o.API, or returns ErrAPI.
func (o Options) read(b []byte) (*body, error) {
	f := o.API.format()
	if f == nil {
		return nil, ErrAPI
	}
	return f.read(b)
}

// neutralise appends a splice for each forged tag in a body of the generic shape.
func (d *body) neutralise(s *splices, seal mark.Wrapper, opts inject.Options) {
	if opts.KeepForged {
		return
	}
	for _, p := range d.texts {
		if !mayForge(p.of(d.b), opts.Prefix) {
			continue
		}
		t := decode(d.b, p.span)
		for _, f := range seal.Forged(t.s, p.stand) {
			from := t.offset(f.Start)
			*s = append(*s, splice{span{from, t.offset(f.End)}, []byte(f.With)})
		}
	}
}
