// Package webpage has the styles and scripts that the web pages of aside share: the page of a replay, the
// report on effects, the inspector of serve, the playground and the site of the manual. They are files in the
// folder asset, embedded; there is no build step and no library. A page adds its own frame and its own last
// script.
//
// The scripts are parts of one script, in the order of Timeline, and put texts into the page as text alone.
// All functions may be called concurrently.
package webpage

import (
	"embed"
	"strings"
)

//go:embed asset
var assets embed.FS

// The styles of a page with a timeline, and the parts of its script that come before its own.
var (
	styles   = []string{"tokens.css", "page.css", "chart.css", "print.css"}
	timeline = []string{"base.js", "theme.js", "data.js", "filter.js", "chart.js", "marks.js", "detail.js",
		"tables.js", "timeline.js"}
)

// Style returns the style sheet of a page with a timeline.
func Style() string { return joined(styles) }

// Script returns the script of a page with a timeline: the shared parts, and the page's own behind them.
func Script(own ...string) string {
	return "'use strict';(() => {\n" + joined(timeline) + strings.Join(own, "") + "})();\n"
}

// Asset returns a file of the folder asset.
func Asset(name string) string {
	b, err := assets.ReadFile("asset/" + name)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return string(b)
}

func joined(names []string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(Asset(name))
	}
	return b.String()
}
