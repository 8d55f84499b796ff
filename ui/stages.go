package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/ui/display"
)

// mark is an outcome as a glyph, a word and a colour.
type mark struct {
	glyph, word string
	style       lipgloss.Style
}

// outcome is the mark of a stage; next is the one that runs next.
func outcome(t theme, s engine.Stage, next bool) mark {
	switch s.Outcome {
	case engine.OutcomePassed:
		return mark{"✓", "passed", t.good}
	case engine.OutcomeChanged:
		return mark{"±", "changed", t.accent}
	case engine.OutcomeBlocked:
		return mark{"✗", "blocked", t.bad}
	case engine.OutcomeSkipped:
		return mark{"–", "skipped", t.muted}
	case engine.OutcomeNotReached:
		return mark{"·", "not reached", t.muted}
	}
	if next {
		return mark{"●", "next", t.accent}
	}
	return mark{"○", "to come", t.muted}
}

// mark is the mark of a stage of the call in view: its outcome, save where that
// is told apart further.
func (p *callPane) mark(i int) mark {
	f := p.snap.Call.Flow
	switch s := f.Stages[i]; {
	case s.Name == engine.StageDispatch && s.Outcome == engine.OutcomePassed && f.Status == engine.StatusError:
		return mark{"✗", "failed", p.theme.bad}
	case i == f.Next && p.snap.Call.cancel != nil:
		return mark{"…", "under way", p.theme.accent}
	default:
		return outcome(p.theme, s, i == f.Next)
	}
}

// trackStage is one stage on the track, with its place.
type trackStage struct {
	stage, row, x int
	text          string // its margins included, as it stands on the screen
}

// How much the track says of each stage, from the most down.
const (
	trackNames = iota // outcome in words, the real tool beside unwrap
	trackWords        // outcome in words
	trackMarks        // the mark alone, but for the next stage
)

// trackRows is how many lines the track may take.
func (p *callPane) trackRows() int {
	switch {
	case p.height <= 3:
		return 1
	case p.height <= 8:
		return 2
	}
	return 5
}

// track places the stages, with as much said of each as fits.
func (p *callPane) track() []trackStage {
	var placed []trackStage
	for detail := trackNames; detail <= trackMarks; detail++ {
		placed = p.place(detail)
		if len(placed) == 0 || placed[len(placed)-1].row < p.trackRows() {
			return placed
		}
	}
	// Not even the marks fit: the rows around the stage in view remain.
	from := max(0, placed[p.cursor].row-p.trackRows()+1)
	var out []trackStage
	for _, s := range placed {
		if s.row -= from; s.row >= 0 && s.row < p.trackRows() {
			out = append(out, s)
		}
	}
	return out
}

func (p *callPane) place(detail int) []trackStage {
	var out []trackStage
	x, row := 0, 0
	for i := range p.snap.Call.Flow.Stages {
		text := p.stageText(i, detail)
		w := ansi.StringWidth(text)
		if x > 0 && x+w+1 > p.width { // one more cell for the arrow
			x, row = 0, row+1
		}
		out = append(out, trackStage{i, row, x, text})
		x += w + 1
	}
	return out
}

// stageText is a stage on the track. The brackets show the one in view without
// colour.
func (p *callPane) stageText(i, detail int) string {
	f := p.snap.Call.Flow
	s := f.Stages[i]
	m := p.mark(i)
	text := string(s.Name) + " " + m.glyph
	switch {
	case s.Name == engine.StageDispatch && s.Outcome == engine.OutcomePassed && simulated(f):
		text += " " + simulatedMark
	case s.Outcome == engine.OutcomeSkipped && detail != trackMarks && s.Reason == "none":
		text += " none"
	case i == f.Next && f.Waits() == engine.StageApproval:
		text += " approve? y/n"
	case i == f.Next || detail != trackMarks && s.Outcome != engine.OutcomePending:
		text += " " + m.word
	}
	if detail == trackNames && s.Name == engine.StageUnwrap && f.Tool != "" && s.Outcome != engine.OutcomeBlocked {
		text += " " + display.Clip(f.Tool, 40)
	}
	if i == p.cursor {
		return "[" + text + "]"
	}
	return " " + text + " "
}

// trackLines draws the track.
func (p *callPane) trackLines() []string {
	t, f := p.theme, p.snap.Call.Flow
	placed := p.track()
	if len(placed) == 0 {
		return nil
	}
	out := make([]string, placed[len(placed)-1].row+1)
	for i, s := range placed {
		stage := f.Stages[s.stage]
		m := p.mark(s.stage)
		name, rest, _ := strings.Cut(s.text, " "+m.glyph)
		rest = " " + m.glyph + rest
		switch {
		case s.stage == p.cursor:
			out[s.row] += t.selected.Render(name) + m.style.Inherit(t.selected).Render(rest)
		case stage.Outcome == engine.OutcomePending || stage.Outcome == engine.OutcomeNotReached:
			out[s.row] += t.muted.Render(name) + m.style.Render(rest)
		default:
			out[s.row] += name + m.style.Render(rest)
		}
		if i < len(placed)-1 || s.stage < len(f.Stages)-1 {
			out[s.row] += t.faint.Render("→")
		}
	}
	return out
}

// bodyHeight is how many lines are left for the stage in view.
func (p *callPane) bodyHeight() int { return max(1, p.height-1-len(p.trackLines())) }

// twoColumns is the width from which input and output stand side by side.
const twoColumns = 96

// describe lays out what is to be said of the stage in view.
func (p *callPane) describe() {
	p.body = nil
	f := p.snap.Call.Flow
	if p.cursor >= len(f.Stages) || p.width <= 0 || p.height <= 0 {
		return
	}
	t, s := p.theme, f.Stages[p.cursor]
	m := p.mark(p.cursor)
	head := string(s.Name) + " " + m.style.Render(m.glyph+" "+m.word)
	if s.Duration > 0 {
		head += t.muted.Render(" · " + spent(s.Duration))
	}
	why, whole := firstBytes(s.Reason, maxShown)
	asked := s.Outcome == engine.OutcomePending && p.cursor == f.Next && p.snap.Call.waits()
	switch {
	case asked:
		head, why = p.questionHead(p.snap.Call)
	case p.cursor == f.Next && p.snap.Call.cancel != nil:
		why = "waiting; C cancels"
		if far := p.snap.Call.far(); far != "" {
			why = progressBar(p.snap.Call.Progress, 20) + far + " " + p.snap.Call.Progress.Message
		}
	case s.Outcome == engine.OutcomePending && p.cursor == f.Next:
		why = "space runs it, enter runs all that are left"
	case s.Outcome == engine.OutcomePending:
		why = "not run yet"
	case !whole:
		why += fmt.Sprintf("… (%s bytes in all)", number(len(s.Reason)))
	}
	if s.Name == engine.StageDispatch && s.Outcome == engine.OutcomePassed && simulated(f) {
		head += " " + t.warn.Render(simulatedMark)
	}
	why = display.Text(why)
	if asked {
		p.ask(head, why)
		return
	}
	indent := ansi.StringWidth(head) + 3
	if indent > p.width/2 {
		p.body = append(p.body, " "+head)
		if why != "" {
			p.body = append(p.body, wrapAt(t.muted.Render(why), 1, p.width)...)
		}
	} else {
		rows := wrapAt(why, indent, p.width)
		rows[0] = " " + head + "  " + strings.TrimLeft(rows[0], " ")
		p.body = append(p.body, rows...)
	}
	room := max(1, p.bodyHeight()-len(p.body))
	switch {
	case len(s.Input) == 0 && len(s.Output) == 0:
	case s.Name == engine.StagePreHooks && s.Outcome == engine.OutcomeChanged:
		p.body = append(p.body, " "+t.muted.Render("what the hooks changed of the arguments"))
		p.body = append(p.body, diffLines(t, s.Input, s.Output, p.width-1)...)
	case bytes.Equal(s.Input, s.Output):
		p.body = append(p.body, p.labelled("in = out", s.Input, p.width, room)...)
	case len(s.Output) == 0:
		p.body = append(p.body, p.labelled("in", s.Input, p.width, room)...)
	case p.width >= twoColumns:
		half := inputWidth(s, p.width)
		left, right := p.labelled("in", s.Input, half, room), p.labelled("out", s.Output, p.width-half-1, room)
		for i := range max(len(left), len(right)) {
			l, r := "", ""
			if i < len(left) {
				l = left[i]
			}
			if i < len(right) {
				r = right[i]
			}
			p.body = append(p.body, fit(l, half)+t.faint.Render("│")+r)
		}
	default:
		in := p.labelled("in", s.Input, p.width, room/2)
		p.body = append(p.body, in...)
		p.body = append(p.body, p.labelled("out", s.Output, p.width, room-len(in))...)
	}
	p.top = scrolled(p.top, len(p.body), p.bodyHeight())
}

// ask lays out a question: beside it why it is asked, as far as there is room,
// and what one agrees to before the rest.
func (p *callPane) ask(head, why string) {
	t, c := p.theme, p.snap.Call
	p.body = []string{" " + head}
	if len(c.Asked) > 0 {
		p.body = append(p.body, wrapAt(why, 1, p.width)...)
		p.top = scrolled(p.top, len(p.body), p.bodyHeight())
		return
	}
	const least = 30 // cells, for a reason that is worth beginning
	room := p.width - ansi.StringWidth(head) - 4
	if room >= least {
		p.body[0] += "  " + t.muted.Render(ansi.Truncate(why, room, "…"))
	}
	p.body = append(p.body, p.labelled("arguments", c.Flow.Arguments, p.width, max(1, p.bodyHeight()-3))...)
	if room < max(least, ansi.StringWidth(why)) {
		p.body = append(p.body, wrapAt(t.muted.Render(why), 1, p.width)...)
	}
	told := c.Flow.Settle(denial()).Result
	p.body = append(p.body, wrapAt(t.muted.Render("a no tells the model: "+display.Text(string(told))), 1, p.width)...)
	p.top = scrolled(p.top, len(p.body), p.bodyHeight())
}

// progressBar draws how much of a total is done; "" where that is not known.
func progressBar(p mcpconn.Progress, width int) string {
	if p.Total <= 0 {
		return ""
	}
	done := int(min(max(p.Done/p.Total, 0), 1)*float64(width) + 0.5)
	return strings.Repeat("█", done) + strings.Repeat("░", width-done)
}

// demands says why the person is asked.
func demands(f engine.Flow) string {
	var why []string
	for _, d := range f.Demands {
		why = append(why, string(d.By)+": "+d.Reason)
	}
	return strings.Join(why, "; ")
}

// inputWidth is the input's column where input and output stand side by side:
// half, but for what the other does not need.
func inputWidth(s engine.Stage, width int) int {
	const around = 6 // label and margins
	half := (width - 1) / 2
	in := ansi.StringWidth(display.Clip(string(s.Input), width)) + around
	out := ansi.StringWidth(display.Clip(string(s.Output), width)) + around
	switch {
	case in < half:
		return max(in, width-1-out, 24)
	case out < half:
		return width - 1 - max(out, 24)
	}
	return half
}

// labelled is a JSON text beside its name: on one line where it fits, pretty
// where there is room for that or for enough of it, else broken anywhere.
func (p *callPane) labelled(label string, raw json.RawMessage, width, room int) []string {
	t := p.theme
	x := len(label) + 2
	w := max(1, width-x-1)
	if rows, ok := resultLines(t, raw, w); ok {
		return beside(t, label, rows)
	}
	text, whole := firstBytes(string(raw), maxShown)
	rows := breakLine(display.Text(text), w)
	if len(rows) > 1 && whole {
		var pretty bytes.Buffer
		if json.Indent(&pretty, raw, "", "  ") == nil {
			var indented []string
			for _, l := range strings.Split(display.Block(pretty.String()), "\n") {
				indented = append(indented, breakLine(l, w)...)
			}
			if len(indented) <= room || room >= 6 {
				rows = indented
			}
		}
	}
	if !whole {
		rows = append(rows, cutNote(t, len(raw), ", y copies them", w)...)
	}
	return beside(t, label, rows)
}

// beside puts a label before the first of some rows and indents the others.
func beside(t theme, label string, rows []string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		if i == 0 {
			out[i] = " " + t.muted.Render(label) + " " + r
		} else {
			out[i] = strings.Repeat(" ", len(label)+2) + r
		}
	}
	return out
}

// breakLine breaks a line at the last cell that fits, as JSON may be; what is
// broken off is indented below the line's own start.
func breakLine(s string, width int) []string {
	indent := len(s) - len(strings.TrimLeft(s, " "))
	if indent >= width/2 {
		indent = 0
	}
	if indent > 0 {
		indent += 2
	}
	if ansi.StringWidth(s) <= width {
		return []string{s}
	}
	first := ansi.Truncate(s, width, "")
	rows := []string{first}
	for _, l := range strings.Split(ansi.Hardwrap(s[len(first):], max(1, width-indent), true), "\n") {
		rows = append(rows, strings.Repeat(" ", indent)+l)
	}
	return rows
}
