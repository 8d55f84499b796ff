package ui

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
	"toolscope/mcpconn"
)

// Messages about the calls of the workbench.
type (
	callMsg       struct{ tool string } // compose a bridged call to this wire name
	callJSONMsg   struct{ text string } // one from the JSON that a model would send as the arguments of tool_call
	againMsg      struct{}              // the call in view anew, with the same arguments
	viewCallMsg   struct{ call int }    // bring a call that was kept into view
	flowStepMsg   struct{}              // run the next stage
	flowRunMsg    struct{}              // run to the end, or to where it waits
	cancelCallMsg struct{ call int }    // give up waiting for what is under way; 0 is the call in view
	liveMsg       struct{}              // dispatch for real, or simulate again
	dispatchedMsg struct {              // the answer of a live call is there
		call   int
		result json.RawMessage
		err    error
		took   time.Duration
	}
)

// How much is kept of calls to go back to; the oldest that has ended goes first.
const (
	maxKept      = 100      // calls
	maxKeptBytes = 64 << 20 // of their results and what the model sent, a last one of any size apart
)

// Call is one bridged call of the workbench: its flow, and what of it is not
// the engine's to know.
type Call struct {
	ID    int // from 1, in the order they were composed
	Flow  engine.Flow
	Begun time.Time     // when it was composed
	Of    int           // the ID of the call it repeats; 0 for none
	Asked []string      // commands of hooks that the person is asked to consent to
	Due   time.Time     // when the approval that is asked for comes too late; zero while none is
	Left  time.Duration // until then

	Dispatched, Answered time.Time        // of the dispatch; zero before
	Progress             mcpconn.Progress // of the dispatch, as the server said last
	Batched              bool             // it belongs to the batch that was run last

	running  bool               // told to run to its end, which it does once what it waits for is given
	declined bool               // hooks without consent are not run in this call
	cancel   context.CancelFunc // ends what is under way; nil where nothing is
}

// waits reports whether the person has to answer before it goes on.
func (c Call) waits() bool { return len(c.Asked) > 0 || c.Flow.Waits() == engine.StageApproval }

// over reports whether it has ended.
func (c Call) over() bool { return len(c.Flow.Stages) > 0 && c.Flow.Done() }

// size is how many bytes keeping it takes, as far as others decide that.
func (c Call) size() int {
	if len(c.Flow.Stages) == 0 {
		return 0
	}
	return len(c.Flow.Stages[0].Input) + len(c.Flow.Result)
}

// at returns where a call stands in the list, -1 if it is not there.
func (m *model) at(id int) int {
	return slices.IndexFunc(m.calls, func(c Call) bool { return c.ID == id })
}

// inView is the call in view, zero for none.
func (m model) inView() Call {
	if i := m.at(m.viewed); i >= 0 {
		return m.calls[i]
	}
	return Call{}
}

// edit returns a call to change, in a list of its own; nil if it is not there.
func (m *model) edit(id int) *Call {
	i := m.at(id)
	if i < 0 {
		return nil
	}
	m.calls = slices.Clone(m.calls)
	return &m.calls[i]
}

// begin adds a call.
func (m *model) begin(bridge json.RawMessage) *Call {
	m.lastCall++
	c := Call{ID: m.lastCall, Begun: m.clock(), Flow: engine.Begin(bridge, engine.Runners{Live: m.live, Hooks: len(m.hooks) > 0})}
	kept, size := slices.Clone(m.calls), 0
	for _, c := range kept {
		size += c.size()
	}
	for len(kept) >= maxKept || size > maxKeptBytes {
		i := slices.IndexFunc(kept, func(c Call) bool { return c.over() && !c.Batched })
		if i < 0 {
			break
		}
		size -= kept[i].size()
		kept = slices.Delete(kept, i, i+1)
	}
	m.calls = append(slices.Clip(kept), c)
	return &m.calls[len(m.calls)-1]
}

// compose begins a bridged call and brings it into view. One that was in view
// and not yet begun makes room for it.
func (m model) compose(bridge json.RawMessage) (tea.Model, tea.Cmd) {
	if c := m.inView(); c.Flow.Next == 0 && !c.Batched {
		m.calls = slices.DeleteFunc(slices.Clone(m.calls), func(other Call) bool { return other.ID == c.ID })
	}
	m.viewed = m.begin(bridge).ID
	m.setFocus(paneCall)
	m.publish()
	return m, nil
}

// again begins the call in view anew.
func (m model) again() (tea.Model, tea.Cmd) {
	c := m.inView()
	if len(c.Flow.Stages) == 0 {
		return m, nil
	}
	next, cmd := m.compose(c.Flow.Stages[0].Input)
	m = next.(model)
	m.edit(m.viewed).Of = c.ID
	m.publish()
	return m, cmd
}

// view brings a call that was kept into view.
func (m model) viewCall(id int) (tea.Model, tea.Cmd) {
	if m.at(id) >= 0 {
		m.viewed = id
		m.publish()
	}
	return m, nil
}

// stepCall runs the next stage of the call in view, or all that are left.
func (m model) stepCall(all bool) (tea.Model, tea.Cmd) {
	c := m.edit(m.viewed)
	if c == nil {
		return m, nil
	}
	c.running = all
	cmd := m.advance(c, !all)
	m.publish()
	return m, cmd
}

// advance runs a call on: one stage, or to its end or to where it waits. What
// it waits at and others run is begun.
func (m *model) advance(c *Call, once bool) tea.Cmd {
	begun := c.Flow.Waits() != "" // what it waits at is asked for now
	for c.Flow.Waits() == "" && !c.Flow.Done() {
		start := m.clock()
		c.Flow = c.Flow.Step(m.snap.Assembly)
		c.Flow = c.Flow.Timed(m.clock().Sub(start))
		if c.Flow.Waits() == engine.StageApproval && slices.Contains(m.approved, c.Flow.Tool) {
			c.Flow = c.Flow.Settle(engine.Verdict{Outcome: engine.OutcomePassed, Reason: approvedForSession})
		}
		if once {
			break
		}
	}
	switch waits := c.Flow.Waits(); {
	case waits == engine.StageApproval:
		return m.askApproval(c)
	case once && !begun: // the next step begins what others run
	case waits == engine.StagePreHooks || waits == engine.StagePostHooks:
		return m.runHooks(c)
	case waits == engine.StageDispatch:
		return m.dispatch(c)
	}
	return nil
}

// goOn runs a call on after what it waited for was given, where it was told to
// run, and the batch it belongs to.
func (m *model) goOn(c *Call) tea.Cmd {
	var cmd tea.Cmd
	if c.running {
		cmd = m.advance(c, false)
	}
	return tea.Batch(cmd, m.batchOn())
}

// toggleLive switches between simulated and live calls: for the call in view
// too, while it is not yet decided whether the person has to agree.
func (m model) toggleLive() (tea.Model, tea.Cmd) {
	m.live = !m.live
	which := "the next call"
	if c := m.edit(m.viewed); c != nil && !c.Flow.Done() && c.Flow.Next <= stageAt(c.Flow, engine.StageGuardrails) {
		c.Flow.Runners.Live = m.live
		which = "this call"
	}
	m.publish()
	if m.live {
		return m.say("LIVE: " + which + " is dispatched to its server")
	}
	return m.say("simulated: " + which + " reaches no server")
}

// cancelCall gives up waiting for what is under way of a call: of the one in
// view where none is named, else of the last that is under way.
func (m model) cancelCall(id int) (tea.Model, tea.Cmd) {
	if id == 0 {
		id = m.viewed
		if m.inView().cancel == nil {
			for _, c := range m.calls {
				if c.cancel != nil {
					id = c.ID
				}
			}
		}
	}
	i := m.at(id)
	if i < 0 || m.calls[i].cancel == nil {
		return m.say("nothing is under way")
	}
	m.calls[i].cancel()
	return m.say("cancelling the call of " + m.calls[i].Flow.Tool)
}
