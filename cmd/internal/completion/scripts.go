package completion

import (
	"fmt"
	"strings"
)

// listIDs returns the shell command with which the script of a program lists the ids of reminders.
func listIDs(program string) string { return program + " remind 2>/dev/null" }

// quote returns s as one word for any of the three shells.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func bash(program string, cs []completable) string {
	var b strings.Builder
	names := make([]string, len(cs))
	for i, c := range cs {
		names[i] = c.name
	}
	fmt.Fprintf(&b, `# bash completion for %[1]s
_%[1]s() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} cmd='' w flags='' words='' files=''
  COMPREPLY=()
  for w in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $w in -*) ;; *) cmd=$w; break ;; esac
  done
  case $cmd in
    '') words=%[2]s flags='--help --version' ;;
`, program, quote(strings.Join(names, " ")))
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
			fmt.Fprintf(&b, "\n      [[ $cur == -* ]] || words=$(%s | awk '{print $1}')", listIDs(program))
		case len(c.words) > 0:
			fmt.Fprintf(&b, " words=%s", quote(strings.Join(c.words, " ")))
		case c.files:
			b.WriteString(" files=1")
		}
		b.WriteString(" ;;\n")
	}
	fmt.Fprintf(&b, `  esac
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$flags" -- "$cur"))
  elif [[ -n $files ]]; then
    compopt -o default
  else
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -F _%[1]s %[1]s
`, program)
	return b.String()
}

// colons escapes the characters of a description that have a meaning to zsh.
func colons(s string) string {
	return strings.NewReplacer(`\`, `\\`, ":", `\:`, "[", `\[`, "]", `\]`).Replace(s)
}

func zsh(program string, cs []completable) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#compdef %[1]s\n_%[1]s() {\n  local curcontext=$curcontext state line\n"+
		"  local -a commands ids\n  commands=(\n", program)
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
			fmt.Fprintf(&b, " ids=(${(f)\"$(%s | awk '{print $1}')\"});", listIDs(program))
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
	fmt.Fprintf(&b, "      esac ;;\n  esac\n}\nif [ \"$funcstack[1]\" = _%[1]s ]; then _%[1]s \"$@\"; "+
		"else compdef _%[1]s %[1]s; fi\n", program)
	return strings.ReplaceAll(b.String(), "'1:reminder:($ids)'", "\"1:reminder:($ids)\"")
}

func fish(program string, cs []completable) string {
	var b strings.Builder
	q := func(s string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
	}
	first := "complete -c " + program + " -n __fish_use_subcommand"
	fmt.Fprintf(&b, "# fish completion for %[1]s\ncomplete -c %[1]s -f\n", program)
	fmt.Fprintf(&b, "%[1]s -l help -d 'Show help'\n%[1]s -l version -d 'Print the version'\n", first)
	for _, c := range cs {
		fmt.Fprintf(&b, "%s -a %s -d %s\n", first, c.name, q(c.help))
	}
	for _, c := range cs {
		on := "complete -c " + program + " -n " + q("__fish_seen_subcommand_from "+c.name)
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
			fmt.Fprintf(&b, "%s -a %s\n", on, q("("+listIDs(program)+" | string replace -r '\\s.*' '')"))
		case len(c.words) > 0:
			fmt.Fprintf(&b, "%s -a %s\n", on, q(strings.Join(c.words, " ")))
		case c.files:
			fmt.Fprintf(&b, "%s -F\n", on)
		}
	}
	return b.String()
}
