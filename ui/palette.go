package ui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"

	"toolscope/ui/display"
)

// paletteMsg opens the palette with every command.
type paletteMsg struct{}

// palette finds one of a list by a few letters of its name.
type palette struct {
	theme  theme
	keys   keyMap
	input  textinput.Model
	list   pickList
	shown  []action
	cursor int

	top, rows int // of the list, as last drawn
}

// pickList is what a palette picks from.
type pickList struct {
	title, hint string
	verb        string // what enter does
	actions     []action
	typed       func(text string) (action, bool) // what the text itself stands for, if anything
	typedLast   bool                             // it comes after the matches, not before them
}

// commandList is every action there is now, and settings typed as "key value".
func commandList(actions []action) pickList {
	return pickList{
		title: "Commands", hint: "a command, or a setting: listing_max_tokens 1200", verb: "runs", actions: actions,
		typed: func(text string) (action, bool) {
			name, value, ok := strings.Cut(strings.Replace(text, "=", " ", 1), " ")
			value = strings.TrimSpace(value)
			return action{name: "Set " + name + " to " + value, msg: setMsg{name, value}}, ok && isSetting(name)
		},
	}
}

// newPalette returns the palette of a list.
func newPalette(t theme, list pickList) *palette {
	in := textinput.New()
	in.Prompt = "> "
	in.Placeholder = list.hint
	in.Focus()
	p := &palette{theme: t, keys: newKeyMap(), input: in, list: list}
	p.filter()
	return p
}

// SetSnapshot changes nothing: the list is the one it was opened with.
func (p *palette) SetSnapshot(Snapshot) {}

// Typing is always so.
func (p *palette) Typing() bool { return true }

// HandleWheel moves the cursor.
func (p *palette) HandleWheel(n int) { p.cursor = max(0, min(p.cursor+n, len(p.shown)-1)) }

// HandleClick chooses the row under the pointer.
func (p *palette) HandleClick(_, y int) (tea.Msg, bool) {
	if row := y - 3; row >= 0 && row < p.rows && p.top+row < len(p.shown) {
		return p.shown[p.top+row].msg, true
	}
	return nil, false
}

// filter keeps the actions whose names match, best first.
func (p *palette) filter() {
	p.cursor, p.shown = 0, nil
	text := strings.TrimSpace(p.input.Value())
	if text == "" {
		p.shown = append(p.shown, p.list.actions...)
		return
	}
	names := make([]string, len(p.list.actions))
	for i, a := range p.list.actions {
		names[i] = a.name
	}
	for _, match := range fuzzy.Find(strings.ReplaceAll(text, " ", ""), names) {
		p.shown = append(p.shown, p.list.actions[match.Index])
	}
	// What contains the text as it was typed comes before what has its letters.
	slices.SortStableFunc(p.shown, func(a, b action) int {
		has := func(a action) int {
			if strings.Contains(strings.ToLower(a.name), strings.ToLower(text)) {
				return 0
			}
			return 1
		}
		return has(a) - has(b)
	})
	if a, ok := p.list.typed(text); ok {
		at := 0
		if p.list.typedLast {
			at = len(p.shown)
		}
		p.shown = slices.Insert(p.shown, at, a)
	}
}

// HandleKey returns what the chosen action asks for; done closes the palette.
func (p *palette) HandleKey(msg tea.KeyMsg) (ask tea.Msg, done bool) {
	switch {
	case key.Matches(msg, p.keys.Back):
		return nil, true
	case msg.Type == tea.KeyEnter:
		if p.cursor < len(p.shown) {
			return p.shown[p.cursor].msg, true
		}
		return nil, false
	case msg.Type == tea.KeyDown || msg.Type == tea.KeyCtrlN || msg.Type == tea.KeyTab:
		p.cursor = min(p.cursor+1, max(0, len(p.shown)-1))
		return nil, false
	case msg.Type == tea.KeyUp || msg.Type == tea.KeyCtrlP || msg.Type == tea.KeyShiftTab:
		p.cursor = max(p.cursor-1, 0)
		return nil, false
	}
	p.input, _ = p.input.Update(msg)
	p.filter()
	return nil, false
}

// View draws the list, the cursor in the middle of it.
func (p *palette) View(width, height int) string {
	t := p.theme
	w := min(64, width)
	h := min(18, height)
	p.input.Width = w - 6
	inner := w - 2
	content := []string{fit(" "+p.input.View(), inner), t.faint.Render(strings.Repeat("─", inner))}
	rows := h - 4
	top := max(0, min(p.cursor-rows/2, len(p.shown)-rows))
	p.top, p.rows = top, rows
	for i := top; i < len(p.shown) && i < top+rows; i++ {
		a := p.shown[i]
		line := spread("  "+display.Text(a.name), t.key.Render(a.key.Help().Key)+" ", inner)
		if i == p.cursor {
			line = t.selected.Render(fit("› "+display.Text(a.name), inner-12)) + fit(strings.Repeat(" ", max(0, 11-len([]rune(a.key.Help().Key))))+t.key.Render(a.key.Help().Key)+" ", 12)
		}
		content = append(content, line)
	}
	if len(p.shown) == 0 {
		content = append(content, t.muted.Render("  nothing matches; esc closes"))
	}
	note := t.muted.Render("enter " + p.list.verb + " · esc closes")
	return frame(t, 0, p.list.title, note, scrollNote(t, top, len(p.shown), rows), lines(content, 0, inner, h-2), w, h, true)
}
