package ui

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

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

// pinRows is how many rows the expected tool has at the end of the ranking: one
// where it is not among the hits.
func (p *queryPane) pinRows() int {
	pin, ok := p.pinnedNow()
	if !ok || pin.Why.Found {
		return 0
	}
	return 1
}

// pinLines are the expected tool's lines at the end of the pane: its row, and
// where there is room the first reason and the change that would find it.
func (p *queryPane) pinLines(r engine.Result, c rankColumns, best float64) []string {
	pin, ok := p.pinnedNow()
	if !ok || pin.Why.Found {
		return nil
	}
	t, w := p.theme, pin.Why
	selected := p.cursor == len(r.Hits)
	var row string
	if w.Rank > 0 {
		row = p.hitLine(r, pin.Hit, c, best, selected)
	} else {
		name := "✗ " + display.Clip(w.Tool, max(8, p.width/2)) + "  not found"
		row = "  " + t.bad.Render(name)
		if selected {
			row = t.selected.Render("› " + name)
		}
	}
	out := []string{fit(row, p.width)}
	if p.pinHeight() > 1 {
		out = append(out, fit(" "+t.warn.Render("expected:")+" "+display.Clip(w.Reasons[0].Message, max(0, p.width-12)), p.width))
	}
	if p.pinHeight() > 2 {
		out = append(out, fit(" "+p.suggestion(w), p.width))
	}
	return out
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

// pinHeight is how many lines the expected tool takes.
func (p *queryPane) pinHeight() int {
	switch {
	case p.pinRows() == 0:
		return 0
	case p.height >= 14:
		return 3
	case p.height >= 10:
		return 2
	}
	return 1
}

// whyLines are the reasons and the changes for a tool; the hint is what is said
// of the first change.
func whyLines(t theme, w engine.Why, hint string, width int) []string {
	var out []string
	put := func(style interface{ Render(...string) string }, mark, text string) {
		for i, l := range wrapAt(display.Text(text), 3, width) {
			if i == 0 {
				l = " " + style.Render(mark) + l[2:]
			}
			out = append(out, l)
		}
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
	if !ok || len(pin.Why.Changes) == 0 {
		return nil, false
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
