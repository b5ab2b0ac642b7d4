package testkit

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"
)

// inks are the colours of a picture for the codes of a terminal.
var inks = map[string]string{"2": "#8b949e", "38;5;243": "#8b949e", "31": "#ff7b72", "32": "#7ee787",
	"33": "#d29922", "35": "#d2a8ff", "36": "#79c0ff", "38;5;31": "#79c0ff"}

// Picture draws rows of a terminal, with their styles, as SVG: below a command, or alone where that is "".
// Each character is one column wide.
func Picture(command string, rows []string) string {
	const lineHeight, margin, letter = 19, 16, 8.43
	if command != "" {
		rows = slices.Concat([]string{"\x1b[32m$ " + command + "\x1b[m", ""}, rows)
	}
	var b strings.Builder
	wide := 0
	for n, row := range rows {
		x, ink, weight := 0, "", ""
		fmt.Fprintf(&b, `<text y="%d" xml:space="preserve">`, margin+lineHeight*(n+1)-5)
		for part := range strings.SplitSeq("m"+row, "\x1b[") {
			style, text, _ := strings.Cut(part, "m")
			colour := strings.TrimPrefix(strings.TrimSuffix(style, ";1"), "1;")
			switch {
			case style == "" || style == "0":
				ink, weight = "#e6edf3", ""
			case style == "1" || colour != style:
				weight = ` font-weight="bold"`
			}
			if c, is := inks[colour]; is {
				ink = c
			}
			if text == "" {
				continue
			}
			fmt.Fprintf(&b, `<tspan x="%.2f" fill="%s"%s>%s</tspan>`, margin+letter*float64(x), ink, weight,
				html.EscapeString(text))
			x += utf8.RuneCountInString(text)
		}
		wide = max(wide, x)
		b.WriteString("</text>\n")
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" `+
		`font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">
<rect width="100%%" height="100%%" rx="8" fill="#16181d"/>
`, 2*margin+letter*float64(wide), 2*margin+lineHeight*len(rows)) + b.String() + "</svg>\n"
}
