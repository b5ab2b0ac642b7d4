package wire

import "github.com/aside-go/aside/compile/terms"

// AppendInject appends to dst what Inject returns, and reports what became of the texts. dst may be a buffer that is used
// again and again; it must not overlap body. On an error dst comes back as it was.
func AppendInject(dst, body []byte, due []terms.Due, opts Options) ([]byte, Report, error) {
	var report Report
	if nothing(due, opts) {
		return append(dst, body...), report, nil
	}
	d, s, err := opts.splices(body, due, &report)
	if err != nil {
		return dst, report, err
	}
	if len(s) == 0 {
		return append(dst, body...), report, nil
	}
	return s.appendTo(dst, d.b), report, nil
}
