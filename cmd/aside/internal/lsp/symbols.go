package lsp

import (
	"context"
	"regexp"

	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/internal/document"
)

// The kinds of symbols that are used.
const (
	symbolEvent  = 24
	symbolMethod = 6
)

// documentSymbols answers with the reminders of a rule file, or the tests of a rule test.
func documentSymbols(_ context.Context, s *Server, v *view, p *documentParams) (any, error) {
	d, k := s.served(v, p.TextDocument.URI)
	list := []documentSymbol{}
	switch k {
	case rules:
		rs, _ := document.Read(d.path, []byte(d.text.s))
		for i := range rs {
			from, end := rs[i].Place("").Start.Offset, len(d.text.s)
			if i+1 < len(rs) {
				end = max(rs[i+1].Place("").Start.Offset, from)
			}
			if len(rs) == 1 {
				from = 0
			}
			name := spanIn(rs[i].Place("id"))
			name.to = min(name.to, end)
			list = append(list, v.symbol(d, rs[i].ID, symbolEvent, span{min(from, name.from), end}, name))
			list[i].Detail = detailOf(&rs[i])
		}
	case ruleTest:
		list = testSymbols(v, d)
	default:
		return nil, nil
	}
	return list, nil
}

func (v *view) symbol(d *doc, name string, kind int, at, named span) documentSymbol {
	return documentSymbol{Name: name, Kind: kind, Range: d.text.rangeOf(at, v.units),
		SelectionRange: d.text.rangeOf(named, v.units)}
}

func detailOf(r *compile.Source) string {
	if r.Trigger == "" {
		return ""
	}
	return r.Mode.String() + ": " + oneLine(r.Trigger)
}

var testName = regexp.MustCompile(`(?m)^[ \t]*-[ \t]+(?:\{[ \t]*)?name:[ \t]*([^\r\n,}]+)`)

func testSymbols(v *view, d *doc) []documentSymbol {
	list := []documentSymbol{}
	found := testName.FindAllStringSubmatchIndex(d.text.s, -1)
	for i, g := range found {
		end := len(d.text.s)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		list = append(list, v.symbol(d, oneLine(d.text.s[g[2]:g[3]]), symbolMethod, span{g[0], end},
			span{g[2], g[3]}))
	}
	return list
}
