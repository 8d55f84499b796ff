package ui

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
)

// helpView is the help: every binding of the key map, by where it holds.
type helpView struct {
	theme theme
	keys  keyMap
	top   int
}

func newHelpView(t theme) *helpView { return &helpView{theme: t, keys: newKeyMap()} }

// SetSnapshot changes nothing: the keys stay the same.
func (h *helpView) SetSnapshot(Snapshot) {}

// Typing is never so.
func (h *helpView) Typing() bool { return false }

// HandleWheel scrolls.
func (h *helpView) HandleWheel(n int) { h.top += n }

// HandleClick closes the help.
func (h *helpView) HandleClick(_, _ int) (tea.Msg, bool) { return nil, true }

// HandleKey scrolls, or closes the help.
func (h *helpView) HandleKey(msg tea.KeyMsg) (tea.Msg, bool) {
	switch {
	case key.Matches(msg, h.keys.Back, h.keys.Help, h.keys.Quit):
		return nil, true
	case key.Matches(msg, h.keys.Palette):
		return paletteMsg{}, true
	case key.Matches(msg, h.keys.Move):
		h.top += direction(msg)
	case key.Matches(msg, h.keys.Page) || msg.String() == " ":
		h.top += 10 * direction(msg)
	case key.Matches(msg, h.keys.Ends) || msg.Type == tea.KeyHome || msg.Type == tea.KeyEnd:
		h.top += direction(msg) << 16
	}
	return nil, false
}

// View draws the help in at most width × height cells; it scrolls where that
// is not enough.
func (h *helpView) View(width, height int) string {
	t := h.theme
	const least = 38 // cells of a column
	columns := max(1, min(3, (width-4)/least))
	column := min(52, (width-4)/columns)
	var blocks [][]string
	for _, s := range h.keys.sections() {
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
