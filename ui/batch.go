package ui

import (
	"encoding/json"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/ui/display"
)

// Messages about the queue of calls that a model would issue in one turn.
type (
	queueMsg      struct{ call engine.ModelCall } // one more call, at the end
	unqueueMsg    struct{ call int }              // take one out
	clearQueueMsg struct{}
)

// maxQueued bounds the queue: more calls than any model issues in one turn.
const maxQueued = 100

// queue changes the queue of calls and says what became of it.
func (m model) queueCall(call engine.ModelCall) (tea.Model, tea.Cmd) {
	if len(m.queued) >= maxQueued {
		return m.say(fmt.Sprintf("the queue holds %d calls and takes no more", maxQueued))
	}
	m.queued = append(slices.Clone(m.queued), call)
	m.publish()
	waves := m.snap.Assembly.Plan(m.queued)
	return m.say(fmt.Sprintf("queued: %s in %s; pane 5, p shows the plan", plural(len(m.queued), "call"), plural(len(waves), "wave")))
}

func (m model) unqueueCall(i int) (tea.Model, tea.Cmd) {
	if i < 0 || i >= len(m.queued) {
		return m, nil
	}
	m.queued = slices.Delete(slices.Clone(m.queued), i, i+1)
	m.publish()
	return m, nil
}

// queueKey is what the queue key queues in the query pane: a call to the tool
// under the cursor, or the search itself while the cursor is on its line.
func (p *queryPane) queueKey() (tea.Msg, bool) {
	if name, ok := p.Selected(); ok {
		return queueMsg{engine.ModelCall{Name: engine.BridgeCall, Arguments: p.snap.Assembly.CallTo(name)}}, true
	}
	if len(p.snap.Queries) == 0 {
		return nil, false
	}
	var queries []string
	for _, r := range p.snap.Queries {
		queries = append(queries, r.Query)
	}
	arguments, err := json.Marshal(map[string]any{"queries": queries})
	if err != nil {
		return statusMsg{"the query cannot be queued: " + err.Error()}, true
	}
	return queueMsg{engine.ModelCall{Name: engine.BridgeSearch, Arguments: arguments}}, true
}

// planKey handles a key while the plan is in view.
func (p *callPane) planKey(msg tea.KeyMsg) (tea.Msg, bool) {
	last := len(p.snap.Queued) - 1
	switch msg.String() {
	case "up", "k":
		p.queued = max(0, p.queued-1)
	case "down", "j":
		p.queued = min(last, p.queued+1)
	case "x", "delete", "backspace":
		return unqueueMsg{p.queued}, true
	case "X":
		return clearQueueMsg{}, true
	case "enter":
		if p.queued <= last && p.snap.Queued[p.queued].Name == engine.BridgeCall {
			p.plan = false
			return callJSONMsg{string(p.snap.Queued[p.queued].Arguments)}, true
		}
		return statusMsg{"only a tool_call runs through the stages"}, true
	case "esc":
		p.plan = false
	default:
		return nil, false
	}
	return nil, true
}

// planLines are the waves of the plan: which calls run together, which alone,
// and why a wave ends where it does.
func (p *callPane) planLines() []string {
	t := p.theme
	if len(p.snap.Queued) == 0 {
		return []string{
			t.muted.Render(" No calls are queued. A model may issue several in one turn; the plan says which run side by side."),
			" " + t.key.Render("b") + " queues: in the query pane a call to the tool under the cursor (or the search, on its line), here the call in view",
		}
	}
	var out []string
	at := 0
	for i, w := range p.snap.Plan {
		together := "alone   "
		if len(w.Calls) > 1 {
			together = "together"
		}
		for j, c := range w.Calls {
			label := "        " + "         "
			if j == 0 {
				label = fmt.Sprintf(" wave %-2d ", i+1) + t.accent.Render(together)
			}
			tool := fmt.Sprintf("%2d %s", c.Call+1, display.Clip(p.callName(c), max(8, p.width/2)))
			style := t.text
			mark := "  "
			if c.Call == p.queued {
				style, mark, at = t.selected, "› ", len(out)
			}
			why := t.muted.Render(display.Clip(c.Reason, max(0, p.width-ansi.StringWidth(label+mark+tool)-4)))
			out = append(out, fit(label+" "+style.Render(mark+tool)+"  "+why, p.width))
		}
	}
	head := fmt.Sprintf(" %s in %s", plural(len(p.snap.Queued), "call"), plural(len(p.snap.Plan), "wave"))
	keys := "enter: through the stages · x: take out · X: clear · p: back "
	if p.width < 90 {
		keys = "x: take out · X: clear · p: back "
	}
	room := max(1, p.height-1)
	top := scrolled(at-room/2, len(out), room)
	return append([]string{spread(t.strong.Render(head), t.muted.Render(keys), p.width)}, window(out, top, room)...)
}

// callName is a planned call under its real tool, and the bridge it came by.
func (p *callPane) callName(c engine.PlannedCall) string {
	if bridge := p.snap.Queued[c.Call].Name; bridge != c.Tool {
		return c.Tool + " (by " + bridge + ")"
	}
	return c.Tool
}
