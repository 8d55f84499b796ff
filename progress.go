package main

import (
	"fmt"
	"io"

	"toolscope/mcpconn"
	"toolscope/ui/display"
)

// progressLines returns what prints the progress of a live call, a line for
// each that differs from the one before.
func progressLines(out io.Writer) func(mcpconn.Progress) {
	last := ""
	return func(p mcpconn.Progress) {
		line := "progress " + p.Share()
		if p.Message != "" {
			line += " " + display.Clip(p.Message, 400)
		}
		if line != last {
			fmt.Fprintln(out, line)
			last = line
		}
	}
}
