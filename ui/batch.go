package ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
)

// Messages about the queue of calls that a model would issue in one turn.
type (
	queueMsg      struct{ call engine.ModelCall } // one more call, at the end
	unqueueMsg    struct{ call int }              // take one out
	clearQueueMsg struct{}
	batchRunMsg   struct{} // run the queue as planned
	batchStopMsg  struct{} // cancel what is under way of it, and begin no more
	batchTickMsg  struct{} // the lanes that are under way grow
)

// maxQueued bounds the queue: more calls than any model issues in one turn.
const maxQueued = 100

// Batch is the queue of calls while it is run, or as it was run last.
type Batch struct {
	Began time.Time
	Lanes []Lane        // of every call, in the order of the batch
	Wave  int           // the one that is run; len(Plan) when all are over
	Plan  []engine.Wave // as it was when the run began
	Now   time.Time     // while it runs

	stopped bool // by the person: nothing more of it begins
}

// batchTick is how often the lanes are drawn anew while a batch runs.
const batchTick = 200 * time.Millisecond

// Lane is one call of a batch on its way.
type Lane struct {
	Call   int // the [Call]'s ID; 0 for one that is no tool_call
	Tool   string
	Begun  time.Time // zero until its wave is run
	Ended  time.Time // zero until it is over
	Status engine.Status
	Said   string // how it went, or how far it is, in a few words
	Asks   bool   // the person has to answer before it goes on
	Asked  bool   // the person had to

	// By the server's own clock, where its result says so (started_at and
	// ended_at of the structured content).
	ServerBegan, ServerEnded time.Time
}

// running reports whether the batch is under way.
func (b Batch) running() bool { return len(b.Lanes) > 0 && b.Wave < len(b.Plan) }

// queueCall puts a call at the end of the queue.
func (m model) queueCall(call engine.ModelCall) (tea.Model, tea.Cmd) {
	if m.batch.running() {
		return m.say("the batch runs: queue more calls when it is over")
	}
	if len(m.queued) >= maxQueued {
		return m.say(fmt.Sprintf("the queue holds %d calls and takes no more", maxQueued))
	}
	m.queued = append(slices.Clone(m.queued), call)
	m.dropBatch()
	m.publish()
	waves := m.snap.Assembly.Plan(m.queued)
	return m.say(fmt.Sprintf("queued: %s in %s; pane 5, p shows the plan", plural(len(m.queued), "call"), plural(len(waves), "wave")))
}

func (m model) unqueueCall(i int) (tea.Model, tea.Cmd) {
	if i < 0 || i >= len(m.queued) {
		return m, nil
	}
	if m.batch.running() {
		return m.say("the batch runs: wait for its end, or stop it with C")
	}
	m.queued = slices.Delete(slices.Clone(m.queued), i, i+1)
	m.dropBatch()
	m.publish()
	return m, nil
}

// clearQueue takes all calls out.
func (m model) clearQueue() (tea.Model, tea.Cmd) {
	if m.batch.running() {
		return m.say("the batch runs: wait for its end, or stop it with C")
	}
	m.queued = nil
	m.dropBatch()
	m.publish()
	return m, nil
}

// dropBatch forgets a run that the queue no longer is the queue of.
func (m *model) dropBatch() {
	if m.batch.running() {
		return
	}
	m.batch = Batch{}
	m.calls = slices.Clone(m.calls)
	for i := range m.calls {
		m.calls[i].Batched = false
	}
}

// runBatch runs the queue as planned: the calls of a wave side by side, one
// wave after the other.
func (m model) runBatch() (tea.Model, tea.Cmd) {
	switch {
	case m.batch.running():
		return m.say("the batch is under way")
	case len(m.queued) == 0:
		return m.say("no calls are queued: b queues one")
	}
	m.dropBatch()
	m.batch = Batch{Began: m.clock(), Plan: m.snap.Assembly.Plan(m.queued), Lanes: make([]Lane, len(m.queued)), Wave: -1}
	for _, w := range m.batch.Plan {
		for _, c := range w.Calls {
			m.batch.Lanes[c.Call].Tool = c.Tool
		}
	}
	cmd := m.batchOn()
	m.publish()
	return m, tea.Batch(cmd, m.batchTicking())
}

// batchTicking waits for the next time the lanes are drawn.
func (m *model) batchTicking() tea.Cmd {
	return m.tick(batchTick, func(time.Time) tea.Msg { return batchTickMsg{} })
}

// batchTicked draws the lanes anew, while there are some under way.
func (m model) batchTicked() (tea.Model, tea.Cmd) {
	if !m.batch.running() {
		return m, nil
	}
	m.publish()
	return m, m.batchTicking()
}

// stopBatch cancels what is under way of the batch. Calls that wait for the
// person are blocked, and the others never begin.
func (m model) stopBatch() (tea.Model, tea.Cmd) {
	if !m.batch.running() {
		return m.say("no batch is under way")
	}
	m.batch.stopped = true
	m.calls = slices.Clone(m.calls)
	for i := range m.calls {
		switch c := &m.calls[i]; {
		case !c.Batched || c.over():
		case c.cancel != nil:
			c.cancel()
		case c.Flow.Waits() == engine.StageApproval:
			c.Due, c.Left = time.Time{}, 0
			c.Flow = c.Flow.Settle(engine.Verdict{Outcome: engine.OutcomeBlocked, Reason: "the person stopped the batch"})
		}
	}
	cmd := m.batchOn()
	m.publish()
	next, fade := m.say("stopping the batch")
	return next, tea.Batch(cmd, fade)
}

// batchOn looks how the calls of the present wave are doing, and begins the
// next one where all of them are over.
func (m *model) batchOn() tea.Cmd {
	if !m.batch.running() {
		return nil
	}
	m.batch.Lanes = slices.Clone(m.batch.Lanes)
	var cmds []tea.Cmd
	for {
		if m.batch.Wave >= 0 && !m.waveOver() {
			return tea.Batch(cmds...)
		}
		if m.batch.Wave++; m.batch.Wave >= len(m.batch.Plan) {
			return tea.Batch(cmds...)
		}
		for _, c := range m.batch.Plan[m.batch.Wave].Calls {
			if m.batch.stopped {
				lane := &m.batch.Lanes[c.Call]
				lane.Ended, lane.Status, lane.Said = m.clock(), engine.StatusBlocked, "never begun: the batch was stopped"
				continue
			}
			cmds = append(cmds, m.beginLane(c))
		}
	}
}

// waveOver brings the lanes of the present wave up to date.
func (m *model) waveOver() bool {
	over := true
	for _, c := range m.batch.Plan[m.batch.Wave].Calls {
		lane := &m.batch.Lanes[c.Call]
		if !lane.Ended.IsZero() {
			continue
		}
		call := m.calls[m.at(lane.Call)]
		lane.Asks, lane.Said = call.waits(), call.far()
		lane.Asked = lane.Asked || lane.Asks
		if !call.over() {
			over = false
			continue
		}
		lane.Ended, lane.Status = m.clock(), call.Flow.Status
		if !call.Answered.IsZero() {
			lane.Begun, lane.Ended = call.Dispatched, call.Answered
		}
		lane.Said = howItWent(call.Flow)
		lane.ServerBegan, lane.ServerEnded = serverTimes(call.Flow.Result)
	}
	return over
}

// beginLane begins one call of a batch.
func (m *model) beginLane(c engine.PlannedCall) tea.Cmd {
	lane, call := &m.batch.Lanes[c.Call], m.queued[c.Call]
	lane.Begun = m.clock()
	if call.Name != engine.BridgeCall {
		lane.Ended, lane.Status = m.clock(), engine.StatusOK
		lane.Said = m.answerHere(call)
		return nil
	}
	begun := m.begin(call.Arguments)
	begun.Batched, begun.running = true, true
	lane.Call = begun.ID
	return m.advance(begun, false)
}

// answerHere answers what no server is asked for, and says how in a few words.
func (m *model) answerHere(call engine.ModelCall) string {
	switch call.Name {
	case engine.BridgeSearch:
		return "answered here, " + plural(len(m.snap.Assembly.ToolSearch(call.Arguments)), "byte")
	case engine.BridgeDescribe:
		return "answered here, " + plural(len(m.snap.Assembly.ToolDescribe(call.Arguments)), "byte")
	}
	return "a tool of the agent's own: it is not run from here"
}

// howItWent is the end of a call in a few words.
func howItWent(f engine.Flow) string {
	if at := blockedAt(f); at >= 0 {
		return "blocked at " + string(f.Stages[at].Name) + ": " + f.Stages[at].Reason
	}
	if at := stageAt(f, engine.StageDispatch); at >= 0 {
		return f.Stages[at].Reason
	}
	return ""
}

// serverTimes reads from a result when the server began to work on the call and
// when it ended, where it says so; the demo servers do.
func serverTimes(result json.RawMessage) (began, ended time.Time) {
	var r struct {
		Content struct {
			Began time.Time `json:"started_at"`
			Ended time.Time `json:"ended_at"`
		} `json:"structuredContent"`
	}
	if json.Unmarshal(result, &r) != nil {
		return time.Time{}, time.Time{}
	}
	return r.Content.Began, r.Content.Ended
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
	return queueMsg{engine.ModelCall{Name: engine.BridgeSearch, Arguments: searchArguments(p.snap.Queries)}}, true
}
