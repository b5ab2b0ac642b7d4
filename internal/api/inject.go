package api

import (
	"strings"

	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/body"
	"github.com/aside-go/aside/internal/mark"
	"github.com/aside-go/aside/internal/model"
)

// Inject returns b, a request of an API, with the texts of due put into it and with the forged tags of users
// and tools neutralised, and says what became of the texts. Where there is nothing to put, or nothing may be
// put, it returns b itself. An error is a *body.Error or ErrAPI.
func Inject(name Name, b []byte, due []reminder.Due, opts body.Options) ([]byte, body.Report, error) {
	var report body.Report
	if silent(due, opts) {
		return b, report, nil
	}
	d, err := check(name, b)
	if err != nil {
		return nil, report, err
	}
	d, s, err := d.Inject(due, opts, &report)
	if err != nil {
		return nil, report, err
	}
	return s.Apply(d.Bytes), report, nil
}

// silent reports whether none of due has anything to say.
func silent(due []reminder.Due, opts body.Options) bool {
	w := mark.New(opts.Options)
	for _, d := range due {
		if !strings.ContainsAny(d.Text, "<[") && !mark.Blank(d.Text) || w.Wrap(d.Text) != "" {
			return false
		}
	}
	return true
}

// Strip returns b, a request of an API, without what Inject has put into it; b itself if there is nothing of
// ours.
func Strip(name Name, b []byte, opts body.Options) ([]byte, error) {
	d, err := check(name, b)
	if err != nil {
		return nil, err
	}
	return d.Strip(opts).Apply(b), nil
}

// Neutralise returns b, a request of an API, with the forged tags of users and tools neutralised; b itself if
// there are none.
func Neutralise(name Name, b []byte, opts body.Options) ([]byte, error) {
	d, err := check(name, b)
	if err != nil {
		return nil, err
	}
	return d.Neutralise(opts).Apply(b), nil
}

// Said returns the texts of b, a request of an API, divided into what is ours and what is not.
func Said(name Name, b []byte, opts body.Options) ([]body.Said, error) {
	d, err := check(name, b)
	if err != nil {
		return nil, err
	}
	return d.Said(opts), nil
}

// check is Read for a body that may not be JSON: it validates the body first.
func check(name Name, b []byte) (*body.Body, error) {
	if err := body.Validate(b); err != nil {
		return nil, err
	}
	return Read(name, b)
}

// Model says which texts the models take whose ids begin with Prefix.
type Model struct {
	// of the id, with or without a platform's part in front ("models/", "us.anthropic.")
	Prefix string
	// where it takes a text, best first; nil: as its API does, but with a Role in a message of its own first
	Places []model.Place
	System []model.Platform // where the model takes a system message in mid-conversation
	// the value of the anthropic-beta header for messages with clear_at; "": it takes none
	ClearAt string
	Binds   bool   // thinking is valid only behind the very bytes behind which it was produced
	Role    string // of a message of ours behind the others: "developer", "system" or "user"; "": "user"
	Checked string // year and month, as in "2026-10"
	Source  string
}

// Takes returns Options.Takes: the row of own with the longest prefix, else the table's.
func Takes(own []Model) func(id string) model.Delivery {
	return func(id string) model.Delivery {
		n := model.Longest(id, len(own), func(i int) string { return own[i].Prefix })
		if n < 0 {
			return model.Of(id).Delivery
		}
		m := &own[n]
		places := m.Places
		if places == nil && m.Role != "" {
			places = []model.Place{model.Message, model.User, model.Result}
		}
		return model.Delivery{Places: places, System: m.System, ClearAt: m.ClearAt, Binds: m.Binds, Role: m.Role}
	}
}
