package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
)

// Messages about calls that are dispatched to the servers.
type (
	liveMsg       struct{} // dispatch for real, or simulate again
	cancelCallMsg struct{} // give up waiting for the answer
	dispatchedMsg struct { // the answer is there
		call   json.RawMessage // the bridge JSON of the call it belongs to
		result json.RawMessage
		err    error
		took   time.Duration
	}
)

// toggleLive switches between simulated and live calls, from the next call on.
func (m model) toggleLive() (tea.Model, tea.Cmd) {
	m.live = !m.live
	m.publish()
	if m.live {
		return m.say("LIVE: the next call is dispatched to its server")
	}
	return m.say("simulated: no server is called")
}

// outside has others run the stage that the call waits at, where that needs
// nobody's answer first.
func (m model) outside() (tea.Model, tea.Cmd) {
	switch m.flow.Waits() {
	case engine.StagePreHooks, engine.StagePostHooks:
		return m.runHooks()
	}
	return m.dispatch()
}

// dispatch calls the server where the call waits for that.
func (m model) dispatch() (tea.Model, tea.Cmd) {
	if m.flow.Waits() != engine.StageDispatch || m.cancel != nil {
		return m, nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	m.publish()
	conns, f, clock := m.conns, m.flow, m.clock
	return m, func() tea.Msg {
		defer cancel()
		start := clock()
		if f.Server == "" {
			return dispatchedMsg{call: f.Stages[0].Input, err: errors.New("a plugin's tool runs inside Hermes and cannot be called from here")}
		}
		result, err := conns.Call(ctx, f.Server, f.Own, f.Arguments, nil)
		return dispatchedMsg{f.Stages[0].Input, result, err, clock().Sub(start)}
	}
}

// cancelCall gives up waiting.
func (m model) cancelCall() (tea.Model, tea.Cmd) {
	if m.cancel == nil {
		return m, nil
	}
	m.cancel()
	return m.say("cancelling the call")
}

// dispatched takes an answer in; one that comes after its call was given up
// changes nothing.
func (m model) dispatched(msg dispatchedMsg) (tea.Model, tea.Cmd) {
	if m.flow.Waits() != engine.StageDispatch || !bytes.Equal(m.flow.Stages[0].Input, msg.call) {
		return m, nil
	}
	m.cancel = nil
	m.flow = m.flow.Settle(engine.Dispatched(msg.result, msg.err, msg.took))
	if m.running {
		return m.runOn()
	}
	m.publish()
	return m, nil
}
