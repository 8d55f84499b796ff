package ui

import (
	"strings"

	"toolscope/mcpconn/config"
	"toolscope/ui/display"
)

// markdown is a document in the making. Text of servers, of the configuration
// and of the person goes into it by way of code alone.
type markdown struct {
	out     strings.Builder
	redact  config.Redactor
	altered bool // characters that would be markup were replaced
}

// line adds a line.
func (d *markdown) line(parts ...string) {
	for _, p := range parts {
		d.out.WriteString(p)
	}
	d.out.WriteByte('\n')
}

// head adds a heading.
func (d *markdown) head(level int, title string) {
	d.line("\n", strings.Repeat("#", level), " ", title, "\n")
}

// table adds a table. A column whose name ends in a colon has figures.
func (d *markdown) table(columns []string, rows [][]string) {
	names, rule := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i], rule[i] = strings.TrimSuffix(c, ":"), "---"
		if names[i] != c {
			rule[i] = "--:"
		}
	}
	for _, row := range append([][]string{names, rule}, rows...) {
		d.line("| ", strings.Join(row, " | "), " |")
	}
}

// code is a text of unknown origin as a code span of at most so many cells,
// secrets masked. In a code span no markup, link, mention or HTML has an
// effect; the characters that could end the span or the cell it stands in, or
// begin HTML where a reader knows no code spans, are shown as others that look
// like them.
func (d *markdown) code(text string, cells int) string {
	shown := display.Clip(d.redact.Redact(text), cells)
	if strings.TrimSpace(shown) == "" {
		return "–"
	}
	safe := strings.Map(func(r rune) rune {
		switch r {
		case '|':
			return '¦'
		case '`':
			return 'ˋ'
		case '<':
			return '‹'
		case '>':
			return '›'
		}
		return r
	}, shown)
	d.altered = d.altered || safe != shown
	return "`" + safe + "`"
}
