// Package site writes the manual for other readers than the terminal: as a static site, and as man pages.
// It owns no text but the frame of the pages: pages, words and the help of commands come from package manual
// and its caller. The site needs no network and no server but for the playground. Functions may be called
// concurrently with different directories.
package site

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"html/template"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"

	"github.com/aside-go/aside/cmd/internal/manual"
	"github.com/aside-go/aside/cmd/internal/webpage"
)

// Command is a command of a program, with the text of its help.
type Command struct{ Program, Name, Help string }

// page is the name of the man page, and of the place on the page of the commands.
func (c Command) page() string { return c.Program + "-" + c.Name }

// Content is what a site has beside the manual.
type Content struct {
	Commands []Command
	Sample   []byte // the page of a replay
	// the directory with playground.wasm and Go's wasm_exec.js; "": the site has no playground
	Playground string
}

//go:embed asset
var assets embed.FS

var frame = template.Must(template.ParseFS(assets, "asset/page.html"))

// page is a page of the site, as the frame shows it.
type page struct {
	Title, File string
	Body        template.HTML
	Shelves     []shelf
	Play        bool // the site has a playground
}

type link struct{ Title, File string }

// shelf is a group of pages.
type shelf struct {
	Title  string
	Links  []link
	topics string
}

// shelves returns the pages in the order in which people need them. A page that no group names stands in the
// last.
func shelves() []shelf {
	all := []shelf{
		{Title: "Rules", topics: "rules cookbook suggest triggers facts keys calls moments tests effect costs"},
		{Title: "Ways to use it", topics: "agents serve clients lines library bodies editors view inspector"},
		{Title: "On many machines", topics: "service databases bundles telemetry fleet"},
		{Title: "More", topics: "state configuration faq limits exit glossary benchmarks"},
	}
	left := topics()
	for i := range all {
		for _, topic := range strings.Fields(all[i].topics) {
			if at := slices.Index(left, topic); at >= 0 {
				left = slices.Delete(left, at, at+1)
				all[i].Links = append(all[i].Links, linked(topic))
			}
		}
	}
	last := &all[len(all)-1]
	for _, topic := range left {
		last.Links = append(last.Links, linked(topic))
	}
	last.Links = append(last.Links, link{"Words and findings", "words.html"}, link{"Commands", "commands.html"})
	return all
}

func linked(topic string) link {
	title, _, _ := strings.Cut(manual.Title(topic), ":")
	return link{strings.ReplaceAll(title, "`", ""), topic + ".html"}
}

// Write writes the site into a directory, which is made where it is not there. Files of other names stay.
func Write(dir string, c Content) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	s := &site{dir: dir, c: c, shelves: shelves()}
	for _, topic := range topics() {
		s.topic(topic)
	}
	s.words()
	s.commands()
	s.index()
	s.put("replay.html", c.Sample)
	s.put("site.css", []byte(webpage.Asset("tokens.css")+webpage.Asset("findings.css")+string(
		asset("site.css"))))
	s.put("site.js", asset("site.js"))
	s.put("aside-reminder.js", []byte(webpage.Asset("aside-reminder.js")))
	for _, name := range []string{"chat.html", "chat.css", "chat.js"} { // an example of its use
		s.put(name, asset(name))
	}
	if c.Playground != "" {
		s.playground()
	}
	return s.err
}

// topics returns the topics that are pages of their own.
func topics() []string {
	var names []string
	for _, t := range manual.Topics() {
		if t != manual.Contents {
			names = append(names, t)
		}
	}
	return names
}

// site is a site that is being written.
type site struct {
	dir     string
	c       Content
	shelves []shelf
	err     error // the first error
}

func asset(name string) []byte {
	b, err := assets.ReadFile("asset/" + name)
	if err != nil {
		panic(err) // it is part of the program
	}
	return b
}

func (s *site) put(name string, b []byte) {
	if s.err == nil {
		s.err = os.WriteFile(filepath.Join(s.dir, name), b, 0o644)
	}
}

func (s *site) page(p page) {
	p.Shelves, p.Play = s.shelves, s.c.Playground != ""
	var out bytes.Buffer
	if err := frame.Execute(&out, p); err != nil && s.err == nil {
		s.err = err
	}
	s.put(p.File, out.Bytes())
}

// topic writes the page of a topic.
func (s *site) topic(topic string) {
	p := page{Title: strings.ReplaceAll(manual.Title(topic), "`", ""), File: topic + ".html"}
	text, _ := manual.Page(topic)
	p.Body = s.html(text)
	for _, picture := range []string{topic + ".svg", topic + ".png"} {
		if b, err := assets.ReadFile("asset/" + picture); err == nil {
			s.put(picture, b)
			p.Body += template.HTML(fmt.Sprintf("<p><img src=%q alt=%q>", picture, p.Title))
		}
	}
	s.page(p)
}

var headings, tags = regexp.MustCompile(`<h2>.*</h2>`), regexp.MustCompile(`<[^>]*>`)

// place returns the id of a heading.
func place(heading string) string {
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(heading, "`", "")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_'
	})
	return strings.Join(words, "-")
}

// wordPlace returns the id of a word, which may be a sign.
func wordPlace(word string) string { return "word-" + strings.ReplaceAll(word, " ", "-") }

// words writes the page of the words of the language and of the findings, by their names.
func (s *site) words() {
	all := manual.Words()
	slices.SortStableFunc(all, func(a, b manual.Entry) int { return cmp.Compare(a.Name, b.Name) })
	var body strings.Builder
	body.WriteString("<h1>Words and findings</h1>\n")
	for i, w := range all {
		if i == 0 || w.Name != all[i-1].Name {
			fmt.Fprintf(&body, "<h2 id=\"%s\">%s</h2>\n", template.HTMLEscapeString(wordPlace(w.Name)),
				template.HTMLEscapeString(w.Name))
		}
		fmt.Fprintf(&body, "<p><code>%s</code> (%s; <a href=\"%s.html\">%[3]s</a>)</p>\n%[4]s",
			template.HTMLEscapeString(w.Form), template.HTMLEscapeString(w.Kind), w.Topic, s.html(w.Doc))
	}
	s.page(page{Title: "Words and findings", File: "words.html", Body: template.HTML(body.String())})
}

// html renders Markdown. Pages of the manual name each other as files; other files are those of the
// repository, of which the site has none.
func (s *site) html(text string) template.HTML {
	for _, t := range topics() {
		text = strings.ReplaceAll(text, "]("+t+".md)", "]("+t+".html)")
	}
	text = outside.ReplaceAllString(text, "$1")
	var out bytes.Buffer
	err := goldmark.New(goldmark.WithExtensions(extension.Table)).Convert([]byte(text), &out)
	if err != nil && s.err == nil {
		s.err = err
	}
	body := headings.ReplaceAllStringFunc(out.String(), func(h string) string {
		return fmt.Sprintf("<h2 id=%q>", place(html.UnescapeString(tags.ReplaceAllString(h, "")))) + h[len("<h2>"):]
	})
	body = strings.ReplaceAll(body, "<pre>", "<pre tabindex=0>")
	body = strings.ReplaceAll(body, "<table>", "<div class=wide tabindex=0><table>")
	return template.HTML(strings.ReplaceAll(body, "</table>", "</table></div>")) // goldmark drops raw HTML
}

func (s *site) commands() {
	var body strings.Builder
	body.WriteString("<h1>Commands</h1>\n")
	for _, c := range s.c.Commands {
		fmt.Fprintf(&body, "<h2 id=%q>%s %s</h2>\n<pre tabindex=0>%s</pre>\n", c.page(), c.Program, c.Name,
			template.HTMLEscapeString(c.Help))
	}
	s.page(page{Title: "Commands", File: "commands.html", Body: template.HTML(body.String())})
}

// index writes the first page, and the words that its search looks through.
func (s *site) index() {
	s.page(page{Title: "aside", File: "index.html", Body: template.HTML(asset("index.html"))})
	type entry struct {
		File  string `json:"f"`
		Title string `json:"t"`
		Text  string `json:"x"`
	}
	var all []entry
	for _, sec := range manual.Sections() {
		file := sec.Page + ".html"
		switch {
		case sec.Word:
			file = "words.html#" + url.PathEscape(wordPlace(sec.Page))
		case sec.Part:
			file += "#" + place(sec.Title)
		}
		all = append(all, entry{file, sec.Title, sec.Text})
	}
	for _, c := range s.c.Commands {
		all = append(all, entry{"commands.html#" + c.page(), c.Program + " " + c.Name, c.Help})
	}
	b, err := json.Marshal(all)
	if err != nil && s.err == nil {
		s.err = err
	}
	s.put("search.js", append(append([]byte("const sections = "), b...), ";\n"...))
}

// playground writes the page of the playground, and its program packed: pages of any server can unpack it.
func (s *site) playground() {
	program, err := os.ReadFile(filepath.Join(s.c.Playground, "playground.wasm"))
	if err == nil {
		var glue []byte
		if glue, err = os.ReadFile(filepath.Join(s.c.Playground, "wasm_exec.js")); err == nil {
			s.put("wasm_exec.js", glue)
		}
	}
	if err != nil {
		s.err = err
		return
	}
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is one that there is
	_, _ = z.Write(program)                                    // a Buffer takes all
	_ = z.Close()
	s.put("playground.bin", packed.Bytes())
	s.put("findings.js", []byte(webpage.Asset("findings.js")))
	s.put("playground.js", asset("playground.js"))
	s.page(page{Title: "Playground", File: "playground.html", Body: template.HTML(asset("playground.html"))})
}
