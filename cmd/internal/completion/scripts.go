package completion

import (
	"fmt"
	"strings"
)

// listIDs is the shell command with which a script lists the ids of reminders.
const listIDs = "aside remind 2>/dev/null"

// quote returns s as one word for any of the three shells.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func bash(cs []completable) string {
	var b strings.Builder
	names := make([]string, len(cs))
	for i, c := range cs {
		names[i] = c.name
	}
	fmt.Fprintf(&b, `# bash completion for aside
_aside() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd='' w flags='' words='' files=''
  COMPREPLY=()
  for w in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $w in -*) ;; *) cmd=$w; break ;; esac
  done
  case $cmd in
    '') words=%s flags='--help --version' ;;
`, quote(strings.Join(names, " ")))
	for _, c := range cs {
		var flags []string
		fmt.Fprintf(&b, "    %s)\n", c.name)
		var values strings.Builder
		for _, f := range c.flags {
			flags = append(flags, "--"+f.long)
			pattern := "--" + f.long
			if f.short != 0 {
				flags = append(flags, "-"+string(f.short))
				pattern += "|-" + string(f.short)
			}
			switch {
			case len(f.words) > 0:
				fmt.Fprintf(&values, "        %s) COMPREPLY=($(compgen -W %s -- \"$cur\")); return ;;\n", pattern,
					quote(strings.Join(f.words, " ")))
			case f.files:
				fmt.Fprintf(&values, "        %s) compopt -o default; return ;;\n", pattern)
			case f.value:
				fmt.Fprintf(&values, "        %s) return ;;\n", pattern)
			}
		}
		if values.Len() > 0 {
			fmt.Fprintf(&b, "      case $prev in\n%s      esac\n", values.String())
		}
		fmt.Fprintf(&b, "      flags=%s", quote(strings.Join(flags, " ")))
		switch {
		case c.ids:
			fmt.Fprintf(&b, "\n      [[ $cur == -* ]] || words=$(%s | awk '{print $1}')", listIDs)
		case len(c.words) > 0:
			fmt.Fprintf(&b, " words=%s", quote(strings.Join(c.words, " ")))
		case c.files:
			b.WriteString(" files=1")
		}
		b.WriteString(" ;;\n")
	}
	b.WriteString(`  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -n $files ]]; then
    compopt -o default
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -F _aside aside
`)
	return b.String()
}

// colons escapes the characters of a description that have a meaning to zsh.
func colons(s string) string {
	return strings.NewReplacer(`\`, `\\`, ":", `\:`, "[", `\[`, "]", `\]`).Replace(s)
}

func zsh(cs []completable) string {
	var b strings.Builder
	b.WriteString("#compdef aside\n_aside() {\n  local curcontext=$curcontext state line\n  local -a commands " +
		"ids\n  commands=(\n")
	for _, c := range cs {
		fmt.Fprintf(&b, "    %s\n", quote(c.name+":"+strings.ReplaceAll(c.help, ":", `\:`)))
	}
	b.WriteString("  )\n  _arguments -C '--help[Show help]' '--version[Print the version]' '1: " +
		":->command' '*:: " +
		":->rest' && return\n  case $state in\n" +
		"    command) _describe command commands ;;\n    rest)\n      case $words[1] in\n")
	for _, c := range cs {
		fmt.Fprintf(&b, "        %s)", c.name)
		if c.ids {
			fmt.Fprintf(&b, " ids=(${(f)\"$(%s | awk '{print $1}')\"});", listIDs)
		}
		b.WriteString(" _arguments")
		for _, f := range c.flags {
			value := ""
			switch {
			case len(f.words) > 0:
				value = ":value:(" + strings.Join(f.words, " ") + ")"
			case f.files:
				value = ":file:_files"
			case f.value:
				value = ":value: "
			}
			spec := "[" + colons(f.help) + "]" + value
			fmt.Fprintf(&b, " \\\n          %s", quote("*--"+f.long+spec))
			if f.short != 0 {
				fmt.Fprintf(&b, " \\\n          %s", quote("*-"+string(f.short)+spec))
			}
		}
		switch {
		case c.ids:
			b.WriteString(" \\\n          '1:reminder:($ids)'")
		case len(c.words) > 0:
			fmt.Fprintf(&b, " \\\n          %s", quote("1:word:("+strings.Join(c.words, " ")+")"))
		case c.files:
			b.WriteString(" \\\n          '*:file:_files'")
		}
		b.WriteString(" ;;\n")
	}
	b.WriteString("      esac ;;\n  esac\n}\nif [ \"$funcstack[1]\" = _aside ]; then _aside \"$@\"; " +
		"else compdef " +
		"_aside aside; fi\n")
	return strings.ReplaceAll(b.String(), "'1:reminder:($ids)'", "\"1:reminder:($ids)\"")
}

func fish(cs []completable) string {
	var b strings.Builder
	q := func(s string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
	}
	b.WriteString("# fish completion for aside\ncomplete -c aside -f\n")
	b.WriteString("complete -c aside -n __fish_use_subcommand -l help -d 'Show help'\ncomplete -c aside -n " +
		"__fish_use_subcommand -l version -d 'Print the version'\n")
	for _, c := range cs {
		fmt.Fprintf(&b, "complete -c aside -n __fish_use_subcommand -a %s -d %s\n", c.name, q(c.help))
	}
	for _, c := range cs {
		on := "complete -c aside -n " + q("__fish_seen_subcommand_from "+c.name)
		for _, f := range c.flags {
			fmt.Fprintf(&b, "%s -l %s", on, f.long)
			if f.short != 0 {
				fmt.Fprintf(&b, " -s %c", f.short)
			}
			switch {
			case len(f.words) > 0:
				fmt.Fprintf(&b, " -x -a %s", q(strings.Join(f.words, " ")))
			case f.files:
				b.WriteString(" -r -F")
			case f.value:
				b.WriteString(" -x")
			}
			fmt.Fprintf(&b, " -d %s\n", q(f.help))
		}
		switch {
		case c.ids:
			fmt.Fprintf(&b, "%s -a %s\n", on, q("("+listIDs+" | string replace -r '\\s.*' '')"))
		case len(c.words) > 0:
			fmt.Fprintf(&b, "%s -a %s\n", on, q(strings.Join(c.words, " ")))
		case c.files:
			fmt.Fprintf(&b, "%s -F\n", on)
		}
	}
	return b.String()
}
