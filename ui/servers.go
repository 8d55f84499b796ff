package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/ui/display"
)

// serversView is the list of servers with everything known of the one under
// the cursor: its state and why, what it said of itself, what connecting took,
// its warnings and the last lines it wrote beside the protocol.
type serversView struct {
	theme   theme
	keys    keyMap
	servers []mcpconn.ServerStatus
	cursor  int
	top     int // first line shown of the detail
	traced  traceFilter
	pings   map[string]string // the last ping of each server, as shown
	now     func() time.Time
	names   []engine.Warning // of the present assembly: tools that lost their wire name to others

	first, rows int // of the list, as last drawn
}

// traceFilter is which of the protocol's messages are shown in place of the
// detail.
type traceFilter int

const (
	traceOff traceFilter = iota
	traceAll
	traceSent
	traceReceived
	traceErrors
)

// String names the filter.
func (f traceFilter) String() string {
	return [...]string{"", "all messages", "sent", "received", "errors"}[f]
}

// takes reports whether a message passes the filter.
func (f traceFilter) takes(line string) bool {
	switch f {
	case traceSent:
		return strings.HasPrefix(line, "→")
	case traceReceived:
		return strings.HasPrefix(line, "←") && !strings.Contains(line, " error ")
	case traceErrors:
		return strings.HasPrefix(line, "←") && (strings.Contains(line, " error ") || strings.Contains(line, " no answer"))
	}
	return true
}

// Messages about a server's sign of life.
type (
	pingMsg   struct{ server string }
	pingedMsg struct {
		server string
		took   time.Duration
		err    error
	}
)

// pinged keeps what came of a ping.
func (m model) pinged(msg pingedMsg) (tea.Model, tea.Cmd) {
	said := "ping " + spent(msg.took)
	if msg.err != nil {
		said = msg.err.Error()
	}
	pings := maps.Clone(m.snap.Pings)
	if pings == nil {
		pings = map[string]string{}
	}
	pings[msg.server] = said
	m.snap.Pings = pings
	m.publish()
	return m, nil
}

func newServersView(t theme, now func() time.Time) *serversView {
	return &serversView{theme: t, keys: newKeyMap(), now: now}
}

// SetSnapshot gives what to render.
func (v *serversView) SetSnapshot(s Snapshot) {
	v.servers, v.names, v.pings = s.Statuses, s.Assembly.Warnings, s.Pings
	v.cursor = min(v.cursor, max(0, len(v.servers)-1))
}

// Typing is never so.
func (v *serversView) Typing() bool { return false }

// HandleWheel scrolls the detail.
func (v *serversView) HandleWheel(n int) { v.top = max(0, v.top+n) }

// HandleClick brings the server under the pointer into view.
func (v *serversView) HandleClick(_, y int) (tea.Msg, bool) {
	if row := y - 1; row >= 0 && row < v.rows && v.first+row < len(v.servers) {
		v.cursor, v.top = v.first+row, 0
	}
	return nil, false
}

// HandleKey moves, and asks for what concerns the server under the cursor.
func (v *serversView) HandleKey(msg tea.KeyMsg) (ask tea.Msg, done bool) {
	if key.Matches(msg, v.keys.Back, v.keys.Servers, v.keys.Quit) {
		return nil, true
	}
	return v.command(msg), false
}

func (v *serversView) command(msg tea.KeyMsg) tea.Msg {
	k := v.keys
	switch {
	case key.Matches(msg, k.Move):
		if msg.String() == "up" || msg.String() == "k" {
			v.cursor = max(0, v.cursor-1)
		} else {
			v.cursor = min(v.cursor+1, max(0, len(v.servers)-1))
		}
		v.top = 0
	case key.Matches(msg, k.Page):
		v.top = max(0, v.top+10*direction(msg))
	case key.Matches(msg, k.Manifest):
		if msg.String() == "J" {
			v.top++
		} else {
			v.top = max(0, v.top-1)
		}
	case v.cursor >= len(v.servers):
	case key.Matches(msg, k.Toggle):
		return toggleServerMsg{v.servers[v.cursor].Name}
	case key.Matches(msg, k.Retry):
		return retryServerMsg{v.servers[v.cursor].Name}
	case key.Matches(msg, k.Messages):
		v.traced, v.top = cycle([]traceFilter{traceOff, traceAll, traceSent, traceReceived, traceErrors}, v.traced), 0
	case key.Matches(msg, k.SignIn):
		return signInMsg{v.servers[v.cursor].Name}
	case key.Matches(msg, k.Ping):
		return pingMsg{v.servers[v.cursor].Name}
	case key.Matches(msg, k.Copy):
		const wide = 200
		s := v.servers[v.cursor]
		return copyMsg{what: "what is known of " + display.Clip(s.Name, 40), text: plainText(strings.Join(v.shown(s, wide), "\n"))}
	}
	return nil
}

// ago writes how long something lasts: 7 s, 5 min, 3 h.
func ago(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}

// stateMark is a server's state as a glyph and a word.
func stateMark(t theme, s mcpconn.State, spinner string) string {
	switch s {
	case mcpconn.StateReady:
		return t.good.Render("● ready")
	case mcpconn.StateConnecting:
		if spinner == "" {
			spinner = "…"
		}
		return t.accent.Render(spinner + " connecting")
	case mcpconn.StateFailed:
		return t.bad.Render("✗ failed")
	}
	return t.muted.Render("○ off")
}

// View draws the list beside the detail.
func (v *serversView) View(width, height int) string {
	width, height = min(width, 140), min(height, 36)
	t := v.theme
	inner := width - 2
	listWidth := min(36, inner/2)
	detail := []string{t.muted.Render("no servers in this configuration")}
	if v.cursor < len(v.servers) {
		detail = v.shown(v.servers[v.cursor], inner-listWidth-3)
	}
	rows := min(height-2, max(len(v.servers), len(detail), 12))
	list := []string{}
	top := max(0, min(v.cursor-rows/2, len(v.servers)-rows))
	v.first, v.rows = top, rows
	for i := top; i < len(v.servers) && len(list) < rows; i++ {
		s := v.servers[i]
		line := spread("  "+display.Clip(s.Name, listWidth-16), stateMark(t, s.State, "")+" ", listWidth)
		if i == v.cursor {
			line = t.selected.Render(fit("› "+display.Clip(s.Name, listWidth-16), listWidth-13)) + spread("", stateMark(t, s.State, "")+" ", 13)
		}
		list = append(list, fit(line, listWidth))
	}
	content := make([]string, rows)
	from := scrolled(v.top, len(detail), rows)
	shown := window(detail, from, rows)
	for i := range content {
		left, right := "", ""
		if i < len(list) {
			left = list[i]
		}
		if i < len(shown) {
			right = shown[i]
		}
		content[i] = fit(left, listWidth) + t.faint.Render("│ ") + right
	}
	note := t.muted.Render("space on/off · r retry · i sign in · p ping · m messages · y copy · esc")
	return frame(t, 0, "Servers", note, scrollNote(t, from, len(detail), rows), lines(content, 0, inner, rows), width, rows+2, true)
}

// shown is the detail of a server, or its messages.
func (v *serversView) shown(s mcpconn.ServerStatus, width int) []string {
	if v.traced == traceOff {
		return v.detail(s, width)
	}
	t := v.theme
	out := []string{t.strong.Render(display.Clip(s.Name, 40)) + t.muted.Render(" · "+v.traced.String()+", the newest first · m: others")}
	for _, l := range slices.Backward(s.Trace) {
		if v.traced.takes(l.Line) {
			out = append(out, wrapAt(t.muted.Render(l.At.Format("15:04:05.000"))+" "+display.Clip(l.Line, 6*width), 0, width+1)...)
		}
	}
	if len(out) == 1 {
		out = append(out, t.muted.Render("none yet"))
	}
	return out
}

// detail is all that is known of one server, wrapped to width cells.
func (v *serversView) detail(s mcpconn.ServerStatus, width int) []string {
	t := v.theme
	var out []string
	styled := func(style lipgloss.Style, name, value string) {
		for i, l := range strings.Split(ansi.Wrap(value, max(8, width-14), ""), "\n") {
			if i > 0 {
				name = ""
			}
			out = append(out, t.muted.Render(fit(name, 14))+style.Render(l))
		}
	}
	field := func(name, value string) { styled(t.text, name, value) }
	styled(t.strong, "server", display.Text(s.Name))
	state := stateMark(t, s.State, "")
	if !s.Since.IsZero() {
		state += t.muted.Render(" since " + s.Since.Format("15:04:05") + ", " + ago(v.now().Sub(s.Since)))
	}
	field("state", state)
	if s.Reason != "" {
		styled(t.bad, "reason", display.Text(s.Reason))
	}
	if s.Progress != "" && s.State == mcpconn.StateConnecting {
		field("doing", display.Text(s.Progress))
	}
	if s.Info.Name != "" || s.Info.Version != "" {
		field("calls itself", display.Text(s.Info.Name+" "+s.Info.Version))
	}
	if s.Info.Protocol != "" {
		field("protocol", display.Text(s.Info.Protocol))
	}
	if s.Info.Offers != "" {
		field("offers", display.Text(s.Info.Offers))
	}
	if said := v.pings[s.Name]; said != "" && s.State == mcpconn.StateReady {
		field("answers", display.Text(said))
	}
	if s.Info.PID != 0 {
		field("process", fmt.Sprintf("pid %d", s.Info.PID))
	}
	if s.State == mcpconn.StateReady {
		field("tools", fmt.Sprintf("%s listed, %s filtered out", number(len(s.Tools)), number(len(s.Filtered))))
		if s.Info.Pages > 0 {
			field("listing", fmt.Sprintf("%s, %s bytes", plural(s.Info.Pages, "page"), number(s.Info.Bytes)))
			field("took", fmt.Sprintf("initialize %s, tools/list %s", s.Info.Init.Round(1e5), s.Info.List.Round(1e5)))
		}
	}
	if len(s.Filtered) > 0 {
		by := "tools.exclude: " + strings.Join(s.Config.Exclude, ", ")
		if len(s.Config.Include) > 0 {
			by = "tools.include takes only " + strings.Join(s.Config.Include, ", ")
		}
		field("filtered", display.Clip(strings.Join(s.Filtered, ", "), 4*width)+t.muted.Render(" by "+display.Clip(by, 2*width)))
	}
	for _, w := range v.names {
		if strings.HasSuffix(w.Given, " of server "+s.Name) {
			styled(t.warn, "name", "⚠ "+display.Clip(w.Message, 4*width))
		}
	}
	for i, w := range s.Warnings {
		if i == 5 {
			styled(t.muted, "", fmt.Sprintf("and %d more", len(s.Warnings)-i))
			break
		}
		styled(t.warn, "warning", "⚠ "+display.Text(w.Message))
	}
	if len(s.Log) > 0 {
		out = append(out, "", t.muted.Render("what it wrote beside the protocol, the newest first"))
		for _, l := range slices.Backward(s.Log) {
			out = append(out, wrapAt(display.Clip(l.Line, 4*width), 0, width+1)...)
		}
	}
	return out
}
