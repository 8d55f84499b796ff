package ui

import (
	"fmt"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
	"toolscope/ui/display"
)

// Messages about two settings side by side.
type (
	keepSideMsg struct{} // keep the present settings, to compare others with them
	sidesMsg    struct{} // show both sides
	swapSideMsg struct{} // put the kept settings in force, and keep the present ones
)

// Side is the settings that are kept to compare the present ones with, and what
// they make of the same tools.
type Side struct {
	Set      bool
	Config   engine.Config
	Assembly engine.Assembly
}

// keepSide keeps the present settings.
func (m model) keepSide() (tea.Model, tea.Cmd) {
	m.snap.Kept = Side{true, m.cfg, m.snap.Assembly}
	m.publish()
	return m.say("these settings are kept as side A: tune, then B compares")
}

// showSides compares the present settings with those that are kept: without
// any, with the configured ones.
func (m model) showSides() (tea.Model, tea.Cmd) {
	if !m.snap.Kept.Set {
		m.snap.Kept = Side{Set: true, Config: m.original}
		m.refreshSide()
	}
	m.publish()
	m.lay(newSidesView(m.theme))
	return m, nil
}

// swapSides puts the kept settings in force and keeps the present ones.
func (m model) swapSides() (tea.Model, tea.Cmd) {
	if !m.snap.Kept.Set {
		return m, nil
	}
	kept := m.snap.Kept.Config
	m.snap.Kept = Side{true, m.cfg, m.snap.Assembly}
	return m.configure(kept)
}

// refreshSide assembles the present tools under the kept settings.
func (m *model) refreshSide() {
	side := &m.snap.Kept
	if !side.Set {
		return
	}
	a, ok := m.snap.Assembly.Retune(side.Config)
	if !ok {
		a = engine.Assemble(m.session, side.Config)
	}
	side.Assembly = a
}

// sidesView shows two settings and what each makes of the same tools.
type sidesView struct {
	theme theme
	keys  keyMap
	snap  Snapshot
	top   int
}

func newSidesView(t theme) *sidesView { return &sidesView{theme: t, keys: newKeyMap()} }

// SetSnapshot gives what to render.
func (v *sidesView) SetSnapshot(s Snapshot) { v.snap = s }

// Typing is never so.
func (v *sidesView) Typing() bool { return false }

// HandleWheel scrolls.
func (v *sidesView) HandleWheel(n int) { v.top += n }

// HandleClick does nothing.
func (v *sidesView) HandleClick(_, _ int) (tea.Msg, bool) { return nil, false }

// HandleKey swaps the sides, or closes the sheet.
func (v *sidesView) HandleKey(msg tea.KeyMsg) (ask tea.Msg, done bool) {
	k := v.keys
	switch {
	case key.Matches(msg, k.Back, k.Sides, k.Quit):
		return nil, true
	case key.Matches(msg, k.Swap):
		return swapSideMsg{}, false
	case key.Matches(msg, k.KeepSide):
		return keepSideMsg{}, false
	case key.Matches(msg, k.Undo):
		return undoMsg{}, false
	case key.Matches(msg, k.Redo):
		return redoMsg{}, false
	case key.Matches(msg, k.Move):
		v.top += direction(msg)
	case key.Matches(msg, k.Page):
		v.top += 10 * direction(msg)
	}
	return nil, false
}

// View draws both sides in columns.
func (v *sidesView) View(width, height int) string {
	t := v.theme
	inner := min(width, 120) - 2
	name := min(26, inner/3)
	column := (inner - name - 3) / 2
	a, b := v.snap.Kept.Assembly, v.snap.Assembly
	var out []string
	row := func(what, x, y string) {
		mark, style := "  ", t.muted
		if x != y {
			mark, style = t.warn.Render("≠ "), t.text
		}
		out = append(out, " "+mark+fit(t.muted.Render(display.Clip(what, name-1)), name)+style.Render(fit(fit(x, column-1), column))+style.Render(fit(y, column)))
	}
	part := func(title string) { out = append(out, " "+t.strong.Render(title)) }
	out = append(out, " "+fit("", name+2)+t.strong.Render(fit("A, kept", column))+t.strong.Render("B, in force"))
	for _, r := range settingRows() {
		row(r.key, r.value(a.Config), r.value(b.Config))
	}
	part("what they decide")
	both := func(what string, of func(engine.Assembly) string) { row(what, of(a), of(b)) }
	both("tier", func(a engine.Assembly) string { return fmt.Sprintf("TIER %d %s", a.Tier, tierWord(a)) })
	both("budget", func(a engine.Assembly) string {
		return fmt.Sprintf("%s by %s", number(a.Budget.Tokens), a.Budget.BoundBy)
	})
	both("listing", func(a engine.Assembly) string { return plural(a.Listing.Tokens, "token") })
	both("tools a turn", func(a engine.Assembly) string { return plural(billOf(a).WithBridge, "token") })
	both("saved a turn", func(a engine.Assembly) string { return plural(billOf(a).Saving, "token") })
	part("servers")
	modes := map[string][2]string{}
	var labels []string
	for i, side := range []engine.Assembly{a, b} {
		for _, g := range side.Groups {
			if _, ok := modes[g.Label]; !ok {
				labels = append(labels, g.Label)
			}
			m := modes[g.Label]
			m[i] = string(g.Mode)
			modes[g.Label] = m
		}
	}
	for _, l := range labels {
		row(l, modes[l][0], modes[l][1])
	}
	if len(v.snap.Queries) > 0 {
		part("the query finds")
		for _, q := range v.snap.Queries {
			old := a.Search(q.Query, 0)
			for i := range max(1, len(old.Hits), len(q.Hits)) {
				what := ""
				if i == 0 {
					what = q.Query
				}
				row(what, hitName(old, i), hitName(q, i))
			}
		}
	}
	part("from A to B")
	if d := engine.Compare(a, b); d.Changed {
		out = append(out, wrapText(t.warn, fmt.Sprintf("▲ a prompt cache keeps %s tokens of the tools array and reads %s anew", number(d.KeptTokens), number(d.LostTokens)), inner)...)
	} else {
		out = append(out, wrapText(t.good, "✓ the tools array has the same bytes: a prompt cache keeps all of it", inner)...)
	}
	room := max(1, min(len(out), height-2))
	v.top = scrolled(v.top, len(out), room)
	note := t.muted.Render("space swaps · A keeps B as A · esc closes")
	return frame(t, 0, "Two settings", note, scrollNote(t, v.top, len(out), room), lines(window(out, v.top, room), 0, inner, room), inner+2, room+2, true)
}

// hitName is the tool in a place of a ranking.
func hitName(r engine.Result, i int) string {
	switch {
	case i < len(r.Hits):
		return fmt.Sprintf("%d %s", i+1, display.Clip(r.Hits[i].Name, 80))
	case i == 0:
		return "nothing"
	}
	return ""
}
