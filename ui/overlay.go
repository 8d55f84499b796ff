package ui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
)

// overlayKey handles a key while something lies over the panes.
func (m model) overlayKey(msg tea.KeyMsg) (tea.Model, tea.Cmd) {
	switch m.overlay {
	case overlayPalette:
		ask, done := m.palette.handleKey(msg, m.keys)
		if done {
			m.overlay = overlayNone
		}
		return m.apply(ask)
	case overlaySignIn:
		return m.signInKey(msg)
	case overlayWrite:
		return m.writeKey(msg)
	case overlayServers:
		if key.Matches(msg, m.keys.Back, m.keys.Servers, m.keys.Quit) {
			m.overlay = overlayNone
			return m, nil
		}
		return m.apply(m.servers.handleKey(msg, m.keys))
	}
	switch {
	case key.Matches(msg, m.keys.Back, m.keys.Help, m.keys.Quit):
		m.overlay = overlayNone
	case key.Matches(msg, m.keys.Palette):
		return m.apply(overlayMsg{overlayPalette})
	default:
		m.help.handleKey(msg)
	}
	return m, nil
}

// place draws a box over the middle of a screen, line by line, so that what is
// behind it stays in view.
func place(screen, box string, area rect) string {
	back := strings.Split(screen, "\n")
	front := strings.Split(box, "\n")
	w := 0
	for _, l := range front {
		w = max(w, ansi.StringWidth(l))
	}
	x := area.x + max(0, (area.w-w)/2)
	y := area.y + max(0, (area.h-len(front))/2)
	for i, l := range front {
		if y+i >= len(back) {
			break
		}
		line := back[y+i]
		total := ansi.StringWidth(line)
		left := fit(ansi.Truncate(line, x, ""), x)
		right := ""
		if x+w < total {
			right = ansi.TruncateLeft(line, x+w, "")
			if ansi.StringWidth(right) > total-x-w {
				right = ansi.TruncateLeft(line, x+w+1, "") // a wide character stood across the edge
			}
			right = strings.Repeat(" ", max(0, total-x-w-ansi.StringWidth(right))) + right
		}
		back[y+i] = left + fit(l, w) + right
	}
	return strings.Join(back, "\n")
}

// helpView is the help: every binding of the key map, by where it holds.
type helpView struct{ top int }

func (h *helpView) handleKey(msg tea.KeyMsg) {
	switch msg.String() {
	case "down", "j":
		h.top++
	case "up", "k":
		h.top--
	case "pgdown", " ":
		h.top += 10
	case "pgup":
		h.top -= 10
	case "g", "home":
		h.top = 0
	case "G", "end":
		h.top = 1 << 16
	}
}

// view draws the help in at most width × height cells; it scrolls where that
// is not enough.
func (h *helpView) view(t theme, k keyMap, width, height int) string {
	const least = 38 // cells of a column
	columns := max(1, min(3, (width-4)/least))
	column := min(52, (width-4)/columns)
	var blocks [][]string
	for _, s := range k.sections() {
		block := []string{t.strong.Render(s.title)}
		for _, b := range s.keys {
			block = append(block, fit(t.key.Render(fit(b.Help().Key, 12))+" "+b.Help().Desc, column-2))
		}
		blocks = append(blocks, append(block, ""))
	}
	total := 0
	for _, b := range blocks {
		total += len(b)
	}
	stacks := make([][]string, columns)
	at := 0
	for _, b := range blocks {
		if at < columns-1 && len(stacks[at])+len(b)/2 > (total+columns-1)/columns {
			at++
		}
		stacks[at] = append(stacks[at], b...)
	}
	rows := 0
	for _, s := range stacks {
		rows = max(rows, len(s))
	}
	content := make([]string, rows)
	for i := range content {
		for _, s := range stacks {
			cell := ""
			if i < len(s) {
				cell = s[i]
			}
			content[i] += " " + fit(cell, column-1)
		}
	}
	w, hgt := columns*column+2, min(height, rows+2)
	h.top = scrolled(h.top, rows, hgt-2)
	note := ""
	if rows > hgt-2 {
		note = t.muted.Render("↑/↓ scroll · esc closes")
	} else {
		note = t.muted.Render("esc closes")
	}
	return frame(t, 0, "Keys", note, scrollNote(t, h.top, rows, hgt-2), lines(content, h.top, w-2, hgt-2), w, hgt, true)
}

// footerLine is the keys that matter most, from the key map, as many as fit;
// the last ones always stand at the right end.
func footerLine(t theme, bindings, last []key.Binding, width int) string {
	item := func(k key.Binding) string {
		return t.key.Render(k.Help().Key) + " " + t.muted.Render(k.Help().Desc) + "   "
	}
	right := ""
	for _, k := range last {
		right += item(k)
	}
	left, room := " ", width-ansi.StringWidth(right)-1
	for _, k := range bindings {
		next := left + item(k)
		if ansi.StringWidth(next) > room {
			break
		}
		left = next
	}
	return fit(spread(left, strings.TrimRight(right, " ")+" ", width), width)
}

// badge is a short word on a coloured ground.
func badge(s lipgloss.Style, text string) string { return s.Render(" " + text + " ") }
