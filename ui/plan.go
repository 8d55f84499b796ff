package ui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/ui/display"
)

// planKey handles a key while the plan is in view.
func (p *callPane) planKey(msg tea.KeyMsg) (tea.Msg, bool) {
	last := len(p.snap.Queued) - 1
	k := p.keys
	switch {
	case key.Matches(msg, k.Move):
		p.queued = max(0, min(p.queued+direction(msg), last))
	case key.Matches(msg, k.Unqueue) && msg.String() == "D":
		return clearQueueMsg{}, true
	case key.Matches(msg, k.Unqueue) || msg.Type == tea.KeyDelete || msg.Type == tea.KeyBackspace:
		return unqueueMsg{p.queued}, true
	case key.Matches(msg, k.RunBatch):
		return batchRunMsg{}, true
	case key.Matches(msg, k.CancelCall):
		return batchStopMsg{}, true
	case msg.Type == tea.KeyEnter:
		return p.openQueued(), true
	case key.Matches(msg, k.Back):
		p.mode = modeStages
	default:
		return nil, false
	}
	return nil, true
}

// openQueued brings the call under the cursor into view: as it was run, else
// before its first stage.
func (p *callPane) openQueued() tea.Msg {
	switch lane := p.lane(p.queued); {
	case lane.Call > 0:
		p.mode = modeStages
		return viewCallMsg{lane.Call}
	case p.queued < len(p.snap.Queued) && p.snap.Queued[p.queued].Name == engine.BridgeCall:
		p.mode = modeStages
		return callJSONMsg{string(p.snap.Queued[p.queued].Arguments)}
	}
	return statusMsg{"only a tool_call runs through the stages"}
}

// lane is how a queued call is doing; zero where the batch was not run.
func (p *callPane) lane(i int) Lane {
	if i < 0 || i >= len(p.snap.Batch.Lanes) {
		return Lane{}
	}
	return p.snap.Batch.Lanes[i]
}

// planLines are the waves of the plan: which calls run together, which alone,
// and why a wave ends where it does; where the batch was run, its lanes.
func (p *callPane) planLines() []string {
	t := p.theme
	if len(p.snap.Queued) == 0 {
		return []string{
			t.muted.Render(" No calls are queued. A model may issue several in one turn; the plan says which run side by side."),
			" " + t.key.Render("b") + " queues: in the query pane a call to the tool under the cursor (or the search, on its line), here the call in view",
		}
	}
	var out []string
	at := 0
	for i, w := range p.snap.Plan {
		together := "alone   "
		if len(w.Calls) > 1 {
			together = "together"
		}
		for j, c := range w.Calls {
			label := strings.Repeat(" ", 17)
			if j == 0 {
				label = fmt.Sprintf(" wave %-2d ", i+1) + t.accent.Render(together)
			}
			if c.Call == p.queued {
				at = len(out)
			}
			out = append(out, p.planRow(label, c))
		}
	}
	out, above := append(out, p.proof()...), []string{p.planHead()}
	if q := p.snap.Question; q.Batched && q.waits() {
		above = append(above, p.question(q)...)
	}
	room := max(1, p.height-len(above))
	top := scrolled(at-room/2, len(out), room)
	return append(above, window(out, top, room)...)
}

// planHead says how many calls there are, and what the keys do.
func (p *callPane) planHead() string {
	head := fmt.Sprintf(" %s in %s", plural(len(p.snap.Queued), "call"), plural(len(p.snap.Plan), "wave"))
	mark := p.theme.warn.Render(simulatedMark)
	if p.snap.Live {
		mark = p.theme.warn.Render(liveMark)
	}
	keys := "r: run · enter: its stages · d: take out · D: clear · p: back "
	if p.snap.Batch.running() {
		keys = "C: stop the batch · enter: a call's stages · p: back "
	}
	if p.width < 100 {
		keys = "r: run · d: take out · p: back "
	}
	return spread(p.theme.strong.Render(head)+" "+mark, p.theme.muted.Render(keys), p.width)
}

// planRow is one call of the plan: why it runs as it does, or how it is doing.
func (p *callPane) planRow(label string, c engine.PlannedCall) string {
	t := p.theme
	ran := len(p.snap.Batch.Lanes) > 0
	most := max(8, p.width/2)
	if ran {
		most = max(8, min(34, p.width/3))
	}
	name := p.callName(c)
	if ran {
		name = c.Tool
	}
	tool := fmt.Sprintf("%2d %s", c.Call+1, display.Clip(name, most))
	style, mark := t.text, "  "
	if c.Call == p.queued {
		style, mark = t.selected, "› "
	}
	line := label + " " + style.Render(mark+tool)
	if !ran {
		return fit(line+"  "+t.muted.Render(display.Clip(c.Reason, max(0, p.width-ansi.StringWidth(line)-3))), p.width)
	}
	line = fit(line, 17+1+2+3+most+1)
	room := p.width - ansi.StringWidth(line) - 1
	bar := max(6, room*2/5)
	lane := p.lane(c.Call)
	return fit(line+p.laneBar(lane, bar)+" "+p.laneNote(lane, max(0, room-bar-1)), p.width)
}

// laneBar draws when a call was under way, from the batch's beginning to its
// end.
func (p *callPane) laneBar(lane Lane, width int) string {
	t := p.theme
	track := t.track.Render(strings.Repeat("·", width))
	if lane.Begun.IsZero() { // to come, or never
		return track
	}
	began, whole := p.snap.Batch.Began, p.batchSpan()
	cell := func(at time.Time) int {
		if whole <= 0 {
			return 0
		}
		return min(width-1, max(0, int(float64(at.Sub(began))/float64(whole)*float64(width))))
	}
	from, to := cell(lane.Begun), width-1
	style, glyph := t.accent, "▒"
	if !lane.Ended.IsZero() {
		to, glyph = max(from, cell(lane.Ended)), "█"
		switch lane.Status {
		case engine.StatusOK:
			style = t.good
		default:
			style = t.bad
		}
	}
	return t.track.Render(strings.Repeat("·", from)) + style.Render(strings.Repeat(glyph, to-from+1)) + t.track.Render(strings.Repeat("·", width-1-to))
}

// batchSpan is how long the batch took, or has taken as far as is known.
func (p *callPane) batchSpan() time.Duration {
	b := p.snap.Batch
	last := b.Began
	if b.running() && b.Now.After(last) {
		last = b.Now
	}
	for _, l := range b.Lanes {
		for _, at := range []time.Time{l.Begun, l.Ended} {
			if at.After(last) {
				last = at
			}
		}
	}
	return last.Sub(b.Began)
}

// laneNote is how a call is doing, in words.
func (p *callPane) laneNote(lane Lane, width int) string {
	t := p.theme
	switch {
	case lane.Asks:
		return t.warn.Render(display.Clip("● waits for your answer", width))
	case lane.Begun.IsZero() && lane.Ended.IsZero():
		return t.muted.Render(display.Clip("○ to come", width))
	case lane.Begun.IsZero():
		return t.muted.Render(display.Clip("– "+lane.Said, width))
	case lane.Ended.IsZero():
		return t.accent.Render(display.Clip("… under way"+lane.Said, width))
	}
	mark := t.good.Render("✓ ")
	if lane.Status != engine.StatusOK {
		mark = t.bad.Render("✗ ")
	}
	took := fit(spent(lane.Ended.Sub(lane.Begun)), 7)
	return mark + took + " " + t.muted.Render(display.Clip(lane.Said, max(0, width-10)))
}

// proof says what the servers' own clocks tell of a live batch: whether the
// calls of a wave overlapped, and whether the waves kept apart.
func (p *callPane) proof() []string {
	b := p.snap.Batch
	if len(b.Lanes) == 0 || b.running() {
		return nil
	}
	t := p.theme
	said, ok := overlaps(b)
	switch {
	case said == "":
		return nil
	case ok:
		return wrapText(t.good, "✓ by the servers' own clocks: "+said, p.width)
	}
	return wrapText(t.warn, "⚠ by the servers' own clocks: "+said, p.width)
}

// overlaps compares when the servers worked on the calls of a batch; "" where
// they do not say.
func overlaps(b Batch) (said string, ok bool) {
	var parts []string
	var ended time.Time // of all waves before
	ok = true
	clocked := 0
	for i, w := range b.Plan {
		var first, last time.Time // the latest beginning, the earliest end
		var end time.Time
		n := 0
		for _, c := range w.Calls {
			l := b.Lanes[c.Call]
			if l.ServerBegan.IsZero() || l.ServerEnded.IsZero() {
				continue
			}
			if l.ServerBegan.Before(ended) {
				ok = false
				parts = append(parts, fmt.Sprintf("call %d began before wave %d had ended", c.Call+1, i))
			}
			if l.ServerEnded.After(end) {
				end = l.ServerEnded
			}
			clocked++
			if l.Asked && len(w.Calls) > 1 {
				parts = append(parts, fmt.Sprintf("call %d waited for your answer", c.Call+1))
				continue
			}
			if n++; n == 1 || l.ServerBegan.After(first) {
				first = l.ServerBegan
			}
			if n == 1 || l.ServerEnded.Before(last) {
				last = l.ServerEnded
			}
		}
		if n > 1 && first.Before(last) {
			parts = append(parts, fmt.Sprintf("%d calls of wave %d overlapped for %s", n, i+1, spent(last.Sub(first))))
		} else if n > 1 {
			ok = false
			parts = append(parts, fmt.Sprintf("%d calls of wave %d did not all overlap", n, i+1))
		}
		if end.After(ended) {
			ended = end
		}
	}
	if clocked < 2 {
		return "", true // nothing to compare
	}
	if ok && len(b.Plan) > 1 {
		parts = append(parts, "no wave began before the one before it had ended")
	}
	return strings.Join(parts, "; "), ok
}

// callName is a planned call under its real tool, and the bridge it came by.
func (p *callPane) callName(c engine.PlannedCall) string {
	if bridge := p.snap.Queued[c.Call].Name; bridge != c.Tool {
		return c.Tool + " (by " + bridge + ")"
	}
	return c.Tool
}
