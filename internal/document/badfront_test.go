package document_test

// badFront is what is wrong before there is any YAML.
var badFront = []badFile{
	{"not UTF-8", "a.md", "---\nwhen: always\n---\nh\xe9llo\n", "---\nwhen: always\n---\nhéllo\n", []string{
		"4:2-4:3 error[R0402]: byte 0xe9 is not UTF-8 (save the file as UTF-8)",
	}},
	{"not UTF-8 in a YAML file", "a.yaml", "content: \xff\xfe\n", "content: x\n", []string{
		"1:10-1:11 error[R0402]: byte 0xff is not UTF-8 (save the file as UTF-8)",
	}},
	{"a NUL in the body", "a.md", "hello\x00\n", "", []string{
		"1:6-1:7 error[R0402]: character U+0000 cannot stand in this file (remove it)",
	}},
	{"an escape character in the body", "a.md", "red \x1b[31m text\n", "", []string{
		"1:5-1:6 error[R0402]: character U+001B cannot stand in this file (remove it)",
	}},
	{"a no-break control in YAML", "a.yaml", "content: a\u0081b\n", "", []string{
		"1:11-1:12 error[R0402]: character U+0081 cannot stand in this file (remove it)",
	}},
	{"a second byte order mark", "a.yaml", "id: a\ncontent: x\ufeff\n", "", []string{
		"2:11-2:12 error[R0402]: character U+FEFF cannot stand in this file (remove it)",
	}},
	{"another extension", "notes.txt", "hello\n", "", []string{
		"1:1-1:1 error[R0403]: \"notes.txt\" is not a rule file by its name (name it .md, .yaml or .yml)",
	}},
	{"not closed", "a.md", "---\nwhen: always\nDo this.\n", "", []string{
		"1:1-1:4 error[R0404]: the front matter is not closed (put a line `---` between the keys and the text)",
	}},
	{"not closed, no text", "a.md", "---\nwhen: always\n", "---\nwhen: always\n---\nx\n", []string{
		"1:1-1:4 error[R0404]: the front matter is not closed (put a line `---` between the keys and the text)",
	}},
	{"closed by four dashes", "a.md", "---\nwhen: always\n----\ntext\n", "", []string{
		"1:1-1:4 error[R0404]: the front matter is not closed (put a line `---` between the keys and the text)",
	}},
	{"below a blank line", "a.md", "\n---\nwhen: always\n---\ntext\n", "", []string{
		"2:1-2:4 error[R0404]: the front matter does not begin on the first line (remove what is above it)",
	}},
	{"indented", "a.md", "  ---\nwhen: always\n---\ntext\n", "", []string{
		"1:3-1:6 error[R0404]: the front matter does not begin at the margin (remove the blanks in front of ---)",
	}},
	{"ends early", "a.md", "---\nwhen: always\n...\ntier: safety\n---\ntext\n",
		"---\nwhen: always\ntier: safety\n---\ntext\n", []string{
			"3:1-3:4 error[R0408]: the YAML ends here, and the rest would not be read (remove the line)",
		}},
	{"no keys but a text", "a.md", "---\njust words\n---\ntext\n",
		"---\ndescription: just words\n---\ntext\n", []string{
			"2:1-2:11 error[R0407]: a reminder is written as keys and values (write `when: TRIGGER` and the " +
				"like, each " +
				"key on a line of its own)",
		}},
	{"no keys but a list", "a.md", "---\n- when\n- always\n---\ntext\n",
		"---\nwhen: always\n---\ntext\n", []string{
			"2:1-2:2 error[R0407]: a reminder is written as keys and values (write `when: TRIGGER` and the " +
				"like, each " +
				"key on a line of its own)",
		}},
}
