package ui

import (
	"strings"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"toolscope/ui/display"
)

// caret is the place in a text field where the next character goes. It is a
// character of its own and not a reversed cell, so that it shows without
// colour.
const caret = "▌"

// field is a line of text that a person edits. The editing is the Bubbles
// library's; the drawing is not, since what is pasted may hold characters that
// only the display functions make safe to print.
type field struct {
	input textinput.Model
	full  bool // the last key brought more than the field holds
	stale bool // the text is from before: the first character typed takes its place, any other key keeps it
}

// newField returns an empty field of at most limit characters.
func newField(limit int) field {
	in := textinput.New()
	in.Prompt = ""
	in.CharLimit = limit
	in.Cursor.SetMode(cursor.CursorStatic)
	in.KeyMap.Paste = key.NewBinding() // the terminal pastes; the clipboard of the machine toolscope runs on is another one
	return field{input: in}
}

// focus lets keys in and puts the caret at the end.
func (f *field) focus() {
	f.input.Focus()
	f.input.CursorEnd()
}

func (f *field) blur() {
	f.input.Blur()
	f.full, f.stale = false, false
}

// typing reports whether the field takes keys.
func (f field) typing() bool { return f.input.Focused() }

func (f field) text() string { return f.input.Value() }

func (f *field) set(text string) {
	f.stale = false
	f.input.SetValue(text)
	f.input.CursorEnd()
}

// parts returns the text on either side of the caret.
func (f field) parts() (before, after string) {
	all := []rune(f.input.Value())
	at := min(f.input.Position(), len(all))
	return string(all[:at]), string(all[at:])
}

// handleKey edits the text and reports whether it changed. The lines of a
// paste are joined by join, blank ones left out.
func (f *field) handleKey(msg tea.KeyMsg, join string) bool {
	if f.stale && (msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace) {
		f.set("")
	}
	f.stale = false
	before := f.input.Value()
	if msg.Type == tea.KeyRunes {
		if msg.Paste {
			msg.Runes = []rune(joinLines(string(msg.Runes), join))
		}
		f.full = len([]rune(before))+len(msg.Runes) > f.input.CharLimit
	} else {
		f.full = false
	}
	f.input, _ = f.input.Update(msg)
	return f.input.Value() != before
}

// joinLines makes one line of several.
func joinLines(text, join string) string {
	var kept []string
	for _, l := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if l = strings.TrimSpace(l); l != "" {
			kept = append(kept, l)
		}
	}
	if len(kept) < 2 {
		return strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
	}
	return strings.Join(kept, join)
}

// view draws the field in exactly width cells; a longer text slides so that
// the caret stays in sight.
func (f field) view(t theme, width int) string {
	if width <= 0 {
		return ""
	}
	before, after := f.parts()
	if !f.typing() {
		return fit(display.Clip(before+after, width), width)
	}
	before, after = display.Text(before), display.Text(after)
	at := ansi.StringWidth(before)
	// A quarter of the line stays in sight behind the caret where there is text,
	// one cell at least, for the ellipsis.
	margin := min(ansi.StringWidth(after), max(1, width/4))
	room := width - 1 - margin
	for cut := at - room + 1; at > room && cut <= at; cut++ {
		// A wide character at the cut may stay, so one cut can be too little.
		if slid := "…" + ansi.TruncateLeft(before, cut, ""); ansi.StringWidth(slid) <= room || cut == at {
			before = slid
			break
		}
	}
	if room < 1 {
		before = ""
	}
	if f.stale {
		before = t.selected.Render(before)
	}
	return fit(before+t.accent.Render(caret)+after, width)
}

// wrapped draws the field over as many lines as it takes, and says in which of
// them the caret is.
func (f field) wrapped(t theme, width int) (rows []string, at int) {
	if width <= 0 {
		return nil, 0
	}
	before, after := f.parts()
	before = display.Text(before)
	whole := before + caret + display.Text(after)
	rows = strings.Split(ansi.Hardwrap(whole, width, true), "\n")
	for i, passed := 0, 0; i < len(rows); i++ {
		if passed+len(rows[i]) > len(before) {
			cut := len(before) - passed
			rows[i] = rows[i][:cut] + t.accent.Render(caret) + rows[i][cut+len(caret):]
			return rows, i
		}
		passed += len(rows[i])
	}
	return rows, len(rows) - 1
}
