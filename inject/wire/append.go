package wire

import "github.com/aside-go/aside/compile/reminder"

// AppendInject appends to dst what Inject returns for body, and reports what became of the texts. dst may be a buffer that is
// used again and again; it must not overlap body. On an error dst comes back as it was.
//
// body is taken to be JSON, and is checked no further than it is read: for a vendor's API from the end up to the last messages,
// and those earlier messages in which a forged tag stands; forward, from quote to quote, where a text goes elsewhere. So where
// Inject returns an error because a body is not JSON, AppendInject may return that body with something in it, or as it is. And a
// list of what looks like messages that stands behind the messages it may take for them: of bodies that anybody can write,
// InjectReport reads all.
func AppendInject(dst, body []byte, due []reminder.Due, opts Options) ([]byte, Report, error) {
	var report Report
	if nothing(due, opts) {
		return append(dst, body...), report, nil
	}
	d, s, ok := opts.tail(body, due, &report)
	if ok && len(s) > 0 {
		x := opts.search(d)
		if dst, ok = newEdition(d.b, s).appendIf(dst, x.clean); ok {
			return dst, report, nil
		}
		if places, sure := x.places(d); sure && d.readBefore(places) {
			var err error
			report = Report{}
			d, s, err = opts.put(d, due, &report)
			ok = err == nil
		}
	}
	if !ok {
		var err error
		report = Report{}
		if d, s, err = opts.splices(body, due, &report); err != nil {
			return dst, report, err
		}
	}
	if len(s) == 0 {
		return append(dst, body...), report, nil
	}
	return s.appendTo(dst, d.b), report, nil
}

// tail is splices for a body that is read from its end. ok is false where such a reading is not sure or not enough. The part of
// the body that it has not read may hold forged tags.
func (o Options) tail(b []byte, due []reminder.Due, report *Report) (d *body, s splices, ok bool) {
	f := o.API.format()
	if f == nil || !f.vendor || o.Prefix && !o.KeepForged { // with a prefix, every bracket could begin a forged one
		return nil, nil, false
	}
	turn := false
	for _, d := range due {
		if d.Attach == reminder.RunStart {
			return nil, nil, false
		}
		turn = turn || o.byTurn(d)
	}
	seal := o.Seal().Among(due)
	d = f.readTail(b, o, func(d *body) bool {
		v := d.view(seal, false, Model{}, o)
		i := v.anchor()
		if i < 0 || turn && v.turn < 0 {
			return false
		}
		_, _, known := v.toolRound(i)
		if known && turn && v.turn != i {
			_, _, known = v.toolRound(v.turn)
		}
		return known
	})
	if d == nil {
		return nil, nil, false
	}
	d, s, err := o.put(d, due, report)
	report.Tail = true
	return d, s, err == nil
}
