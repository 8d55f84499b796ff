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

	mode   callMode
	queued int // the call under the cursor of the plan
	fed    int // the call under the cursor of the activity feed, from the newest on
}

// callMode is what of the calls the pane shows.
type callMode int

const (
	modeStages   callMode = iota // one call on its way
	modePlan                     // the queue as it would run, or ran
	modeActivity                 // every call that was made
)

func newCallPane(t theme) *callPane {
	return &callPane{theme: t, keys: newKeyMap(), field: newField(maxCallChars)}
}

// Title is the pane's name; the note says how far the call is.
func (p *callPane) Title() (name, note string) {
	t, c := p.theme, p.snap.Call
	f := c.Flow
	name = "Bridged call"
	blocked := blockedAt(f)
	switch q := p.snap.Question; {
	case p.Typing():
	case p.mode == modePlan:
		name = "Batch plan"
		fallthrough
	case p.mode == modeActivity && q.waits():
		if p.mode == modeActivity {
			name = "Activity"
		}
		return name, p.asks(q)
	case p.mode == modeActivity:
		return "Activity", t.muted.Render(plural(len(p.snap.Calls), "call"))
	case q.waits():
		return name, p.asks(q)
	}
	switch {
	case p.Typing() || len(f.Stages) == 0:
		if p.snap.Live {
			return name, t.warn.Render(liveMark)
		}
		return name, ""
	case blocked >= 0:
		return name, t.bad.Render("✗ blocked at " + string(f.Stages[blocked].Name))
	case c.cancel != nil && f.Waits() != engine.StageDispatch:
		return name, t.muted.Render("hooks run · C cancels")
	case c.cancel != nil:
		return name, t.warn.Render(liveMark) + t.muted.Render(" waiting for the answer"+c.far()+" · C cancels")
	case f.Done() && f.Status == engine.StatusError:
		return name, t.bad.Render("✗ the call failed") + t.muted.Render(" · ") + t.warn.Render(liveMark)
	case f.Done() && f.Runners.Live:
		return name, t.good.Render("✓ done") + t.muted.Render(" · ") + t.warn.Render(liveMark)
	case f.Done() && simulated(f):
		return name, t.good.Render("✓ done") + t.muted.Render(" · ") + t.warn.Render(simulatedMark)
	case f.Done():
		return name, t.good.Render("✓ done")
	}
	mark := simulatedMark
	if f.Runners.Live {
		mark = liveMark
	}
	return name, t.warn.Render(mark) + t.muted.Render(fmt.Sprintf(" · %d of %d stages · space: next · enter: all", f.Next, len(f.Stages)))
}

// asks says what the person is asked, "" for nothing.
func (p *callPane) asks(q Call) string {
	switch {
	case len(q.Asked) > 0:
		return p.theme.warn.Render("● consent asked: y / n")
	case q.waits():
		return p.theme.warn.Render("● approval asked: y / Y / n" + q.timeLeft())
	}
	return ""
}

// SetSize gives the cells inside the frame.
func (p *callPane) SetSize(width, height int) {
	if p.width != width || p.height != height {
		p.width, p.height = width, height
		p.describe()
	}
}

// SetSnapshot gives what to render. The cursor goes along with the call, and
// comes to the stage at which the person is asked.
func (p *callPane) SetSnapshot(s Snapshot) {
	was := p.snap.Call
	p.snap = s
	p.queued = max(0, min(p.queued, len(s.Queued)-1))
	p.fed = max(0, min(p.fed, len(s.Calls)-1))
	before, now := was.Flow, s.Call.Flow
	if p.Typing() {
		p.rehearse()
	}
	another := was.ID != s.Call.ID || len(before.Stages) == 0 || now.Next < before.Next || len(now.Stages) == 0 ||
		!bytes.Equal(now.Stages[0].Input, before.Stages[0].Input)
	switch {
	case s.Call.waits() && (another || !was.waits() || now.Next != before.Next):
		p.cursor = now.Next
		if !s.Call.Batched {
			p.mode = modeStages
		}
	case s.Call.waits() && s.Call.Left != was.Left, s.Call.Progress != was.Progress && !another:
		p.describe() // the time runs, or the server tells how far it is
		return
	case s.Call.cancel != nil && (another || was.cancel == nil):
		p.cursor = now.Next // what is under way
	case !another && sameFlow(before, now):
		return
	case another:
		p.draft = false
		if was.ID != s.Call.ID {
			p.mode = modeStages
		}
		p.cursor = max(0, lastRun(now))
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
	p.mode = modeStages
	if !p.draft {
		switch f := p.snap.Call.Flow; {
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
	k, f := p.keys, p.snap.Call.Flow
	if ask, handled := p.answerKey(msg); handled {
		return ask, true
	}
	switch {
	case key.Matches(msg, k.Live):
		return liveMsg{}, true
	case key.Matches(msg, k.Plan):
		p.toggle(modePlan)
		return nil, true
	case key.Matches(msg, k.Activity):
		p.toggle(modeActivity)
		return nil, true
	case key.Matches(msg, k.EditCall):
		p.StartTyping()
		return nil, true
	case key.Matches(msg, k.Enqueue) && len(f.Stages) > 0:
		return queueMsg{engine.ModelCall{Name: engine.BridgeCall, Arguments: f.Stages[0].Input}}, true
	case p.mode == modePlan:
		return p.planKey(msg)
	case p.mode == modeActivity:
		return p.activityKey(msg)
	case key.Matches(msg, k.CancelCall):
		return cancelCallMsg{}, true
	case len(f.Stages) == 0 && msg.Type == tea.KeyEnter:
		p.StartTyping()
		return nil, true
	}
	if len(f.Stages) == 0 {
		return nil, false
	}
	page := max(1, p.bodyHeight()-1)
	switch {
	case key.Matches(msg, k.Step, k.Run) && f.Waits() == engine.StageApproval:
		return statusMsg{"the call waits for your approval: y lets it go on, n blocks it"}, true
	case key.Matches(msg, k.Again):
		return againMsg{}, true
	case key.Matches(msg, k.Compare):
		return p.compareBefore()
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

// answerKey takes the person's answer to what is asked.
func (p *callPane) answerKey(msg tea.KeyMsg) (tea.Msg, bool) {
	k, q := p.keys, p.snap.Question
	switch {
	case !q.waits():
	case len(q.Asked) > 0 && key.Matches(msg, k.Approve, k.Deny):
		return consentMsg{key.Matches(msg, k.Approve)}, true
	case len(q.Asked) > 0:
	case key.Matches(msg, k.Approve, k.Deny):
		return approveMsg{key.Matches(msg, k.Approve)}, true
	case key.Matches(msg, k.ApproveSession):
		return approveSessionMsg{}, true
	}
	return nil, false
}

// toggle shows something else than the stages, or the stages again.
func (p *callPane) toggle(mode callMode) {
	if p.mode == mode {
		mode = modeStages
	}
	p.mode = mode
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
	p.cursor = max(0, min(stage, len(p.snap.Call.Flow.Stages)-1))
	p.top = 0
	p.describe()
}

// HandleWheel scrolls what is said of the stage.
func (p *callPane) HandleWheel(n int) {
	switch p.mode {
	case modePlan:
		p.queued = max(0, min(p.queued+n, len(p.snap.Queued)-1))
		return
	case modeActivity:
		p.fed = max(0, min(p.fed+n, len(p.snap.Calls)-1))
		return
	}
	p.top = scrolled(p.top+n, len(p.body), p.bodyHeight())
}

// HandleClick brings the stage under the pointer into view.
func (p *callPane) HandleClick(x, y int) tea.Msg {
	if p.Typing() || p.mode != modeStages {
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
	if p.mode != modeStages || p.Typing() || len(p.snap.Call.Flow.Stages) == 0 {
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
	case p.mode == modePlan:
		content = p.planLines()
	case p.mode == modeActivity:
		content = p.activityLines()
	case len(p.snap.Call.Flow.Stages) == 0:
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
		row("c f", "on a hit in the query pane: a call to that tool, as it stands or by a form"),
		row("e", "write one here: ") + t.muted.Render(`{"name":"…","arguments":{…}}`),
		row("b p", "queue calls as of one turn, and see the plan: which run together, which alone; ") + t.key.Render("h") + " every call made",
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
	t, f := p.theme, p.snap.Call.Flow
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
