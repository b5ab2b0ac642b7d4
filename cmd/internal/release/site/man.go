package site

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"

	"github.com/aside-go/aside/cmd/internal/manual"
)

// outside is a link to a file that is not part of what is published.
var outside = regexp.MustCompile(`\[([^\]]*)\]\((?:[^)#:]*\.md)\)`)

// Man writes a man page for each command (section 1) and each topic (section 7) into a directory, which is
// made where it is not there.
func Man(dir string, commands []Command) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	put := func(name, section, about, body string) error {
		head := "% " + strings.ToUpper(name) + " " + section + "\n\n# NAME\n\n" + name + " - " + about + "\n\n"
		return os.WriteFile(filepath.Join(dir, name+"."+section), md2man.Render([]byte(head+body)), 0o644)
	}
	var list strings.Builder
	list.WriteString("# SYNOPSIS\n\n**aside** *command* [flags]\n\n**asided** *command* [flags]\n\n" +
		"# COMMANDS\n\n")
	for _, c := range commands {
		usage, rest, _ := strings.Cut(c.Help, "\n\n")
		about, rest, _ := strings.Cut(rest, "\n\n")
		about = strings.Join(strings.Fields(about), " ")
		list.WriteString("**" + c.page() + "**(1)\n: " + about + "\n\n")
		err := put(c.page(), "1", about, "# SYNOPSIS\n\n"+fenced(strings.TrimPrefix(usage, "Usage: "))+
			"\n# DESCRIPTION\n\n"+fenced(rest))
		if err != nil {
			return err
		}
	}
	list.WriteString("# PAGES\n\n")
	for _, topic := range topics() {
		title := manual.Title(topic)
		list.WriteString("**aside-" + topic + "**(7)\n: " + title + "\n\n")
		text, _ := manual.Page(topic)
		_, text, _ = strings.Cut(text, "\n")
		text = strings.ReplaceAll(outside.ReplaceAllString(text, "$1"), "\n## ", "\n# ")
		if err := put("aside-"+topic, "7", title, text); err != nil {
			return err
		}
	}
	return put("aside", "1", "reminders for agents: a text, and a rule that says when a model should read it",
		list.String())
}

// fenced returns a text as Markdown that shows it as it is.
func fenced(s string) string { return "```\n" + strings.TrimSpace(s) + "\n```\n" }
