package ui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

// paneID names a pane; its number is the key that brings it up.
type paneID int

const (
	paneTier paneID = iota + 1
	paneListing
	paneBudget
	paneQuery
	paneCall
)

// pane is one part of the screen. A pane is dumb: it renders the snapshot it
// was given, keeps only its own scroll and cursor, and asks for anything else
// by returning a message.
type pane interface {
	// Title is the name in the frame, and a note for its right end.
	Title() (name, note string)
	// Foot is a note for the right end of the frame's last line: what scrolling
	// would show.
	Foot() string
	// SetSize gives the cells inside the frame.
	SetSize(width, height int)
	// SetSnapshot gives what to render.
	SetSnapshot(Snapshot)
	// SetFocus tells whether keys go to this pane.
	SetFocus(bool)
	// HandleKey takes a key pressed while the pane has the focus. The message
	// may be nil; handled is false for a key that means nothing here.
	HandleKey(tea.KeyMsg) (msg tea.Msg, handled bool)
	// HandleWheel scrolls by so many lines, down if positive.
	HandleWheel(lines int)
	// HandleClick takes a click on a cell inside the frame.
	HandleClick(x, y int) tea.Msg
	// View is exactly the given size.
	View() string
}

// frame draws a pane's content inside a border with its number, title, and
// notes at the right ends of the first and the last line. width and height are
// the outer size.
func frame(t theme, id paneID, title, note, foot, content string, width, height int, focus bool) string {
	border, name := t.border, t.title
	if focus {
		border, name = t.borderFocus, t.titleFocus
	}
	label := title
	if id > 0 {
		label = string(rune('0'+int(id))) + " " + title
	}
	if focus {
		label = "▸ " + label // the focus shows without colour too
	}
	inner := width - 2
	label = ansi.Truncate(label, max(0, inner-3), "…")
	head := border.Render("╭ ") + name.Render(label) + border.Render(" ")
	room := inner - ansi.StringWidth(label) - 2
	if w := ansi.StringWidth(note); note != "" && w+4 <= room {
		head += border.Render(strings.Repeat("─", room-w-3)+" ") + note + border.Render(" ─╮")
	} else {
		head += border.Render(strings.Repeat("─", max(0, room)) + "╮")
	}
	out := []string{head}
	body := strings.Split(content, "\n")
	for i := 0; i < height-2; i++ {
		line := ""
		if i < len(body) {
			line = body[i]
		}
		out = append(out, border.Render("│")+fit(line, inner)+border.Render("│"))
	}
	if w := ansi.StringWidth(foot); foot != "" && w+4 <= inner {
		return strings.Join(append(out, border.Render("╰"+strings.Repeat("─", inner-w-3)+" ")+foot+border.Render(" ─╯")), "\n")
	}
	out = append(out, border.Render("╰"+strings.Repeat("─", max(0, inner))+"╯"))
	return strings.Join(out, "\n")
}
