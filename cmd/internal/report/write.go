package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/cmd/internal/webpage"
)

// The page's own frame, its notes, and the last part of its script.
//
//go:embed asset/page.html
var frame string

//go:embed asset/notes.html
var notes string

//go:embed asset/page.js
var script string

// data is the input of the page's scripts, as JSON.
type data struct {
	Rules   []rule          `json:"rules"`
	Runs    []*run          `json:"runs"`
	Strings []string        `json:"strings"`
	Shapes  json.RawMessage `json:"shapes"`
	Parts   json.RawMessage `json:"parts"`
	Lost    lost            `json:"lost"`
	Partial bool            `json:"partial,omitempty"`
}

// WriteTo writes the page. It may be called more than once.
func (p *Page) WriteTo(w io.Writer) (int64, error) {
	style, script := webpage.Style(), webpage.Script(script)
	n, err := strings.NewReplacer(
		"{{policy}}", policy(style, script), "{{title}}", html.EscapeString(p.title()),
		"{{style}}", style, "{{script}}", script, "{{data}}", p.Data(),
		"{{timeline}}", webpage.Asset("timeline.html"), "{{firings}}", webpage.Asset("firings.html"),
		"{{notes}}", p.writtenNotes(),
	).WriteString(w, frame)
	return int64(n), err
}

// writtenNotes returns the notes as HTML. A table becomes a list of cards on a narrow page.
func (p *Page) writtenNotes() string {
	var b strings.Builder
	funcs := template.FuncMap{"visible": Visible}
	if err := template.Must(template.New("").Funcs(funcs).Parse(notes)).Execute(&b, p.notes); err != nil {
		panic(err) // a Builder takes all, and rows are as long as their heads
	}
	return b.String()
}

// Data returns what the page's scripts read as JSON, in which <, > and & are escaped, so that no text can end
// the element that the data is in.
func (p *Page) Data() string { return p.written(p.rules) }

// More returns Data without rules, for a page that has them already.
func (p *Page) More() string { return p.written(nil) }

func (p *Page) written(rules []rule) string {
	d := data{Rules: rules, Runs: p.all, Strings: p.strings.all, Shapes: list(p.shapes.all),
		Parts: list(p.parts.all), Lost: p.lost, Partial: p.partial}
	if d.Rules == nil {
		d.Rules = []rule{}
	}
	if d.Runs == nil {
		d.Runs = []*run{}
	}
	return encoded(d) + "\n"
}

// title names the page: after its run, or the number of its runs.
func (p *Page) title() string {
	switch len(p.all) {
	case 0:
		return "Replay"
	case 1:
		return "Replay of " + p.all[0].ID
	default:
		return "Replay of " + p.all[0].ID + " and more"
	}
}

// policy returns a content security policy that allows the page its one script and its one style sheet, by
// their hashes, and nothing to load. Trusted types keep the script itself from making markup of texts.
func policy(style, script string) string {
	return "default-src 'none'; script-src " + hash(script) + "; style-src " + hash(style) +
		"; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; " +
		"trusted-types 'none'"
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// Visible returns s in a form that a page may show: control, format, separator and private-use characters are
// written out, such as [U+202E], and bytes that are no UTF-8 become U+FFFD. Line ends and tabs stay. Joiners
// stay where they join: between letters of scripts that have joined forms, and in emoji.
func Visible(s string) string {
	i := strings.IndexFunc(s, suspect)
	if i < 0 {
		return s
	}
	var b strings.Builder
	before := rune(0)
	for at, r := range s {
		switch {
		case r == '\r' && strings.HasPrefix(s[at:], "\r\n"):
		case !suspect(r), r == '\n', r == '\t', joins(r) && before >= joined && after(s[at:], r) >= joined:
			b.WriteRune(r)
		case r == utf8.RuneError:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "[U+%04X]", r)
		}
		before = r
	}
	return b.String()
}

// suspect reports whether r may not be shown as it is, wherever it stands.
func suspect(r rune) bool {
	return r == utf8.RuneError || terminal.Obeys(r) || unicode.Is(unicode.Co, r)
}

// joined is the first rune that a joiner may join: letters before it, of Latin and similar scripts, have no
// joined forms.
const joined = 0x0590

func joins(r rune) bool { return r == '\u200c' || r == '\u200d' }

// after returns the rune that follows r at the beginning of s, 0 if none does.
func after(s string, r rune) rune {
	next, size := utf8.DecodeRuneInString(s[utf8.RuneLen(r):])
	if size == 0 {
		return 0
	}
	return next
}

// Cut returns the first n characters of s; where there are more, it adds how many.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	seen := 0
	for at := range s {
		if seen == n {
			return fmt.Sprintf("%s … (%d more characters)", s[:at], utf8.RuneCountInString(s[at:]))
		}
		seen++
	}
	return s
}

// Frame returns a page in the look of this one, without a script: body is HTML.
func Frame(title, body string) string {
	style := webpage.Style()
	head, _, _ := strings.Cut(frame, "<body>")
	return strings.NewReplacer("{{title}}", html.EscapeString(title), "{{style}}", style,
		"{{policy}}", "default-src 'none'; style-src "+hash(style)+
			"; img-src data:; base-uri 'none'; form-action 'none'").
		Replace(head) + "<body>\n" + body + "</body>\n</html>\n"
}
