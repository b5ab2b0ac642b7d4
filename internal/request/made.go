package request

import (
	"slices"
	"strings"

	"github.com/aside-go/aside/internal/api"
	"github.com/aside-go/aside/internal/body"
)

// Made returns the calls in the response to this request, as a later request would tell them that holds the
// response. items is a JSON array: the messages that the response is, in the form of the API.
func (q *Request) Made(items []byte) []Call {
	f, err := api.FormatOf(q.API)
	if err != nil {
		return nil
	}
	d, unread := body.ReadMessages(f, items)
	if unread != nil {
		return nil
	}
	y := newHistory(d, nil)
	y.client, y.detail, y.where = q.client, q.Detail, q.where
	var calls []Call
	for i := range d.Messages {
		for c := range d.Calls(&d.Messages[i]) {
			if c.IsCall() {
				calls = append(calls, y.call(c))
			}
		}
	}
	return calls
}

// With returns the request as it would be if it held the calls of the previous response, made, that the
// server keeps. Where the request itself tells all calls, and where a result or a reference is of another
// call, it is q itself.
func (q *Request) With(made []Call) *Request {
	if q.CallsKnown || !q.Partial && len(q.refs) == 0 {
		return q
	}
	out := *q
	out.Calls = nil
	left := slices.Clone(q.Calls)
	for _, c := range made {
		i := slices.IndexFunc(left, func(l Call) bool { return l.ID == c.ID })
		switch {
		case i >= 0:
			out.Calls, left = append(out.Calls, left[i]), slices.Delete(left, i, i+1)
		case !q.responded, slices.Contains(q.refs, c.Item):
			out.Calls = append(out.Calls, c)
		}
	}
	out.Calls = append(out.Calls, left...)
	for _, id := range q.refs {
		if !slices.ContainsFunc(out.Calls, func(c Call) bool { return c.Item == id }) {
			return q
		}
	}
	for _, r := range q.lost {
		i := slices.IndexFunc(out.Calls, func(c Call) bool { return c.ID == r.ID })
		if i < 0 || r.ID == "" {
			return q
		}
		out.Calls[i].Failed, out.Calls[i].Output, out.Calls[i].OutputTold = r.Failed, r.Output, r.OutputTold
	}
	out.CallsKnown = true
	return &out
}

// mayBeCall reports whether an item that is kept elsewhere may be a call, as far as its id tells: those of
// reasoning and of messages begin otherwise.
func mayBeCall(id string) bool {
	return !strings.HasPrefix(id, "rs_") && !strings.HasPrefix(id, "msg_")
}

// mayBeWords reports whether an item that is kept elsewhere may hold words of the model.
func mayBeWords(id string) bool {
	return !slices.ContainsFunc([]string{"rs_", "fc_", "ctc_"}, func(kind string) bool {
		return strings.HasPrefix(id, kind)
	})
}
