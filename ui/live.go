package ui

import (
	"context"
	"errors"
	"sync"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
	"toolscope/mcpconn"
)

// work is what the workbench has under way outside: calls and hooks. It ends
// with the screen.
type work struct {
	ctx  context.Context
	gate *gate
}

func newWork(ctx context.Context) work { return work{ctx, &gate{}} }

// gate counts what is under way, and lets nothing begin once it is closed.
type gate struct {
	mu     sync.Mutex
	closed bool
	busy   sync.WaitGroup
}

func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.busy.Add(1)
	return true
}

// end waits for what is under way; nothing begins any more.
func (w work) end() {
	w.gate.mu.Lock()
	w.gate.closed = true
	w.gate.mu.Unlock()
	w.gate.busy.Wait()
}

// start returns a command that does something outside, until it is done, it is
// cancelled, or the screen goes.
func (w work) start(do func(context.Context) tea.Msg) (tea.Cmd, context.CancelFunc) {
	ctx, cancel := context.WithCancel(w.ctx)
	return func() tea.Msg {
		defer cancel()
		if !w.gate.enter() {
			return nil
		}
		defer w.gate.busy.Done()
		return do(ctx)
	}, cancel
}

// dispatch calls the server that a live call goes to.
func (m *model) dispatch(c *Call) tea.Cmd {
	if c.cancel != nil {
		return nil
	}
	conns, f, clock, id := m.conns, c.Flow, m.clock, c.ID
	var cmd tea.Cmd
	told := make(mailbox, 1)
	cmd, c.cancel = m.work.start(func(ctx context.Context) tea.Msg {
		start := clock()
		if f.Server == "" {
			return dispatchedMsg{call: id, err: errors.New("a plugin's tool runs inside Hermes and cannot be called from here")}
		}
		result, err := conns.Call(ctx, f.Server, f.Own, f.Arguments, told.put)
		return dispatchedMsg{id, result, err, clock().Sub(start)}
	})
	c.Dispatched, c.Progress = m.clock(), mcpconn.Progress{}
	return tea.Batch(func() tea.Msg { defer close(told); return cmd() }, told.next(id))
}

// dispatched takes an answer in; one that comes after its call has ended
// changes nothing.
func (m model) dispatched(msg dispatchedMsg) (tea.Model, tea.Cmd) {
	c := m.edit(msg.call)
	if c == nil || c.Flow.Waits() != engine.StageDispatch {
		return m, nil
	}
	c.cancel = nil
	c.Answered = m.clock()
	c.Flow = c.Flow.Settle(engine.Dispatched(msg.result, msg.err, msg.took))
	cmd := m.goOn(c)
	m.publish()
	return m, cmd
}

// progressMsg is how far a live call has come.
type progressMsg struct {
	call     int
	progress mcpconn.Progress
	told     mailbox
}

// mailbox hands the newest progress of a call to the screen. What is not
// fetched in time gives way, so that no server can flood the screen.
type mailbox chan mcpconn.Progress

// put leaves the newest progress; one at a time may call it.
func (b mailbox) put(p mcpconn.Progress) {
	for {
		select {
		case b <- p:
			return
		default:
		}
		select {
		case <-b:
		default:
		}
	}
}

// next waits for progress, or for the end of the call.
func (b mailbox) next(call int) tea.Cmd {
	return func() tea.Msg {
		if p, ok := <-b; ok {
			return progressMsg{call, p, b}
		}
		return nil
	}
}

// progressed takes in how far a call has come.
func (m model) progressed(msg progressMsg) (tea.Model, tea.Cmd) {
	if c := m.edit(msg.call); c != nil && c.Flow.Waits() == engine.StageDispatch {
		c.Progress = msg.progress
		cmd := m.batchOn()
		m.publish()
		return m, tea.Batch(cmd, msg.told.next(msg.call))
	}
	return m, msg.told.next(msg.call)
}

// far says how far a live call has come, "" where its server does not say.
func (c Call) far() string {
	if c.Progress == (mcpconn.Progress{}) {
		return ""
	}
	return " " + c.Progress.Share()
}
