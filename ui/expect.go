package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/ui/display"
)

// Messages about the tool that a person expects a query to find.
type (
	pickToolMsg struct{}              // choose it from a list
	pinMsg      struct{ tool string } // this one; "" for none
)

// expect pins a tool, or lets go of it.
func (m model) expect(tool string) (tea.Model, tea.Cmd) {
	m.pin = tool
	m.setFocus(paneQuery)
	m.search()
	m.publish()
	switch {
	case tool == "":
		return m.say("no tool is expected any more")
	case m.query == "":
		return m.say("expecting " + display.Clip(tool, 60) + ": type a query with / to see where it stands")
	}
	return m, nil
}

// pinned is the expected tool's place in each query.
func (m *model) pinned() []Pinned {
	if m.pin == "" {
		return nil
	}
	a := m.snap.Assembly
	absent := m.roster.Absent()
	var all []Pinned
	for _, r := range m.results {
		p := Pinned{Why: a.Why(r.Query, m.pin, 0, m.session, absent)}
		p.Hit, _ = a.Rank(r.Query, p.Why.Tool)
		all = append(all, p)
	}
	return all
}

// toolList is every tool that can be expected: those the session has, and
// those it does not see or that a filter leaves out, to ask why.
func (m model) toolList() pickList {
	list := pickList{
		title: "Expect a tool", hint: "its wire name, or any other name", verb: "expects it", typedLast: true,
		typed: func(text string) (action, bool) {
			return action{name: "as typed: " + text, msg: pinMsg{text}}, true
		},
	}
	if m.pin != "" {
		list.actions = append(list.actions, action{name: "(no tool) instead of " + m.pin, msg: pinMsg{}})
	}
	add := func(name, note string) {
		list.actions = append(list.actions, action{name: name + note, msg: pinMsg{name}})
	}
	a := m.snap.Assembly
	for _, d := range a.Deferred {
		add(d.Name, "")
	}
	for _, d := range a.Visible {
		add(d.Name, fmt.Sprintf("  (%s, visible)", d.Source))
	}
	all, _ := engine.Definitions(engine.Session{Catalog: m.session.Catalog}, m.cfg.ToolNames)
	for _, d := range all {
		if !m.session.Scope.Allows(d.Toolset) {
			add(d.Name, "  (out of scope)")
		}
	}
	for _, s := range m.roster.Absent() {
		for _, own := range s.Filtered {
			add(engine.WireName(m.cfg.ToolNames, s.Server, own), "  (filtered out)")
		}
	}
	return list
}

// pinnedNow is the expected tool's place in the query in view.
func (p *queryPane) pinnedNow() (Pinned, bool) {
	if p.query >= len(p.snap.Pinned) {
		return Pinned{}, false
	}
	return p.snap.Pinned[p.query], true
}

// pinRows is how many places the expected tool has after the ranking: one where
// it has none there.
func (p *queryPane) pinRows() int {
	if _, ok := p.pinnedNow(); !ok || p.pinPlace() >= 0 {
		return 0
	}
	return 1
}

// pinPlace is the expected tool's place in the ranking, or -1.
func (p *queryPane) pinPlace() int {
	pin, _ := p.pinnedNow()
	r, _ := p.result()
	if at := pin.Why.Rank - 1; at < places(r) {
		return at
	}
	return -1
}

// pinDrawn reports whether the expected tool has a row at the end of the pane:
// where it is not within the limit, and its row in the ranking is out of sight.
func (p *queryPane) pinDrawn() bool { return p.pinRows() > 0 || p.echo }

// pinLines are the expected tool's lines at the end of the pane: its row where
// it is in sight nowhere else, and as there is room how far it is from the limit,
// the reasons, and the change that would find it.
func (p *queryPane) pinLines(r engine.Result, c rankColumns, best float64) []string {
	pin, ok := p.pinnedNow()
	if !ok {
		return nil
	}
	if !p.pinDrawn() {
		return p.pinWords()
	}
	t, w := p.theme, pin.Why
	selected := p.pinRows() > 0 && p.cursor == places(r)
	var row string
	if w.Rank > 0 {
		row = p.hitLine(r, pin.Hit, c, best, selected, false)
	} else {
		name := "✗ " + display.Clip(w.Tool, max(8, p.width/2)) + "  not found"
		row = "  " + t.bad.Render(name)
		if selected {
			row = t.selected.Render("› " + name)
		}
	}
	return append([]string{fit(row, p.width)}, p.pinWords()...)
}

// pinWords are the lines in words about the expected tool.
func (p *queryPane) pinWords() []string {
	pin, ok := p.pinnedNow()
	if !ok {
		return nil
	}
	w, room := pin.Why, 0
	switch {
	case p.height >= 18:
		room = 3
	case p.height >= 14:
		room = 2
	case p.height >= 9:
		room = 1
	}
	switch {
	case room == 0:
		return nil
	case w.Found:
		return p.pinReasons(pin, min(room, 2))
	}
	out := p.pinReasons(pin, max(1, room-1))
	if room > 1 {
		out = append(out, fit(" "+p.suggestion(w), p.width))
	}
	return out
}

// pinReasons is the expected tool's place and why it is there, in at most so
// many lines.
func (p *queryPane) pinReasons(pin Pinned, most int) []string {
	t, w := p.theme, pin.Why
	r, _ := p.result()
	var said []string
	if w.Found {
		said = append(said, fmt.Sprintf("number %d", w.Rank))
	}
	if gap := gapWords(r, pin.Hit); gap != "" {
		said = append(said, gap)
	}
	for _, reason := range w.Reasons {
		if w.Rank > 0 && (reason.Kind == engine.ReasonBeyondLimit || reason.Kind == engine.ReasonExact) {
			continue // the rank and the gap say it
		}
		said = append(said, reason.Message)
	}
	const label = "expected: "
	indent, width := 1+len(label), p.width-1
	text := display.Clip(strings.Join(said, " · "), max(0, most*(width-indent)))
	out := wrapAt(text, indent, p.width)
	if len(out) > most {
		out = out[:most]
		out[most-1] = ansi.Truncate(out[most-1], max(0, width-1), "") + "…"
	}
	style := t.warn
	if w.Found {
		style = t.good
	}
	out[0] = " " + style.Render(label) + strings.TrimPrefix(out[0], strings.Repeat(" ", indent))
	for i := range out {
		out[i] = fit(out[i], p.width)
	}
	return out
}

// gapWords says how far a hit's score is from that of the last tool within the
// limit, "" for a tool that is no hit.
func gapWords(r engine.Result, h engine.Hit) string {
	if h.Rank == 0 || len(r.Hits) == 0 {
		return ""
	}
	last := r.Hits[len(r.Hits)-1]
	from := func(other engine.Hit, what string) string {
		gap := h.Score - other.Score
		number := fmt.Sprintf("number %d%s", other.Rank, what)
		switch {
		case gap > 0:
			return distance(gap) + " above " + number
		case gap < 0:
			return distance(-gap) + " below " + number
		case h.Rank > other.Rank:
			return "level with " + number + ": that name comes first"
		}
		return "level with " + number + ": this name comes first"
	}
	switch {
	case h.Exact:
		return "the query is its wire name, which puts it first whatever its score"
	case h.Rank > last.Rank && last.Exact:
		return fmt.Sprintf("the exact name has the only place within the limit of %d", r.Limit)
	case h.Rank != last.Rank:
		what := ", the last that is found"
		if len(r.Below) > 0 {
			what = ", the last within the limit"
		}
		return from(last, what)
	case len(r.Below) > 0:
		return "the last within the limit, " + from(r.Below[0], "")
	}
	return "the last that is found"
}

// distance writes a difference of scores, however small, as more than nothing.
func distance(gap float64) string {
	if gap < 0.0005 {
		return strconv.FormatFloat(gap, 'g', 2, 64)
	}
	return strconv.FormatFloat(gap, 'f', 3, 64)
}

// suggestion is the smallest change that would find the expected tool.
func (p *queryPane) suggestion(w engine.Why) string {
	t := p.theme
	if len(w.Changes) == 0 {
		return t.muted.Render("enter: every reason")
	}
	c := w.Changes[0]
	return t.good.Render("→ "+display.Clip(c.String(), max(8, p.width-50))) + t.muted.Render(fmt.Sprintf(": number %d · a tries it · enter: every reason", c.Rank))
}

// pinGap says where a found tool stands and how far from the limit that is; ""
// for one that is found by its name, or not.
func (p *queryPane) pinGap(pin Pinned) string {
	if !pin.Why.Found || pin.Hit.Exact {
		return ""
	}
	r, _ := p.result()
	return fmt.Sprintf("number %d, %s", pin.Why.Rank, gapWords(r, pin.Hit))
}

// pinHeight is how many lines the expected tool takes.
func (p *queryPane) pinHeight() int {
	n := len(p.pinWords())
	if p.pinDrawn() {
		n++
	}
	return n
}

// whyLines are the reasons and the changes for a tool. place says where it
// stands, "" where that is not known; the hint is what is said of the first
// change.
func whyLines(t theme, w engine.Why, place, hint string, width int) []string {
	var out []string
	put := func(style interface{ Render(...string) string }, mark, text string) {
		for i, l := range wrapAt(display.Text(text), 3, width) {
			if i == 0 {
				l = " " + style.Render(mark) + l[2:]
			}
			out = append(out, l)
		}
	}
	if place != "" {
		put(t.good, "✓", place)
	}
	for _, r := range w.Reasons {
		style, mark := t.bad, "✗"
		if w.Found && r.Kind != engine.ReasonShadowed {
			style, mark = t.good, "✓"
		}
		put(style, mark, r.Message)
		if len(r.Tools) > 1 {
			put(t.muted, " ", joinNames(r.Tools, 8))
		}
	}
	for i, c := range w.Changes {
		text := fmt.Sprintf("%s: “%s” finds it as number %d", c.String(), c.Query, c.Rank)
		if i == 0 {
			text += hint
		}
		put(t.good, "→", text)
	}
	return out
}

// joinNames lists so many names and counts the others.
func joinNames(names []string, most int) string {
	shown := slices.Clone(names[:min(most, len(names))])
	for i := range shown {
		shown[i] = display.Clip(shown[i], 60)
	}
	text := ""
	for i, n := range shown {
		if i > 0 {
			text += ", "
		}
		text += n
	}
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %s more", number(more))
	}
	return text
}

// trySuggested is the query changed so that it finds the expected tool; the
// other queries stay.
func (p *queryPane) trySuggested() (tea.Msg, bool) {
	pin, ok := p.pinnedNow()
	switch {
	case !ok:
		return statusMsg{"no tool is expected that a change of the query would find: e expects one"}, true
	case len(pin.Why.Changes) == 0:
		return statusMsg{"there is no change to try for " + pin.Why.Tool}, true
	}
	line := ""
	for i, r := range p.snap.Queries {
		if i > 0 {
			line += querySeparator
		}
		if i == p.query {
			line += pin.Why.Changes[0].Query
		} else {
			line += r.Query
		}
	}
	p.field.set(line)
	return queryMsg{p.field.text()}, true
}
