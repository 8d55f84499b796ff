package ui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
	"toolscope/mcpconn/config"
	"toolscope/ui/display"
)

// agreeMsg gives or takes back the consent to a hook's command.
type agreeMsg struct {
	command string
	yes     bool
}

// hooksView lists the hooks of calls: what each matches of the tools there are
// and what it does not, and whether its command may run.
type hooksView struct {
	theme  theme
	keys   keyMap
	rows   []hookRow
	cursor int
	top    int // first line shown of the detail

	first, shown int // of the list, as last drawn
}

// hookRow is a hook with the tools it sees.
type hookRow struct {
	hook           config.Hook
	agreed         bool
	matches, spare []string // deferred tools that it sees, and that it does not
	warnings       []engine.Warning
}

func newHooksView(t theme) *hooksView { return &hooksView{theme: t, keys: newKeyMap()} }

// SetSnapshot gives what to render.
func (v *hooksView) SetSnapshot(s Snapshot) {
	v.rows = v.rows[:0:0]
	for _, h := range s.Hooks {
		r := hookRow{hook: h, agreed: slices.Contains(s.Agreed, h.Command)}
		for _, d := range s.Assembly.Deferred {
			if h.Matches(d.Name) {
				r.matches = append(r.matches, d.Name)
			} else {
				r.spare = append(r.spare, d.Name)
			}
		}
		for _, w := range s.Warnings {
			if strings.HasPrefix(w.Key, h.Key+".") {
				r.warnings = append(r.warnings, w)
			}
		}
		v.rows = append(v.rows, r)
	}
	v.cursor = max(0, min(v.cursor, len(v.rows)-1))
}

// Typing is never so.
func (v *hooksView) Typing() bool { return false }

// HandleWheel scrolls the detail.
func (v *hooksView) HandleWheel(n int) { v.top = max(0, v.top+n) }

// HandleClick brings the hook under the pointer into view.
func (v *hooksView) HandleClick(_, y int) (tea.Msg, bool) {
	if row := y - 2; row >= 0 && row < v.shown && v.first+row < len(v.rows) {
		v.cursor, v.top = v.first+row, 0
	}
	return nil, false
}

// HandleKey moves, consents, or closes the sheet.
func (v *hooksView) HandleKey(msg tea.KeyMsg) (ask tea.Msg, done bool) {
	k := v.keys
	switch {
	case key.Matches(msg, k.Back, k.Hooks, k.Quit):
		return nil, true
	case len(v.rows) == 0:
	case key.Matches(msg, k.Move):
		v.cursor, v.top = max(0, min(v.cursor+direction(msg), len(v.rows)-1)), 0
	case key.Matches(msg, k.Page):
		v.top = max(0, v.top+10*direction(msg))
	case key.Matches(msg, k.Consent):
		r := v.rows[v.cursor]
		return agreeMsg{r.hook.Command, !r.agreed}, false
	case key.Matches(msg, k.Copy):
		return copyMsg{"the command", v.rows[v.cursor].hook.Command}, false
	}
	return nil, false
}

// agree gives or takes back the consent to a command, and remembers it.
func (m model) agree(msg agreeMsg) (tea.Model, tea.Cmd) {
	consents := m.consents
	if msg.yes {
		m.agreed = append(slices.Clone(m.agreed), msg.command)
		m.publish()
		next, fade := m.say("consented: calls run " + msg.command)
		return next, tea.Batch(fade, func() tea.Msg { return failure(consents.Add(msg.command)) })
	}
	m.agreed = slices.DeleteFunc(slices.Clone(m.agreed), func(c string) bool { return c == msg.command })
	m.publish()
	next, fade := m.say("revoked: it does not run any more")
	return next, tea.Batch(fade, func() tea.Msg { return failure(consents.Revoke(msg.command)) })
}

// View draws the list above the hook under the cursor.
func (v *hooksView) View(width, height int) string {
	t := v.theme
	inner := min(width, 130) - 2
	if len(v.rows) == 0 {
		said := wrapText(t.muted, "No hooks of calls are configured. hooks.pre_tool_call and hooks.post_tool_call of the configuration hold them: a matcher, and a command that sees each call and may change or block it.", inner)
		return frame(t, 0, "Hooks", t.muted.Render("esc closes"), "", lines(said, 0, inner, len(said)), inner+2, len(said)+2, true)
	}
	room := max(2, height-2)
	list := max(1, min(len(v.rows), room/3))
	v.first, v.shown = scrolled(v.cursor-list/2, len(v.rows), list), list
	out := []string{t.muted.Render(fit("  event          matcher", 44) + fit("sees", 20) + "command")}
	for i, r := range window(v.rows, v.first, list) {
		mark, style := "  ", t.text
		if v.first+i == v.cursor {
			mark, style = "› ", t.selected
		}
		consent := t.warn.Render("○ not consented ")
		if r.agreed {
			consent = t.good.Render("● consented     ")
		}
		row := style.Render(fit(mark+fit(string(r.hook.Event), 15)+display.Clip(r.matcher(), 26), 44)) + fit(r.sees(t), 20) + consent + display.Clip(r.hook.Command, max(0, inner-81))
		out = append(out, fit(row, inner))
	}
	out = append(out, t.border.Render(strings.Repeat("─", max(0, inner))))
	detail := v.detail(v.rows[v.cursor], inner)
	left := max(1, min(len(detail), room-len(out)))
	v.top = scrolled(v.top, len(detail), left)
	out = append(out, window(detail, v.top, left)...)
	note := t.muted.Render("space: consent, or take it back · y: copy · esc closes")
	h := min(height, len(out)+2)
	return frame(t, 0, "Hooks", note, scrollNote(t, v.top, len(detail), left), lines(out, 0, inner, h-2), inner+2, h, true)
}

// matcher is what the hook matches by, as it stands.
func (r hookRow) matcher() string {
	if r.hook.Matcher == "" {
		return "(every tool)"
	}
	return r.hook.Matcher
}

// sees counts the tools the hook sees.
func (r hookRow) sees(t theme) string {
	if len(r.matches) == 0 {
		return t.bad.Render("✗ none of " + number(len(r.spare)))
	}
	return fmt.Sprintf("%s of %s tools", number(len(r.matches)), number(len(r.matches)+len(r.spare)))
}

// detail is all that is to be said of a hook.
func (v *hooksView) detail(r hookRow, width int) []string {
	t := v.theme
	var out []string
	field := func(name, value string) {
		rows := wrapAt(value, 14, width)
		rows[0] = " " + t.muted.Render(fit(name, 13)) + strings.TrimPrefix(rows[0], strings.Repeat(" ", 14))
		out = append(out, rows...)
	}
	h := r.hook
	command, _ := firstBytes(h.Command, maxShown)
	field("command", display.Text(command))
	field("from", display.Text(fmt.Sprintf("%s:%d", h.File, h.Line)))
	failing := "a failure of it changes nothing"
	if h.FailClosed {
		failing = "fail_closed: a failure of it blocks the call"
	}
	field("at most", fmt.Sprintf("%g s, then it is ended; %s", h.Timeout.Seconds(), failing))
	if r.agreed {
		field("consent", t.good.Render("● given")+" to exactly this command; space takes it back")
	} else {
		field("consent", t.warn.Render("○ not given")+": it does not run; space consents to exactly this command and remembers it")
	}
	for _, w := range r.warnings {
		field("warning", t.warn.Render("⚠ "+display.Text(w.Message)))
	}
	switch {
	case len(r.matches) == 0 && len(r.spare) == 0:
		field("sees", "no tool is deferred now")
	case len(r.matches) == 0:
		field("sees", t.bad.Render("✗ none of the deferred tools")+": the matcher has to match the whole real name, such as "+display.Clip(r.spare[0], 60))
	default:
		field("sees", names(r.matches))
	}
	if len(r.spare) > 0 && len(r.matches) > 0 {
		field("not", names(r.spare))
	}
	return out
}

// names lists the first tools of a list and counts the others.
func names(tools []string) string {
	const most = 30
	shown := display.Clip(strings.Join(tools[:min(most, len(tools))], ", "), maxShown)
	if more := len(tools) - most; more > 0 {
		shown += fmt.Sprintf(" and %s more", number(more))
	}
	return shown
}
