package ui

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/ui/display"
)

// sweepView is a chart of every budget there can be: the listing's form and
// each group's mode from none to all of it, with the present budget and a
// cursor that walks from threshold to threshold.
type sweepView struct {
	theme   theme
	keys    keyMap
	a       engine.Assembly
	sweep   engine.Sweep
	from    []int // the least budget of each band of the sweep
	waiting int   // servers that have yet to answer
	cursor  int   // a budget, in tokens
	placed  bool  // the cursor was put somewhere
	top     int   // the first group shown

	left, columns, rows int // of the chart, as last drawn
	groups              int // rows of the chart that are groups
}

func newSweepView(t theme) *sweepView { return &sweepView{theme: t, keys: newKeyMap()} }

// SetSnapshot gives what to render. An index belongs to one set of tools, so
// that with the settings it tells whether the sweep at hand still holds.
func (v *sweepView) SetSnapshot(s Snapshot) {
	same := v.a.Index != nil && v.a.Index == s.Assembly.Index && v.a.Config == s.Assembly.Config
	v.a, v.waiting = s.Assembly, s.connecting()
	if same {
		return
	}
	v.sweep = v.a.Sweep()
	v.from = v.from[:0:0]
	for _, b := range v.sweep.Bands {
		v.from = append(v.from, b.From)
	}
	if !v.placed && len(v.from) > 0 {
		v.cursor, v.placed = v.from[v.sweep.At(v.a.Budget.Tokens)], true
	}
	v.cursor = max(0, min(v.cursor, v.end()-1))
}

// end is where the chart ends: beyond the highest threshold, and beyond the
// present budget.
func (v *sweepView) end() int {
	if len(v.from) == 0 {
		return 1
	}
	return max(v.from[len(v.from)-1], v.a.Budget.Tokens)*3/2 + 1
}

// scale is that of the chart as last drawn.
func (v *sweepView) scale() scale {
	return newScale(v.from, v.end(), v.columns, v.sweep.At(v.cursor))
}

// Typing is never so.
func (v *sweepView) Typing() bool { return false }

// HandleWheel scrolls the groups.
func (v *sweepView) HandleWheel(n int) { v.top += n }

// HandleClick brings the cursor to the threshold of the budget under the
// pointer.
func (v *sweepView) HandleClick(x, y int) (tea.Msg, bool) {
	s := v.scale()
	if column := x - v.left; column >= 0 && column < len(s.bands) && y >= 1 && y <= v.rows {
		v.cursor = v.from[s.bands[column]]
	}
	return nil, false
}

// HandleKey moves the cursor, scrolls, and asks for the settings of the budget
// under the cursor. What tunes everywhere does so here, too.
func (v *sweepView) HandleKey(msg tea.KeyMsg) (ask tea.Msg, done bool) {
	k := v.keys
	switch {
	case key.Matches(msg, k.Back, k.Sweep, k.Quit):
		return nil, true
	case key.Matches(msg, k.SweepWalk):
		v.walk(direction(msg))
		v.reveal()
	case key.Matches(msg, k.SweepColumns):
		d := 1
		if msg.String() == "h" || msg.String() == "shift+left" {
			d = -1
		}
		v.cursor = v.scale().step(v.cursor, d)
	case key.Matches(msg, k.SweepEnds):
		if len(v.from) > 0 {
			v.cursor = map[int]int{-1: v.from[0], 1: v.from[len(v.from)-1]}[direction(msg)]
			v.reveal()
		}
	case key.Matches(msg, k.SweepServers):
		d := direction(msg)
		if key.Matches(msg, k.Page) {
			d *= 10
		}
		v.top = max(0, v.top+d)
	case key.Matches(msg, k.SweepApply):
		return v.apply(), false
	case key.Matches(msg, k.Copy):
		return copyMsg{what: "the sweep", text: SweepText(v.a)}, false
	case key.Matches(msg, k.Undo):
		return undoMsg{}, false
	case key.Matches(msg, k.JumpDown, k.JumpUp):
		return jumpMsg{up: key.Matches(msg, k.JumpUp)}, false
	case key.Matches(msg, k.Threshold):
		return tuneMsg{key: engine.KeyThresholdPct, steps: signed(key.Matches(msg, k.ThresholdUp))}, false
	case key.Matches(msg, k.Listing):
		return tuneMsg{key: engine.KeyListingMaxTokens, steps: signed(key.Matches(msg, k.ListingUp))}, false
	case key.Matches(msg, k.Context):
		return tuneMsg{key: keyContextLength, steps: signed(key.Matches(msg, k.ContextUp))}, false
	}
	return nil, false
}

// signed is one step up or down.
func signed(up bool) int {
	if up {
		return 1
	}
	return -1
}

// walk moves the cursor to the next threshold on one side.
func (v *sweepView) walk(direction int) {
	if len(v.from) == 0 {
		return
	}
	at := v.sweep.At(v.cursor)
	switch {
	case direction > 0:
		v.cursor = v.from[min(at+1, len(v.from)-1)]
	case v.cursor > v.from[at]:
		v.cursor = v.from[at]
	default:
		v.cursor = v.from[max(at-1, 0)]
	}
}

// reveal scrolls to the group that changes at the cursor, where it is one.
func (v *sweepView) reveal() {
	at, changed := v.sweep.At(v.cursor), -1
	for i := range v.sweep.Labels {
		if at < 1 || v.sweep.Mode(at-1, i) == v.sweep.Mode(at, i) {
			continue
		}
		if changed >= 0 {
			return
		}
		changed = i
	}
	if changed >= 0 {
		v.top = max(min(v.top, changed), changed-v.groups+1)
	}
}

// apply asks for the settings of the budget under the cursor, or says why there
// are none.
func (v *sweepView) apply() tea.Msg {
	if len(v.from) == 0 {
		return statusMsg{"there is nothing to sweep yet"}
	}
	legs, obstacle := v.sweep.LegsFor(v.cursor)
	if obstacle != engine.ObstacleNone {
		return statusMsg{fmt.Sprintf("a budget of %s: %s", plural(v.cursor, "token"), obstacleText(v.a.Config, obstacle))}
	}
	ask := setLegs(v.a.Config, legs)
	if len(ask) == 0 {
		return statusMsg{"these settings are in force already"}
	}
	return ask
}

// View draws the chart over the words.
func (v *sweepView) View(width, height int) string {
	t := v.theme
	inner := max(0, width-2)
	if len(v.from) == 0 {
		content := v.nothing(inner)
		h := min(height, len(content)+2)
		return frame(t, 0, "Sweep", t.muted.Render("esc closes"), "", lines(content, 0, inner, h-2), width, h, true)
	}
	labels := len("tokens")
	for _, l := range v.sweep.Labels {
		labels = max(labels, ansi.StringWidth(display.Clip(l, 24)))
	}
	labels = min(labels, max(10, inner/5))
	v.left, v.columns = labels+3, max(0, inner-labels-2) // the border, and a blank on either side of the label
	p := newSweepPlan(inner, height-2, len(v.sweep.Labels))
	v.groups = p.groups
	v.top = max(0, scrolled(v.top, len(v.sweep.Labels), p.groups))

	c := newSweepChart(t, v.scale(), labels, v.a.Budget.Tokens, v.cursor)
	var content []string
	if p.marks {
		content = append(content, c.marks())
	}
	content = append(content, c.row(t.strong.Render("form"), v.formAt))
	for i := v.top; i < len(v.sweep.Labels) && i < v.top+p.groups; i++ {
		content = append(content, c.row(display.Clip(v.sweep.Labels[i], labels), func(band int) string { return string(v.sweep.Mode(band, i)) }))
	}
	if p.ticks {
		content = append(content, c.ticks())
	}
	content = append(content, c.figures(v.from))
	v.rows = len(content)
	if p.rule {
		content = append(content, rule(t, "at the cursor", inner))
	}
	words := v.words(inner, p.words)
	content = append(content, words...)
	content = append(content, make([]string, p.words-len(words))...)
	if p.legend {
		content = append(content, legend(t, inner))
	}
	h := min(height, len(content)+2)
	note := t.muted.Render("←/→ threshold · enter sets it · y copy · esc")
	if !p.marks {
		note = t.strong.Render("┃ "+number(v.a.Budget.Tokens)) + t.accent.Render(" ▲ "+number(v.cursor))
	}
	title := "Sweep"
	if why := v.absent(); why != "" {
		title += ", " + why
	}
	return frame(t, 0, title, note, scrollNote(t, v.top, len(v.sweep.Labels), p.groups), lines(content, 0, inner, h-2), width, h, true)
}

// sweepPlan is what there is room for, the same wherever the cursor is.
type sweepPlan struct {
	groups, words              int // lines
	marks, ticks, rule, legend bool
}

// newSweepPlan shares out so many lines. The words keep their room where the
// groups can scroll, and need less of it where lines are long.
func newSweepPlan(width, height, groups int) sweepPlan {
	most := 7
	if width >= 100 {
		most = 5
	}
	p := sweepPlan{
		words: min(max(2, (height-2)*2/5), most),
		marks: height >= 8, ticks: height >= 9, rule: height >= 14, legend: height >= 12,
	}
	rest := height - 2 - p.words // the form, the figures
	for _, b := range []bool{p.marks, p.ticks, p.rule, p.legend} {
		if b {
			rest--
		}
	}
	p.groups = max(1, min(rest, groups))
	return p
}

// absent says which setting keeps the listing from being, "" for none.
func (v *sweepView) absent() string {
	switch {
	case v.a.Config.Enabled == engine.Off:
		return "enabled: off"
	case v.a.Config.Listing == engine.Off:
		return "listing: off"
	}
	return ""
}

// nothing says what to do where no tool could be listed.
func (v *sweepView) nothing(width int) []string {
	t := v.theme
	if v.waiting > 0 {
		return indented(t.text, "Waiting for "+plural(v.waiting, "server")+": no tool to list yet. The chart comes with the first answer.", width)
	}
	out := indented(t.text, "Tier 0 at every budget: no tool of a server or plugin is in the session, so there is nothing to list.", width)
	out = append(out, indented(t.muted, "s shows the servers and why they have none, r there retries one.", width)...)
	out = append(out, indented(t.muted, "In pane 2, space switches a server on and t brings a toolset into the session.", width)...)
	return append(out, indented(t.muted, "O opens your own configuration.", width)...)
}

// formAt is the listing's form in a band.
func (v *sweepView) formAt(band int) string {
	return bandName(v.sweep.Bands[band].Form, v.sweep.Bands[band].OverBudget)
}
