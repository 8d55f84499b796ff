package ui

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/ui/display"
)

const (
	maxTermLabel   = 9  // cells of a token's name beside its part of a bar
	maxHitBar      = 36 // cells of the best hit's bar, without the names
	minLabelledBar = 10
)

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
	hits := r.Hits
	if pin, ok := p.pinnedNow(); ok && !pin.Why.Found && pin.Why.Rank > 0 {
		hits = append(hits[:len(hits):len(hits)], pin.Hit)
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

// hitLines is the ranking, as many rows as fit in height from the top row on.
func (p *queryPane) hitLines(r engine.Result, height int) []string {
	c, best := p.rankColumns(r), p.best(r)
	rows := make([]string, len(r.Hits))
	for i := p.top; i < len(r.Hits) && i < p.top+height; i++ {
		rows[i] = p.hitLine(r, r.Hits[i], c, best, i == p.cursor)
	}
	return window(rows, p.top, height)
}

func (p *queryPane) hitLine(r engine.Result, h engine.Hit, c rankColumns, best float64, selected bool) string {
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
	if selected {
		line = t.selected.Render("› " + name)
	}
	if c.bar <= 0 {
		if h.Exact || r.Fallback {
			return line + " " + hitMark(t, h, r)
		}
		return line
	}
	return line + "   " + p.hitBar(r, h, c, best)
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
func (p *queryPane) hitBar(r engine.Result, h engine.Hit, c rankColumns, best float64) string {
	t := p.theme
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
		b.WriteString(t.term(i).Render(piece))
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
