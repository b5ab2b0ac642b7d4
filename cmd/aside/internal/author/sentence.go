package author

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aside-go/aside/cmd/aside/internal/pack"
	"github.com/aside-go/aside/cmd/internal/command"
	"github.com/aside-go/aside/cmd/internal/replay"
	"github.com/aside-go/aside/cmd/internal/terminal"
	"github.com/aside-go/aside/compile"
	"github.com/aside-go/aside/compile/reminder"
	"github.com/aside-go/aside/compile/trigger"
	"github.com/aside-go/aside/internal/words"
)

// proposal is a rule for a sentence: of the cookbook, or made of a trigger and what the sentence says.
type proposal struct {
	compile.Source
	recipe  string   // its name in the cookbook; "": made
	without []string // what the sentence says of the moment, and the trigger does not
}

const (
	mostProposals = 3
	mostLines     = 4 // of a part of a proposal: three proposals fit one screen
)

// fromSentence shows rules for a sentence, with what each would have done in the newest session, and lets a
// person take one.
func (c AddOptions) fromSentence(ctx context.Context, e *command.Env) error {
	list := proposals(c.Name)
	if len(list) == 0 {
		return command.No("no rule was found for %q", c.Name).
			And("begin with the moment, such as: after a commit, remind me to push",
				"aside add lists the cookbook, and aside add NAME writes a rule of your own")
	}
	var all []compile.Source
	for _, p := range list {
		all = append(all, p.Source)
	}
	set, _ := compile.FromFiles(all, compile.Options{}) // each trigger compiles
	tried, err := replay.Try(ctx, replay.Options{Set: set, Owner: replay.OwnerOf(e.Home)})
	if err != nil {
		tried.Report = &replay.Report{}
	}
	session := "your newest session"
	if tried.Path == "" {
		session = "the sample session"
	}
	asks := command.Interactive() && e.OutTTY && e.ErrTTY
	for i, p := range list {
		did := "It could not be tried on " + session + "."
		for _, x := range tried.Reminders {
			if x.ID == p.ID {
				did = "In " + session + " it " + fired(x) + "."
			}
		}
		head := strconv.Itoa(i+1) + "  "
		show := func(s string) {
			lines := terminal.Wrap(s, max(cmp.Or(e.Width, 80)-4, 20))
			for i, l := range lines[:min(len(lines), mostLines)] {
				if i == mostLines-1 && len(lines) > mostLines {
					l = fmt.Sprintf("%s and %d lines more", e.Glyph("…", "..."), len(lines)-i)
				}
				fmt.Fprintln(e.Out, head+l)
				head = "   "
			}
		}
		show(p.Mode.String() + ": " + p.Trigger)
		if len(p.without) > 0 {
			show(`It says nothing of "` + strings.Join(p.without, `", "`) + `".`)
		}
		show(terminal.Line(p.Text))
		show(did)
		switch {
		case !asks:
			fmt.Fprintf(e.Out, "   %s\n", p.command(c.Scope))
		case p.recipe != "":
			show("It is " + p.recipe + " of the cookbook, and has a rule test.")
		}
	}
	if !asks {
		return nil
	}
	keys := "123"[:len(list)]
	key, err := e.Key("Take "+strings.Join(strings.Split(keys, ""), ", ")+"? Any other key takes none. ", keys)
	if err != nil {
		return err
	}
	p := list[strings.Index(keys, key)]
	if p.recipe != "" {
		c.Name = p.recipe
		return c.addRecipe(ctx, e)
	}
	c.Name, c.When, c.Text = p.ID, p.Trigger, &p.Text
	return c.write(ctx, e)
}

// proposals returns at most three rules for a sentence: those whose trigger shares words with its moment, and
// recipes of the cookbook that have such a trigger or the subject of the sentence.
func proposals(sentence string) (list []proposal) {
	when, text := words.Sentence(sentence)
	recipes := append(pack.Starters(), pack.All()...)
	add := func(p proposal) {
		same := func(o proposal) bool { return o.ID == p.ID || o.Trigger == p.Trigger && o.recipe == p.recipe }
		if len(list) < mostProposals && !slices.ContainsFunc(list, same) {
			list = append(list, p)
		}
	}
	whole := when == "" || strings.EqualFold(strings.Trim(when, "."), strings.Trim(sentence, "."))
	compiles := func(line string) bool {
		_, ds := trigger.Compile(line, nil)
		return !ds.HasErrors()
	}
	answer := words.Lines(cmp.Or(when, sentence), compiles)
	lines, sure := answer.Lines, answer.Sure
	verb, _, _ := strings.Cut(sentence, " ")
	says := len(strings.Fields(sentence)) > 2 ||
		words.Of(words.Verb, verb)+words.Of(words.Ban, verb) != "" // be brief; no emojis
	if says && when == "" && !sure || when != "" && len(lines) == 0 {
		if answer.Example { // of something else
			lines = nil
		}
		lines = append([]string{"always"}, append(lines[:min(len(lines), 1)], "every 20 turns")...)
	}
	for _, line := range lines {
		made := proposal{Source: compile.Source{Reminder: reminder.Reminder{ID: idOf(text, len(list)),
			Mode: reminder.When, Trigger: line, Text: text}}}
		if at := slices.Index(answer.Lines, line); when != "" {
			made.without = answer.Left
			if at >= 0 {
				made.without = answer.Without[at]
			}
		}
		i := slices.IndexFunc(recipes, func(r pack.Recipe) bool { src := r.Source(); return src.Trigger == line })
		if i < 0 || !whole && len(list) == 0 {
			add(made)
		}
		if i >= 0 {
			add(proposal{recipes[i].Source(), recipes[i].Name(), made.without})
		}
	}
	stems := words.Stems(sentence)
	for shared := len(stems); shared >= max(2, (len(stems)+1)/2); shared-- {
		for _, r := range recipes {
			src, n := r.Source(), 0
			of := words.Stems(src.ID + " " + src.Description)
			for _, s := range stems {
				if slices.Contains(of, s) {
					n++
				}
			}
			if n == shared {
				add(proposal{Source: src, recipe: r.Name()})
			}
		}
	}
	return list
}

// idOf returns an id for a rule with a text: its first words. n is how many proposals stand before it.
func idOf(text string, n int) string {
	id := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		case r == '\'':
			return -1
		}
		return ' '
	}, strings.ToLower(text))
	parts := strings.Fields(id)
	parts = parts[:min(len(parts), 4)]
	if len(parts) == 0 {
		parts = []string{"rule"}
	}
	if n > 0 {
		parts = append(parts, strconv.Itoa(n+1))
	}
	return strings.Join(parts, "-")
}

// command returns the command that takes a proposal.
func (p *proposal) command(scope string) string {
	line := "aside add " + p.recipe
	if p.recipe == "" {
		quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
		line = "aside add " + p.ID + " --when " + quote(p.Trigger) + " --text " + quote(p.Text)
	}
	if scope == "project" {
		line += " --scope project"
	}
	return line
}
