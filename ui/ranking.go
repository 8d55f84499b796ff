package ui

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/ui/display"
)

const (
	maxTermLabel   = 9  // cells of a token's name beside its part of a bar
	maxHitBar      = 36 // cells of the best hit's bar, without the names
	minLabelledBar = 10
	maxBelow       = 50 // tools below the limit that are ranked
	previewRows    = 4  // kept for the tool under the cursor, the blank line above included
	minPreviewRows = 3
)

// places is how many tools of a ranking have a row: those within the limit,
// then some of those below it.
func places(r engine.Result) int { return len(r.Hits) + len(r.Below) }

// hitAt is the tool at a place of a ranking, counted from 0.
func hitAt(r engine.Result, place int) (engine.Hit, bool) {
	switch {
	case place < 0 || place >= places(r):
		return engine.Hit{}, false
	case place < len(r.Hits):
		return r.Hits[place], true
	}
	return r.Below[place-len(r.Hits)], true
}

// rankLines is how many lines a ranking has: one per place, one that says where
// the limit is, and one that counts the tools which have no place.
func rankLines(r engine.Result) int {
	if len(r.Below) == 0 {
		return len(r.Hits)
	}
	n := places(r) + 1
	if r.Total > places(r) {
		n++
	}
	return n
}

// lineOf is the line of a place; the last place, and what comes after it, has
// the last line.
func lineOf(r engine.Result, place int) int {
	switch {
	case place >= places(r)-1:
		return rankLines(r) - 1
	case place >= len(r.Hits):
		return place + 1
	}
	return place
}

// placeOn is the place on a line, false for a line that is no tool's.
func placeOn(r engine.Result, line int) (place int, ok bool) {
	if line > len(r.Hits) {
		line--
	} else if line == len(r.Hits) {
		return 0, false
	}
	return line, line >= 0 && line < places(r)
}

// listHeight is how many lines the ranking has. What is within the limit, and a
// first tool below it, comes before what is told of the tool under the cursor.
func (p *queryPane) listHeight() int {
	h := p.bodyHeight()
	r, ok := p.result()
	if !ok {
		return h
	}
	least, taken := len(r.Hits), 0
	if len(r.Below) > 0 {
		least += 2
	}
	if p.echo {
		// The echo takes its line from the ranking alone, so that it changes
		// nothing else.
		h, taken = h+1, 1
	}
	list := h
	if shared := max(h-previewRows, least); h-shared >= minPreviewRows {
		list = shared
	}
	return max(1, list-taken)
}

// rankColumns is how wide each column of the ranking is. Zero leaves a column
// out.
type rankColumns struct {
	rank, name, score, bar int
	decimals               int
	labels                 bool // the bars' parts carry their tokens
	blocks                 int  // cells of the best hit's bar
}

// rankColumns fits the columns to the width: the name last of all goes, the
// bar first.
func (p *queryPane) rankColumns(r engine.Result) rankColumns {
	c := rankColumns{rank: 1, decimals: 3}
	best, labels := p.best(r), 0
	hits := slices.Concat(r.Hits, r.Below)
	if pin, ok := p.pinnedNow(); ok && !pin.Why.Found && pin.Why.Rank > 0 {
		hits = append(hits, pin.Hit)
	}
	for _, h := range hits {
		c.rank = max(c.rank, len(strconv.Itoa(h.Rank)))
		c.name = max(c.name, ansi.StringWidth(display.Clip(h.Name, p.width)))
		cells := 0
		for _, part := range h.Terms {
			if part.Score > 0 {
				cells += 1 + ansi.StringWidth(display.Clip(part.Stem, maxTermLabel))
			}
		}
		labels = max(labels, cells)
	}
	room := p.width - 2 - c.rank - 1 // the cursor's mark, the rank
	if p.width < 100 {
		c.decimals = 2
	}
	c.score = len(strconv.FormatFloat(best, 'f', c.decimals, 64))
	if p.width < 28 {
		c.score = 0
	} else {
		room -= c.score + 2
	}
	if p.width < 48 {
		c.name = max(0, min(c.name, room))
		return c
	}
	c.name = min(c.name, max(20, room*55/100))
	c.bar = room - c.name - 3
	c.blocks = min(maxHitBar, c.bar)
	if c.bar-labels >= minLabelledBar {
		c.labels = true
		c.blocks = min(maxHitBar, c.bar-labels)
	}
	return c
}

// best is the highest score of a ranking, which has the longest bar.
func (p *queryPane) best(r engine.Result) float64 {
	best := 0.0
	for _, h := range r.Hits {
		best = max(best, h.Score)
	}
	return best
}

// hitLines is the ranking, as many lines as fit in height from the top line on.
func (p *queryPane) hitLines(r engine.Result, height int) []string {
	c, best := p.rankColumns(r), p.best(r)
	var out []string
	for at := p.top; at < rankLines(r) && at < p.top+height; at++ {
		place, ok := placeOn(r, at)
		switch h, _ := hitAt(r, place); {
		case ok:
			out = append(out, p.hitLine(r, h, c, best, place == p.cursor, place >= len(r.Hits)))
		case at == len(r.Hits):
			out = append(out, rule(p.theme, fmt.Sprintf("limit %d", r.Limit), p.width))
		default:
			out = append(out, p.theme.muted.Render(fmt.Sprintf("  and %s more", number(r.Total-places(r)))))
		}
	}
	return out
}

// hitLine is one row of the ranking; a faded one is of a tool that the model is
// not told of.
func (p *queryPane) hitLine(r engine.Result, h engine.Hit, c rankColumns, best float64, selected, faded bool) string {
	t := p.theme
	mark := " "
	if pin, ok := p.pinnedNow(); ok && pin.Why.Tool == h.Name {
		mark = "◆" // the expected tool
	}
	name := fmt.Sprintf("%*d%s%s", c.rank, h.Rank, mark, fit(display.Clip(h.Name, c.name), c.name))
	score := strconv.FormatFloat(h.Score, 'f', c.decimals, 64)
	if h.Exact {
		score = "–"
	}
	if c.score > 0 {
		name += "  " + strings.Repeat(" ", max(0, c.score-ansi.StringWidth(score))) + score
	}
	line := "  " + name
	switch {
	case selected:
		line = t.selected.Render("› " + name)
	case faded:
		line = t.muted.Render(line)
	}
	if c.bar <= 0 {
		if h.Exact || r.Fallback {
			return line + " " + hitMark(t, h, r)
		}
		return line
	}
	return line + "   " + p.hitBar(r, h, c, best, faded)
}

// hitMark says what found a hit where it was not its tokens.
func hitMark(t theme, h engine.Hit, r engine.Result) string {
	switch {
	case h.Exact:
		return t.good.Render("✓ exact name")
	case r.Fallback:
		return t.warn.Render("substring (no token in any tool)")
	}
	return ""
}

// hitBar draws what each token gave to a score, on one scale for all hits, and
// names the tokens that gave nothing.
func (p *queryPane) hitBar(r engine.Result, h engine.Hit, c rankColumns, best float64, faded bool) string {
	t := p.theme
	style := t.term
	if faded {
		style = func(int) lipgloss.Style { return t.muted }
	}
	if mark := hitMark(t, h, r); mark != "" {
		return mark
	}
	var b strings.Builder
	used := 0
	sum, drawn := 0.0, 0
	var missing []string
	for i, part := range h.Terms {
		if part.Score <= 0 {
			if i < len(r.Tokens) && r.Tokens[i].DF > 0 {
				missing = append(missing, display.Clip(part.Stem, maxTermLabel))
			}
			continue
		}
		// Rounding the running sum keeps the whole bar true to the score.
		sum += part.Score
		cells := max(1, scaled(sum, best, c.blocks)-drawn)
		drawn += cells
		piece := strings.Repeat("▇", cells)
		if c.labels {
			piece += display.Clip(part.Stem, maxTermLabel)
			if used > 0 {
				b.WriteString(" ")
				used++
			}
		}
		used += ansi.StringWidth(piece)
		b.WriteString(style(i).Render(piece))
	}
	if len(missing) > 0 {
		note := "no " + strings.Join(missing, ", ")
		if used+2+ansi.StringWidth(note) <= c.bar {
			b.WriteString("  " + t.muted.Render(note))
		}
	}
	return b.String()
}

// scaled is a part of a whole in cells.
func scaled(part, whole float64, cells int) int {
	if whole <= 0 {
		return 0
	}
	return int(math.Round(part / whole * float64(cells)))
}

// preview tells of the tool under the cursor in the lines that the ranking
// leaves free.
func (p *queryPane) preview(room int) []string {
	name, ok := p.Selected()
	if !ok || room < 3 {
		return nil
	}
	t := p.theme
	d, ok := p.definition(name)
	if !ok {
		return nil
	}
	out := []string{"", t.muted.Render(" " + p.whereabouts(d))}
	about := display.Clip(d.Tool.Description, p.width*room)
	if about == "" {
		about = "(no description)"
	}
	text := wrapText(t.text, about, p.width)
	if len(text) > room-2 {
		text = text[:room-2]
		text[room-3] = ansi.Truncate(text[room-3], max(0, p.width-14), "") + t.muted.Render("… enter: all")
	}
	return append(out, text...)
}
