package wire

import (
	"github.com/aside-go/aside/compile/terms"
	"github.com/aside-go/aside/inject"
)

// Inject returns body, a request of the generic shape, with the texts of due put into it as inject.Messages puts them,
// and with the reminder tags neutralised that others wrote into its user and tool messages.
//
// Where there is nothing to put, body itself comes back, unread. Otherwise what comes back is in memory of its own, and
// an *Error says why the body could not be read. Inject may be called concurrently.
func Inject(body []byte, due []terms.Due, opts inject.Options) ([]byte, error) {
	if inject.Plan(nil, due, opts) == nil {
		return body, nil
	}
	d, err := generic.read(body)
	if err != nil {
		return nil, err
	}
	seal := opts.Seal().Among(due)
	ms := d.outlines(seal)
	if rs := inject.Clear(ms, due, opts); rs != nil {
		var s splices
		d.remove(&s, rs)
		if d, err = generic.read(s.apply(body)); err != nil {
			return nil, err
		}
		ms = d.outlines(seal)
	}
	var s splices
	d.neutralise(&s, seal, opts)
	d.put(&s, inject.Plan(ms, due, opts))
	return s.apply(d.b), nil
}

// Strip returns body without what Inject has put into it: as inject.Strip, and then byte for byte what it was before,
// but for neutralised tags. Without anything of ours in it, body itself comes back.
func Strip(body []byte, opts inject.Options) ([]byte, error) {
	d, err := generic.read(body)
	if err != nil {
		return nil, err
	}
	var s splices
	d.remove(&s, inject.Remove(d.outlines(opts.Seal()), opts))
	return s.apply(body), nil
}

// Neutralise returns body with the reminder tags made harmless that others wrote into its user and tool messages; body
// itself if there are none.
func Neutralise(body []byte, opts inject.Options) ([]byte, error) {
	d, err := generic.read(body)
	if err != nil {
		return nil, err
	}
	var s splices
	d.neutralise(&s, opts.Seal().Among(nil), opts)
	return s.apply(body), nil
}

// neutralise turns forged tags into splices.
func (d *body) neutralise(s *splices, seal inject.Seal, opts inject.Options) {
	if opts.KeepForged {
		return
	}
	for _, p := range d.texts {
		if !mayForge(p.of(d.b), opts.Prefix) {
			continue
		}
		t := decode(d.b, p.span)
		for _, f := range seal.Forgeries(t.s, p.stand) {
			from := t.offset(f.Start)
			*s = append(*s, splice{span{from, t.offset(f.End)}, []byte(f.With)})
		}
	}
}
