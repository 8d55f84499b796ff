package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
	"toolscope/ui/display"
)

// comparison shows two calls side by side: how each stage ended, and what of
// the arguments and the results differs.
type comparison struct {
	theme         theme
	keys          keyMap
	first, second Call
	top           int
}

func newComparison(t theme, first, second Call) *comparison {
	return &comparison{theme: t, keys: newKeyMap(), first: first, second: second}
}

// SetSnapshot keeps the two calls as they are now.
func (v *comparison) SetSnapshot(s Snapshot) {
	for _, c := range s.Calls {
		switch c.ID {
		case v.first.ID:
			v.first = c
		case v.second.ID:
			v.second = c
		}
	}
}

// Typing is never so.
func (v *comparison) Typing() bool { return false }

// HandleWheel scrolls.
func (v *comparison) HandleWheel(n int) { v.top += n }

// HandleClick does nothing.
func (v *comparison) HandleClick(_, _ int) (tea.Msg, bool) { return nil, false }

// HandleKey scrolls, or closes the sheet.
func (v *comparison) HandleKey(msg tea.KeyMsg) (ask tea.Msg, done bool) {
	switch {
	case key.Matches(msg, v.keys.Back, v.keys.Compare, v.keys.Quit):
		return nil, true
	case key.Matches(msg, v.keys.Move):
		v.top += direction(msg)
	case key.Matches(msg, v.keys.Page):
		v.top += 10 * direction(msg)
	case key.Matches(msg, v.keys.Ends):
		v.top = max(0, v.top+direction(msg)<<16)
	}
	return nil, false
}

// View draws both calls in columns.
func (v *comparison) View(width, height int) string {
	t := v.theme
	inner := min(width, 150) - 2
	half := (inner - 18) / 2
	a, b := v.first.Flow, v.second.Flow
	head := func(c Call) string {
		return t.strong.Render(display.Clip(fmt.Sprintf("call %d %s %s", c.ID, c.Begun.Format("15:04:05"), c.Flow.Tool), half-1))
	}
	out := []string{fit("", 18) + fit(head(v.first), half) + head(v.second)}
	for i := range a.Stages {
		x, y := a.Stages[i], b.Stages[i]
		mark := "  "
		if x.Outcome != y.Outcome || x.Reason != y.Reason {
			mark = t.warn.Render("≠ ")
		}
		out = append(out, " "+mark+fit(string(x.Name), 15)+fit(v.stage(x, half-1), half)+v.stage(y, half-1))
	}
	out = append(out, v.difference("arguments", argumentsOf(a), argumentsOf(b), inner)...)
	out = append(out, v.difference("what the model is told", a.Result, b.Result, inner)...)
	room := max(1, min(len(out), height-2))
	v.top = scrolled(v.top, len(out), room)
	note := t.muted.Render("↑/↓ scroll · esc closes")
	return frame(t, 0, "Two calls", note, scrollNote(t, v.top, len(out), room), lines(window(out, v.top, room), 0, inner, room), inner+2, room+2, true)
}

// argumentsOf are the arguments the real tool was given, or would be.
func argumentsOf(f engine.Flow) json.RawMessage {
	if at := stageAt(f, engine.StageDispatch); at >= 0 && len(f.Stages[at].Input) > 0 {
		return f.Stages[at].Input
	}
	return f.Arguments
}

func (v *comparison) stage(s engine.Stage, width int) string {
	m := outcome(v.theme, s, false)
	text := m.glyph + " " + m.word
	if s.Duration > 0 {
		text += " " + spent(s.Duration)
	}
	if s.Reason != "" {
		text += ": "
	}
	return m.style.Render(text) + v.theme.muted.Render(display.Clip(s.Reason, max(0, width-len([]rune(text)))))
}

// difference is what differs between two JSON texts, line by line.
func (v *comparison) difference(what string, a, b json.RawMessage, width int) []string {
	t := v.theme
	out := []string{"", " " + t.strong.Render(what)}
	if bytes.Equal(a, b) {
		return append(out, t.muted.Render("   the same in both"))
	}
	return append(out, diffLines(t, a, b, width-2)...)
}

// diffLines is the difference of two JSON texts, each laid out over lines: −
// what is only in the first, + what is only in the second.
func diffLines(t theme, a, b json.RawMessage, width int) []string {
	text := func(raw json.RawMessage) string {
		var laid bytes.Buffer
		if len(raw) > maxShown || json.Indent(&laid, raw, "", "  ") != nil {
			cut, _ := firstBytes(string(raw), maxShown)
			return cut + "\n"
		}
		return laid.String() + "\n"
	}
	diff, err := udiff.ToUnified("a", "b", text(a), udiff.Lines(text(a), text(b)), 3)
	if err != nil {
		return []string{t.bad.Render(display.Clip(err.Error(), width))}
	}
	var out []string
	for i, l := range strings.Split(strings.TrimRight(diff, "\n"), "\n") {
		switch {
		case i < 2 || strings.HasPrefix(l, "@@") || strings.HasPrefix(l, `\`):
			continue
		case strings.HasPrefix(l, "+"):
			out = append(out, t.good.Render(" "+display.Clip(l, width)))
		case strings.HasPrefix(l, "-"):
			out = append(out, t.bad.Render(" "+display.Clip(l, width)))
		default:
			out = append(out, t.muted.Render(" "+display.Clip(l, width)))
		}
	}
	return out
}
