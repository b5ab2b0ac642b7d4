package wire

import (
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/internal/api"
)

// Inject returns body, a request of opts.API, with the texts of due put into it, and with the reminder tags
// neutralised that others wrote into its user and tool messages.
//
// Where there is nothing to put, or nothing may be put (InjectReport says why), Inject returns body itself,
// without neutralising. Otherwise the result is a new slice. An *Error says why the body cannot be read; an
// unknown opts.API is ErrAPI. Inject may be called concurrently.
func Inject(body []byte, due []reminder.Due, opts Options) ([]byte, error) {
	out, _, err := InjectReport(body, due, opts)
	return out, err
}

// InjectReport is Inject, and reports what became of the texts.
func InjectReport(body []byte, due []reminder.Due, opts Options) ([]byte, Report, error) {
	return api.Inject(opts.API, body, due, opts.machine())
}

// Strip returns body without what Inject has put into it: of the content, what inject.Strip removes, and
// every other byte as it was before Inject, except in neutralised tags, which stay so. A body without
// anything of ours comes back itself. Errors are those of Inject.
func Strip(body []byte, opts Options) ([]byte, error) {
	return api.Strip(opts.API, body, opts.machine())
}

// Neutralise returns body with the reminder tags neutralised that others wrote into its user and tool
// messages, body itself if there are none. Errors are those of Inject.
func Neutralise(body []byte, opts Options) ([]byte, error) {
	return api.Neutralise(opts.API, body, opts.machine())
}
