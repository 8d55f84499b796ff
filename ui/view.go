package ui

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/ui/display"
)

// View draws the whole screen. It only reads.
func (m model) View() string {
	if m.quitting || m.width == 0 {
		return ""
	}
	if m.layout.tooSmall {
		return m.tooSmall()
	}
	screen := make([]string, 0, m.height)
	screen = append(screen, m.header())
	if m.layout.tabs {
		screen = append(screen, m.tabs())
	}
	screen = m.placed(screen, m.layout.body, m.body())
	screen = m.placed(screen, m.layout.caption, m.caption())
	screen = append(m.placed(screen, rect{y: m.height - 1}, nil), m.footer())
	out := strings.Join(screen, "\n")
	if m.sheet != nil {
		area := m.sheetArea()
		out = place(out, m.sheet.View(area.w, area.h), area)
	}
	return out
}

// placed adds lines to a screen where their rectangle is: blank lines fill what
// is between, and blank cells the margin.
func (m model) placed(screen []string, r rect, lines []string) []string {
	for len(screen) < r.y {
		screen = append(screen, "")
	}
	for _, l := range lines {
		screen = append(screen, strings.Repeat(" ", r.x)+l)
	}
	return screen
}

// tooSmall says what is needed, in as many words as fit on one line.
func (m model) tooSmall() string {
	need, have := fmt.Sprintf("%d×%d", minWidth, minHeight), fmt.Sprintf("%d×%d", m.width, m.height)
	for _, said := range []string{"toolscope needs " + need + " cells; this is " + have, "needs " + need + ", has " + have, need} {
		if ansi.StringWidth(said) <= m.width {
			return said
		}
	}
	return fit(need, m.width)
}

// header is the one line that says what is open and what was decided.
func (m model) header() string {
	t, a := m.theme, m.snap.Assembly
	ready, all, failed := 0, 0, 0
	for _, s := range m.snap.Servers {
		if s.Plugin {
			continue
		}
		all++
		switch s.State {
		case mcpconn.StateReady:
			ready++
		case mcpconn.StateFailed:
			failed++
		}
	}
	left := " " + t.titleFocus.Render("toolscope") + "  " + sourceName(m.source) +
		t.muted.Render(" · ") + fmt.Sprintf("%d/%d servers", ready, all)
	if failed > 0 {
		left += " " + t.bad.Render(fmt.Sprintf("✗ %d failed", failed))
	}
	if m.connecting() {
		left += " " + t.accent.Render(m.snap.Spinner+" connecting")
	}
	left += t.muted.Render(" · ") + plural(len(a.Visible)+len(a.Deferred), "tool")
	if name := m.sessionName(); name != "" {
		left += t.muted.Render(" · session ") + name
	}
	if n := len(m.snap.Warnings); n > 0 {
		left += t.muted.Render(" · ") + t.warn.Render("⚠ "+plural(n, "warning"))
	}
	context := "context " + contextName(m.cfg.ContextLength)
	if m.cfg.ContextLength <= 0 {
		context = t.warn.Render("context unknown")
	}
	right := " " + context + "  " + badge(t.tiers[min(max(a.Tier, 0), 2)], fmt.Sprintf("TIER %d %s", a.Tier, tierWord(a))) + " "
	if word := m.snap.Cache.word(t, m.width < 140); word != "" && m.width >= 100 {
		right += " " + word + " "
	}
	// The decision is never cut; what is open may be.
	return fit(left, m.width-ansi.StringWidth(right)) + right
}

// sourceName is the configuration's path, its beginning left out where it is
// long.
func sourceName(path string) string {
	const most = 32
	if name := display.Text(path); ansi.StringWidth(name) <= most {
		return name
	}
	dir, file := filepath.Split(path)
	return display.Clip("…/"+filepath.Join(filepath.Base(dir), file), most)
}

// tierWord is the tier's form, or what tier 0 means.
func tierWord(a engine.Assembly) string {
	if a.Tier == 0 {
		return "eager"
	}
	return string(a.Form)
}

// tabNames are the panes' names on the line of tabs.
func tabNames() []string { return []string{"Tier", "Listing", "Budget", "Query", "Call"} }

// tabs shows which panes there are when not all of them fit.
func (m model) tabs() string {
	t := m.theme
	line := " "
	for i := range tabNames() {
		label := m.tabLabel(i)
		switch _, shown := m.layout.panes[paneID(i+1)]; {
		case paneID(i+1) == m.focus:
			line += t.selected.Render("[" + label + "]")
		case shown:
			line += t.strong.Render(" " + label + " ")
		default:
			line += t.muted.Render(" " + label + " ")
		}
		line += " "
	}
	if m.zoom {
		line += t.muted.Render("  zoomed: z or esc shows all")
	}
	return fit(line, m.width)
}

// allTabs is the width from which every tab has its name.
const allTabs = 56

// tabLabel is a pane's number and name; where there is little room only the
// pane in view has its name.
func (m model) tabLabel(i int) string {
	if m.width < allTabs && paneID(i+1) != m.focus {
		return strconv.Itoa(i + 1)
	}
	return strconv.Itoa(i+1) + " " + tabNames()[i]
}

// tabAt is the tab under a cell of the line of tabs.
func (m model) tabAt(x int) (paneID, bool) {
	at := 1
	for i := range tabNames() {
		w := ansi.StringWidth(m.tabLabel(i)) + 2
		if x >= at && x < at+w {
			return paneID(i + 1), true
		}
		at += w + 1
	}
	return 0, false
}

// body draws the panes into lines of the full width. The panes tile the body,
// so each line is the pieces of the panes it crosses, from left to right.
func (m model) body() []string {
	type piece struct {
		rect
		lines []string
	}
	var pieces []piece
	for id := paneTier; id <= paneCall; id++ {
		r, ok := m.layout.panes[id]
		if !ok {
			continue
		}
		p := m.panes[id]
		name, note := p.Title()
		drawn := frame(m.theme, id, name, note, p.Foot(), p.View(), r.w, r.h, id == m.focus && m.sheet == nil)
		pieces = append(pieces, piece{r, strings.Split(drawn, "\n")})
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return a.x - b.x })
	area := m.layout.body
	rows := make([]string, area.h)
	for i := range rows {
		var b strings.Builder
		for _, p := range pieces {
			if y := area.y + i - p.y; y >= 0 && y < len(p.lines) {
				b.WriteString(p.lines[y])
			}
		}
		rows[i] = b.String()
	}
	return rows
}

// footer is the status message while there is one, else the keys that matter.
func (m model) footer() string {
	t := m.theme
	switch {
	case m.status != "":
		return fit(" "+t.accent.Render("›")+" "+display.Text(m.status), m.width)
	case m.sheet != nil && m.typing():
		return footerLine(t, []key.Binding{m.keys.Back}, nil, m.width)
	case m.sheet != nil:
		return footerLine(t, m.keys.ofSheet(m.sheet), []key.Binding{m.keys.Back}, m.width)
	case m.focus == paneQuery && m.typing():
		return footerLine(t, []key.Binding{m.keys.TypeLeave, m.keys.Earlier, m.keys.History, m.keys.NewQuery, m.keys.Interrupt}, nil, m.width)
	case m.typing():
		return footerLine(t, []key.Binding{m.keys.TypeLeave, m.keys.Interrupt}, nil, m.width)
	case m.touring() && m.layout.caption.h == 0:
		return m.tourFooter() // there is no room for the caption
	}
	if (m.focus == paneCall || m.touring()) && m.questioned().waits() {
		answers := []key.Binding{m.keys.Approve, m.keys.ApproveSession, m.keys.Deny, m.keys.StageMove}
		if m.touring() {
			answers[3] = m.keys.TourEnd
		}
		return footerLine(t, answers, []key.Binding{m.keys.Help, m.keys.Quit}, m.width)
	}
	switch {
	case m.presenting:
		return ""
	case m.touring():
		return m.tourFooter()
	}
	return footerLine(t, m.keys.footer(m.focus, m.callPane().mode), []key.Binding{m.keys.Help, m.keys.Quit}, m.width)
}
