package ui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// sheet lies over the panes and takes every key while it does. Like a pane it
// is dumb: it renders the snapshot it was given, keeps only its own scroll,
// cursor and text, and asks for anything else by returning a message.
type sheet interface {
	// SetSnapshot gives what to render.
	SetSnapshot(Snapshot)
	// HandleKey takes a key. The message may be nil, or [declinedMsg] for a key
	// that means nothing here; done takes the sheet away.
	HandleKey(tea.KeyMsg) (ask tea.Msg, done bool)
	// HandleWheel scrolls by so many lines, down if positive.
	HandleWheel(lines int)
	// HandleClick takes a click on a cell of what View drew, its border included.
	HandleClick(x, y int) (ask tea.Msg, done bool)
	// Typing reports whether every character is text.
	Typing() bool
	// View draws the sheet in at most width × height cells, its frame included.
	View(width, height int) string
}

// declinedMsg is what a sheet returns for a key that it leaves to what holds
// everywhere. There it tunes, if that is what it does, and the sheet stays.
type declinedMsg struct{}

// sheetMsg lays a sheet over the panes.
type sheetMsg struct{ sheet sheet }

// lay puts a sheet over the panes, in place of the one that is there.
func (m *model) lay(s sheet) {
	m.sheet = s
	s.SetSnapshot(m.snap)
}

// sheetKey hands a key to the sheet. What a sheet shows is exported like the
// panes.
func (m model) sheetKey(msg tea.KeyMsg) (tea.Model, tea.Cmd) {
	if _, open := m.sheet.(*exportSheet); !open && !m.sheet.Typing() && key.Matches(msg, m.keys.Export) {
		return m.apply(exportSheetMsg{})
	}
	ask, done := m.sheet.HandleKey(msg)
	if done {
		m.sheet = nil
	}
	if _, declined := ask.(declinedMsg); declined {
		return m.tuneUnder(msg)
	}
	return m.apply(ask)
}

// tuneUnder carries out a key that tunes, under a sheet that has no use for it.
// Keys that do anything else wait until the sheet is gone.
func (m model) tuneUnder(msg tea.KeyMsg) (tea.Model, tea.Cmd) {
	for _, a := range m.actions() {
		if !key.Matches(msg, a.key) {
			continue
		}
		switch a.msg.(type) {
		case tuneMsg, setMsg, jumpMsg, sessionMsg, undoMsg:
			return m.apply(a.msg)
		}
	}
	return m, nil
}

// sheetMouse hands the pointer to the sheet; a click beside it takes it away.
func (m model) sheetMouse(msg tea.MouseMsg, wheel int) (tea.Model, tea.Cmd) {
	if wheel != 0 {
		m.sheet.HandleWheel(wheel)
		return m, nil
	}
	if msg.Action != tea.MouseActionPress || msg.Button != tea.MouseButtonLeft {
		return m, nil
	}
	area := m.sheetArea()
	r := centred(m.sheet.View(area.w, area.h), area)
	if !r.contains(msg.X, msg.Y) {
		return m.sheetKey(tea.KeyMsg{Type: tea.KeyEsc})
	}
	ask, done := m.sheet.HandleClick(msg.X-r.x, msg.Y-r.y)
	if done {
		m.sheet = nil
	}
	return m.apply(ask)
}

// sheetArea is the most that a sheet may cover: what is behind it stays in view
// on either side.
func (m model) sheetArea() rect {
	b := m.layout.body
	return rect{b.x + 1, b.y, max(0, b.w-2), b.h}
}

// centred is where a box of text lies in the middle of an area.
func centred(box string, area rect) rect {
	front := strings.Split(box, "\n")
	w := 0
	for _, l := range front {
		w = max(w, ansi.StringWidth(l))
	}
	return rect{area.x + max(0, (area.w-w)/2), area.y + max(0, (area.h-len(front))/2), w, len(front)}
}

// place draws a box over the middle of a screen, line by line, so that what is
// behind it stays in view.
func place(screen, box string, area rect) string {
	back := strings.Split(screen, "\n")
	r := centred(box, area)
	for i, l := range strings.Split(box, "\n") {
		if r.y+i >= len(back) {
			break
		}
		line := back[r.y+i]
		total := ansi.StringWidth(line)
		left := fit(ansi.Truncate(line, r.x, ""), r.x)
		right := ""
		if r.x+r.w < total {
			right = ansi.TruncateLeft(line, r.x+r.w, "")
			if ansi.StringWidth(right) > total-r.x-r.w {
				right = ansi.TruncateLeft(line, r.x+r.w+1, "") // a wide character stood across the edge
			}
			right = strings.Repeat(" ", max(0, total-r.x-r.w-ansi.StringWidth(right))) + right
		}
		back[r.y+i] = left + fit(l, r.w) + right
	}
	return strings.Join(back, "\n")
}
