package effect

import (
	_ "embed"
	"html/template"
	"strings"
	"time"

	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/report"
)

//go:embed page.html
var body string

// section is a version on the page.
type section struct {
	Name, Text, First, Last, Verdict string
	Bar                              *bar
	Rows                             [][2]string // of Version.rows
}

// bar is a difference with its interval, in points.
type bar struct {
	Low, Width, At int
	Words          string
}

// page returns the report as a page.
func page(all []*Version) (string, error) {
	var sections []section
	for i, v := range all {
		s := section{Name: report.Visible(v.name()), Text: v.text(), First: v.First.Local().Format(time.DateOnly),
			Last: v.Last.Local().Format(time.DateOnly), Verdict: v.Verdict()}
		if d := v.Difference(); d.Known {
			s.Bar = &bar{Low: percent(d.Low), Width: max(percent(d.High)-percent(d.Low), 1), At: percent(d.Estimate),
				Words: inWords(d)}
		}
		for _, r := range v.rows(others(all, i)) {
			if r[0] != "verdict" {
				s.Rows = append(s.Rows, r)
			}
		}
		sections = append(sections, s)
	}
	var b strings.Builder
	err := template.Must(template.New("").Parse(body)).Execute(&b, sections)
	return report.Frame("Effect of reminders", b.String()), err
}

// write writes the page to a file.
func write(e *command.Env, name string, all []*Version) error {
	if err := report.Writable(name); err != nil {
		return err
	}
	html, err := page(all)
	if err == nil {
		err = report.Put(name, []byte(html))
	}
	if err == nil {
		e.Note("wrote %s", name)
	}
	return err
}
