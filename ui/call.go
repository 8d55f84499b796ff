package ui

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/ui/display"
)

// callJSONMsg asks for a bridged call from the JSON that a model would send as
// the arguments of tool_call, as it was typed.
type callJSONMsg struct{ text string }

const (
	maxCallChars = 16384
	callStart    = `{"name":"`
	callTemplate = callStart + `","arguments":{}}`
)

// callPane shows a bridged call on its way through the stages: the bridge as
// the model sent it beside the real tool, the stages as a track, and what the
// stage under the cursor was given, decided and passed on.
type callPane struct {
	theme         theme
	keys          keyMap
	field         field
	draft         bool           // the field holds what was typed and not sent
	try           []engine.Stage // the first stages of what is being typed
	snap          Snapshot
	width, height int

	cursor int      // the stage in view
	body   []string // what is said of that stage
	top    int      // first line shown of body

	plan   bool // the plan of the queue is in view instead
	queued int  // the call under the cursor there
}

func newCallPane(t theme) *callPane {
	return &callPane{theme: t, keys: newKeyMap(), field: newField(maxCallChars)}
}

// Title is the pane's name; the note says how far the call is.
func (p *callPane) Title() (name, note string) {
	t, f := p.theme, p.snap.Flow
	name = "Bridged call"
	blocked := blockedAt(f)
	switch {
	case p.plan && !p.Typing():
		return "Batch plan", ""
	case len(p.snap.Asked) > 0 && !p.Typing():
		return name, t.warn.Render("● consent asked: y / n")
	case f.Waits() == engine.StageApproval:
		return name, t.warn.Render("● approval asked: y / n")
	case p.Typing() || len(f.Stages) == 0:
		if p.snap.Live {
			return name, t.warn.Render(liveMark)
		}
		return name, ""
	case blocked >= 0:
		return name, t.bad.Render("✗ blocked at " + string(f.Stages[blocked].Name))
	case p.snap.Dispatching && f.Waits() != engine.StageDispatch:
		return name, t.muted.Render("hooks run · x cancels")
	case p.snap.Dispatching:
		return name, t.warn.Render(liveMark) + t.muted.Render(" waiting for the answer · x cancels")
	case f.Done() && f.Status == engine.StatusError:
		return name, t.bad.Render("✗ the call failed") + t.muted.Render(" · ") + t.warn.Render(liveMark)
	case f.Done() && f.Runners.Live:
		return name, t.good.Render("✓ done") + t.muted.Render(" · ") + t.warn.Render(liveMark)
	case f.Done() && simulated(f):
		return name, t.good.Render("✓ done") + t.muted.Render(" · ") + t.warn.Render(simulatedMark)
	case f.Done():
		return name, t.good.Render("✓ done")
	}
	return name, t.muted.Render(fmt.Sprintf("%d of %d stages · space: next · enter: all", f.Next, len(f.Stages)))
}

// SetSize gives the cells inside the frame.
func (p *callPane) SetSize(width, height int) {
	if p.width != width || p.height != height {
		p.width, p.height = width, height
		p.describe()
	}
}

// SetSnapshot gives what to render. The cursor goes along with the call.
func (p *callPane) SetSnapshot(s Snapshot) {
	before := p.snap.Flow
	p.snap = s
	p.queued = max(0, min(p.queued, len(s.Queued)-1))
	now := s.Flow
	if p.Typing() {
		p.rehearse()
	}
	switch {
	case len(s.Asked) > 0:
		p.cursor, p.plan = now.Next, false
	case sameFlow(before, now):
		return
	case len(before.Stages) == 0 || now.Next < before.Next || len(now.Stages) == 0 || !bytes.Equal(now.Stages[0].Input, before.Stages[0].Input):
		p.draft = false
		p.cursor = max(0, lastRun(now))
	case now.Waits() == engine.StageApproval:
		p.cursor, p.plan = now.Next, false
	case now.Next > before.Next:
		p.cursor = max(0, lastRun(now))
		if now.Next > before.Next+1 && now.Done() && blockedAt(now) < 0 {
			// After a run to the end the answer is what one wants to see.
			p.cursor = stageAt(now, engine.StageDispatch)
		}
	}
	p.cursor = max(0, min(p.cursor, len(now.Stages)-1))
	p.top = 0
	p.describe()
}

// sameFlow reports whether nothing of what the pane shows has changed.
func sameFlow(a, b engine.Flow) bool {
	return a.Next == b.Next && a.Tool == b.Tool && slices.EqualFunc(a.Stages, b.Stages, func(x, y engine.Stage) bool {
		return x.Name == y.Name && x.Outcome == y.Outcome && x.Reason == y.Reason && x.Duration == y.Duration &&
			bytes.Equal(x.Input, y.Input) && bytes.Equal(x.Output, y.Output)
	})
}

// blockedAt is the stage that ended the call, -1 if none did.
func blockedAt(f engine.Flow) int {
	return slices.IndexFunc(f.Stages, func(s engine.Stage) bool { return s.Outcome == engine.OutcomeBlocked })
}

// lastRun is the stage that ran last, -1 before the first.
func lastRun(f engine.Flow) int {
	if i := blockedAt(f); i >= 0 {
		return i
	}
	return f.Next - 1
}

func stageAt(f engine.Flow, name engine.StageName) int {
	return slices.IndexFunc(f.Stages, func(s engine.Stage) bool { return s.Name == name })
}

// simulated reports whether the result was made up instead of asked from the
// server.
func simulated(f engine.Flow) bool {
	i := stageAt(f, engine.StageDispatch)
	return i >= 0 && strings.HasPrefix(f.Stages[i].Reason, "simulated")
}

const (
	simulatedMark = "SIMULATED"
	liveMark      = "LIVE"
)

// SetFocus ends typing when keys go elsewhere.
func (p *callPane) SetFocus(focus bool) {
	if !focus {
		p.StopTyping()
	}
}

// Typing reports whether every character is text.
func (p *callPane) Typing() bool { return p.field.typing() }

// StartTyping opens the text field: on what was typed before and not sent,
// else on the call in view.
func (p *callPane) StartTyping() {
	p.plan = false
	if !p.draft {
		switch f := p.snap.Flow; {
		case len(f.Stages) > 0:
			p.field.set(joinLines(string(f.Stages[0].Input), " "))
		default:
			p.field.set(callTemplate)
		}
	}
	p.field.focus()
	if p.field.text() == callTemplate {
		p.field.input.SetCursor(len(callStart))
	}
	p.rehearse()
}

// StopTyping closes the text field and keeps what is in it.
func (p *callPane) StopTyping() { p.field.blur() }

// HandleKey takes a key: as text while typing, else as a command.
func (p *callPane) HandleKey(msg tea.KeyMsg) (tea.Msg, bool) {
	if p.Typing() {
		return p.typeKey(msg), true
	}
	k, f := p.keys, p.snap.Flow
	if p.plan && !key.Matches(msg, k.Plan, k.EditCall) {
		return p.planKey(msg)
	}
	if f.Waits() == engine.StageApproval && key.Matches(msg, k.Approve, k.Deny) {
		return approveMsg{key.Matches(msg, k.Approve)}, true
	}
	switch {
	case key.Matches(msg, k.Live):
		return liveMsg{}, true
	case p.snap.Dispatching && key.Matches(msg, k.CancelCall):
		return cancelCallMsg{}, true
	}
	if len(p.snap.Asked) > 0 && key.Matches(msg, k.Approve, k.Deny) {
		return consentMsg{key.Matches(msg, k.Approve)}, true
	}
	if key.Matches(msg, k.Plan) {
		p.plan = !p.plan
		return nil, true
	}
	if key.Matches(msg, k.EditCall) || len(f.Stages) == 0 && msg.Type == tea.KeyEnter {
		p.StartTyping()
		return nil, true
	}
	if len(f.Stages) == 0 {
		return nil, false
	}
	page := max(1, p.bodyHeight()-1)
	switch {
	case key.Matches(msg, k.Enqueue):
		return queueMsg{engine.ModelCall{Name: engine.BridgeCall, Arguments: f.Stages[0].Input}}, true
	case key.Matches(msg, k.Step, k.Run) && f.Waits() == engine.StageApproval:
		return statusMsg{"the call waits for your approval: y lets it go on, n blocks it"}, true
	case key.Matches(msg, k.Step):
		return flowStepMsg{}, true
	case key.Matches(msg, k.Run):
		return flowRunMsg{}, true
	case key.Matches(msg, k.Copy):
		s := f.Stages[p.cursor]
		if len(s.Output) == 0 {
			return copyMsg{what: "the call", text: string(f.Stages[0].Input)}, true
		}
		return copyMsg{what: "the output of " + string(s.Name), text: string(s.Output)}, true
	case key.Matches(msg, k.StageMove):
		p.choose(p.cursor + direction(msg))
	case key.Matches(msg, k.Move):
		p.HandleWheel(direction(msg))
	case key.Matches(msg, k.Page):
		p.HandleWheel(direction(msg) * page)
	case key.Matches(msg, k.Ends) || msg.Type == tea.KeyHome || msg.Type == tea.KeyEnd:
		p.HandleWheel(direction(msg) * len(p.body))
	default:
		return nil, false
	}
	return nil, true
}

// typeKey edits the call.
func (p *callPane) typeKey(msg tea.KeyMsg) tea.Msg {
	switch msg.Type {
	case tea.KeyEsc:
		p.StopTyping()
		return nil
	case tea.KeyEnter:
		p.StopTyping()
		p.draft = false
		return callJSONMsg{p.field.text()}
	}
	if msg.Paste && p.field.text() == callTemplate && strings.HasPrefix(strings.TrimSpace(string(msg.Runes)), "{") {
		p.field.set("") // a whole call takes the place of the untouched frame
	}
	if p.field.handleKey(msg, " ") {
		p.draft = true
		p.rehearse()
	}
	return nil
}

// rehearse runs the first stages on what is typed, so that a mistake shows
// before it is sent. They are pure: nothing is called.
func (p *callPane) rehearse() {
	f := engine.Begin([]byte(p.field.text()), engine.Runners{})
	for f.Next < 3 && !f.Done() {
		f = f.Step(p.snap.Assembly)
	}
	p.try = f.Stages[:3]
}

// choose brings a stage into view.
func (p *callPane) choose(stage int) {
	p.cursor = max(0, min(stage, len(p.snap.Flow.Stages)-1))
	p.top = 0
	p.describe()
}

// HandleWheel scrolls what is said of the stage.
func (p *callPane) HandleWheel(n int) {
	if p.plan {
		p.queued = max(0, min(p.queued+n, len(p.snap.Queued)-1))
		return
	}
	p.top = scrolled(p.top+n, len(p.body), p.bodyHeight())
}

// HandleClick brings the stage under the pointer into view.
func (p *callPane) HandleClick(x, y int) tea.Msg {
	if p.Typing() || p.plan {
		return nil
	}
	for _, s := range p.track() {
		if y == s.row+1 && x >= s.x && x < s.x+ansi.StringWidth(s.text) {
			p.choose(s.stage)
		}
	}
	return nil
}

// Foot says what of a stage is hidden above and below.
func (p *callPane) Foot() string {
	if p.plan || p.Typing() || len(p.snap.Flow.Stages) == 0 {
		return ""
	}
	return scrollNote(p.theme, p.top, len(p.body), p.bodyHeight())
}

// View is exactly the given size.
func (p *callPane) View() string {
	if p.width <= 0 || p.height <= 0 {
		return ""
	}
	var content []string
	switch {
	case p.Typing():
		content = p.editor()
	case p.plan:
		content = p.planLines()
	case len(p.snap.Flow.Stages) == 0:
		content = p.invitation()
	default:
		content = append([]string{p.header()}, p.trackLines()...)
		content = append(content, window(p.body, p.top, p.height-len(content))...)
	}
	return lines(content, 0, p.width, p.height)
}

// invitation is the pane before any call.
func (p *callPane) invitation() []string {
	t := p.theme
	row := func(key, text string) string { return " " + t.key.Render(fit(key, 6)) + text }
	return []string{
		t.muted.Render(" A call goes through the bridge as tool_call and comes out under its real name. Begin one:"),
		row("c", "on a hit in the query pane: a call to that tool"),
		row("e", "write one here: ") + t.muted.Render(`{"name":"…","arguments":{…}}`),
		row("b p", "queue calls as of one turn, and see the plan: which run together, which alone"),
		row("space", "then steps from stage to stage, ") + t.key.Render("enter") + " runs them all; simulated until " + t.key.Render("l") + " makes calls live",
	}
}

// editor is the text field with what the first stages make of the text.
func (p *callPane) editor() []string {
	t := p.theme
	head := spread(t.accent.Render(" tool_call")+" as the model would send it", t.muted.Render("enter: send · esc: leave "), p.width)
	rows, at := p.field.wrapped(t, p.width-2)
	room := max(1, p.height-2)
	top := scrolled(at-room/2, len(rows), room)
	var out []string
	for _, r := range window(rows, top, room) {
		out = append(out, " "+r)
	}
	if p.height >= 3 {
		out = append([]string{head}, out...)
	}
	return append(out, p.rehearsal())
}

// rehearsal says how the first stages would take what is typed.
func (p *callPane) rehearsal() string {
	t := p.theme
	if p.field.full {
		return t.warn.Render(fmt.Sprintf(" ⚠ cut at %s characters", number(maxCallChars)))
	}
	line := " "
	for i, s := range p.try {
		if i > 0 {
			line += t.faint.Render(" → ")
		}
		m := outcome(t, s, false)
		line += string(s.Name) + " " + m.style.Render(m.glyph+" "+m.word)
		if s.Outcome == engine.OutcomeBlocked {
			return line + t.muted.Render(": ") + display.Clip(s.Reason, p.width)
		}
	}
	return line
}

// header is the call as the model sent it beside what everything after the
// bridge sees.
func (p *callPane) header() string {
	t, f := p.theme, p.snap.Flow
	real := t.muted.Render("not unwrapped yet")
	switch {
	case f.Tool != "":
		real = t.strong.Render(display.Clip(f.Tool, max(8, min(56, p.width-16))))
	case blockedAt(f) >= 0:
		real = t.bad.Render("✗ no tool in it")
	}
	note := ""
	if f.Tool != "" && p.width >= 100 {
		note = t.muted.Render("activity feed: the real name, a naive feed: tool_call ")
	}
	arrow := t.accent.Render(" → ")
	room := p.width - ansi.StringWidth(real) - ansi.StringWidth(note) - len(" tool_call ") - 3 - 1
	left := t.muted.Render(" tool_call")
	if room >= 8 {
		left += " " + t.muted.Render(display.Clip(string(f.Stages[0].Input), room))
	}
	return spread(left+arrow+real, note, p.width)
}
