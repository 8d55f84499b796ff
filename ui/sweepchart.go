package ui

import (
	"strings"

	"github.com/charmbracelet/lipgloss"

	"toolscope/engine"
)

// sweepChart draws the lines of a sweep, all on one scale, each behind a label.
type sweepChart struct {
	theme       theme
	scale       scale
	labels      int // cells of the labels
	now, cursor sweepMark
}

// sweepMark is a budget on the chart.
type sweepMark struct {
	tokens int
	column int // that it lies in; -1 where it is beyond an end
}

func newSweepChart(t theme, s scale, labels, now, cursor int) sweepChart {
	mark := func(tokens int) sweepMark {
		column, ok := s.column(tokens)
		if !ok {
			column = -1
		}
		return sweepMark{tokens, column}
	}
	return sweepChart{t, s, labels, mark(now), mark(cursor)}
}

// cell is one cell of a line, with the name of its style.
type cell struct {
	r   rune
	ink string
}

// The inks that are no form or mode.
const (
	inkNow      = "now"
	inkCursor   = "cursor"
	inkSelected = "selected"
	inkMuted    = "muted"
)

// ink is the style of cells.
func (c sweepChart) ink(name string) lipgloss.Style {
	switch t := c.theme; name {
	case "":
		return t.text
	case inkNow:
		return t.strong
	case inkCursor:
		return t.accent
	case inkSelected:
		return t.selected
	case inkMuted:
		return t.muted
	}
	return c.theme.form(name)
}

// line puts cells behind a label. Neighbours of one ink are styled together.
func (c sweepChart) line(label string, cells []cell) string {
	var out strings.Builder
	out.WriteString(" " + fit(label, c.labels) + " ")
	for i := 0; i < len(cells); {
		var run []rune
		ink := cells[i].ink
		for ; i < len(cells) && cells[i].ink == ink; i++ {
			run = append(run, cells[i].r)
		}
		out.WriteString(c.ink(ink).Render(string(run)))
	}
	return out.String()
}

// blank is a line without anything on it.
func (c sweepChart) blank() []cell {
	cells := make([]cell, len(c.scale.bands))
	for i := range cells {
		cells[i].r = ' '
	}
	return cells
}

// write puts a text on a line where all of it fits on blank cells, with a blank
// one on either side, and reports whether it did.
func write(cells []cell, at int, text, ink string) bool {
	runes := []rune(text)
	if at < 0 || at+len(runes) > len(cells) {
		return false
	}
	for i := max(0, at-1); i < min(len(cells), at+len(runes)+1); i++ {
		if cells[i].r != ' ' {
			return false
		}
	}
	for i, r := range runes {
		cells[at+i] = cell{r, ink}
	}
	return true
}

// formGlyphs is how a form of the listing or a mode of a group is drawn: a
// letter where it begins, then a pattern.
func formGlyphs(name string) (letter, pattern rune) {
	switch name {
	case string(engine.FormFull):
		return 'F', '█'
	case string(engine.FormNames):
		return 'N', '▓'
	case string(engine.FormMixed):
		return 'M', '▒'
	case string(engine.FormGroups):
		return 'G', '░'
	case string(engine.ModeSummary):
		return 'Σ', '░'
	case string(engine.FormNone):
		return '·', '·'
	}
	return 'G', '!' // over budget
}

// legend explains the letters, patterns and marks, as many as there is room for.
func legend(t theme, width int) string {
	var items []string
	for _, name := range []string{"full", "names", "mixed", "groups", "summary", "none"} {
		letter, pattern := formGlyphs(name)
		items = append(items, t.form(name).Render(string(letter)+string(pattern))+t.muted.Render(" "+name))
	}
	items = append(items, t.strong.Render("┃")+t.muted.Render(" now"), t.accent.Render("▲")+t.muted.Render(" cursor"))
	out, _ := flow(items, " ", width, 1)
	return strings.Join(out, "")
}

// row draws what something is in each band. The marks leave the letters to be
// read: those under the cursor are what changes there.
func (c sweepChart) row(label string, name func(band int) string) string {
	cells := c.blank()
	before := ""
	for i, band := range c.scale.bands {
		now := before
		if c.scale.begins(i) {
			now = name(band)
		}
		letter, pattern := formGlyphs(now)
		switch {
		case now != before && i == c.cursor.column:
			cells[i] = cell{letter, inkSelected}
		case now != before:
			cells[i] = cell{letter, now}
		case i == c.now.column:
			cells[i] = cell{'┃', inkNow}
		case i == c.cursor.column:
			cells[i] = cell{'│', inkCursor}
		default:
			cells[i] = cell{pattern, now}
		}
		before = now
	}
	return c.line(label, cells)
}

// marks is the line over the chart, with the figure of the present budget.
func (c sweepChart) marks() string {
	cells := c.blank()
	figure := "now " + number(c.now.tokens)
	at := c.now.column
	switch {
	case at >= 0:
		_ = write(cells, at, "┃ "+figure, inkNow) || write(cells, at-len(figure)-1, figure+" ┃", inkNow) || write(cells, at, "┃", inkNow)
	case len(cells) > 0 && c.now.tokens < c.scale.edges[0]:
		write(cells, 0, "◂ "+figure, inkNow)
	default:
		write(cells, len(cells)-len(figure)-2, figure+" ▸", inkNow)
	}
	return c.line("", cells)
}

// ticks is the axis, with a tick at each threshold.
func (c sweepChart) ticks() string {
	cells := c.blank()
	for i := range cells {
		cells[i] = cell{'─', inkMuted}
		if c.scale.begins(i) {
			cells[i].r = '┴'
		}
		switch i {
		case c.now.column:
			cells[i] = cell{'┃', inkNow}
		case c.cursor.column:
			cells[i] = cell{'┼', inkCursor}
		}
	}
	return c.line(c.theme.muted.Render("budget"), cells)
}

// figures is the line under the axis: the cursor's figure, and those of the
// thresholds that there is room for.
func (c sweepChart) figures(thresholds []int) string {
	cells := c.blank()
	if c.scale.before > 0 {
		cells[0] = cell{'◂', inkMuted}
	}
	if c.scale.after > 0 {
		cells[len(cells)-1] = cell{'▸', inkMuted}
	}
	place := func(at int, sign, figure, ink string) {
		_ = write(cells, at, sign+figure, ink) || write(cells, at-len(figure), figure+sign, ink)
	}
	if c.cursor.column >= 0 {
		place(c.cursor.column, "▲", number(c.cursor.tokens), inkCursor)
	}
	last := len(thresholds) - 1
	for _, i := range append([]int{0, last}, between(1, last)...) {
		if at, ok := c.scale.column(thresholds[i]); ok {
			place(at, "", short(thresholds[i]), inkMuted)
		}
	}
	return c.line(c.theme.muted.Render("tokens"), cells)
}

// between lists the numbers from low up to, but without, high.
func between(low, high int) []int {
	var out []int
	for i := low; i < high; i++ {
		out = append(out, i)
	}
	return out
}
