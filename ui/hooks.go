package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
	"toolscope/mcpconn/config"
	"toolscope/mcpconn/hook"
)

// Messages about the hooks of a call.
type (
	consentMsg struct{ yes bool } // to the commands that are asked about
	hookedMsg  struct {           // the hooks of a stage have run
		call    json.RawMessage
		verdict engine.Verdict
	}
)

// unconsented are the commands of the hooks that see the call at the stage it
// waits at, and that the person has not agreed to.
func (m model) unconsented() []string {
	event := config.HookPre
	switch m.flow.Waits() {
	case engine.StagePostHooks:
		event = config.HookPost
	case engine.StagePreHooks:
	default:
		return nil
	}
	var commands []string
	for _, h := range hook.Matching(m.hooks, event, m.flow.Tool) {
		if !slices.Contains(m.agreed, h.Command) && !slices.Contains(commands, h.Command) {
			commands = append(commands, h.Command)
		}
	}
	return commands
}

// runHooks runs the hooks of the stage the call waits at. Commands that the
// person has not agreed to are asked about first.
func (m model) runHooks() (tea.Model, tea.Cmd) {
	if m.cancel != nil {
		return m, nil
	}
	if commands := m.unconsented(); len(commands) > 0 && !m.declined {
		m.snap.Asked = commands
		m.publish()
		return m, nil
	}
	m.snap.Asked = nil
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	m.publish()
	hooks, f, commands, in := m.hooks, m.flow, m.agreed, hook.InputOf(m.flow, m.scopes[m.scope].Name, m.dir)
	return m, func() tea.Msg {
		defer cancel()
		agreed := func(h config.Hook) bool { return slices.Contains(commands, h.Command) }
		var v engine.Verdict
		if f.Waits() == engine.StagePreHooks {
			v, _ = hook.Before(ctx, hooks, in, agreed)
		} else {
			v, _ = hook.After(ctx, hooks, in, agreed)
		}
		return hookedMsg{f.Stages[0].Input, v}
	}
}

// consent takes the person's answer about the commands of hooks. A no holds for
// this call; the stage runs without them.
func (m model) consent(yes bool) (tea.Model, tea.Cmd) {
	if len(m.snap.Asked) == 0 {
		return m, nil
	}
	if !yes {
		m.declined = true
		return m.runHooks()
	}
	consents, commands := m.consents, m.snap.Asked
	m.agreed = slices.Concat(m.agreed, commands)
	next, run := m.runHooks()
	return next, tea.Batch(run, func() tea.Msg { return failure(consents.Add(commands...)) })
}

// hooked takes in what hooks decided.
func (m model) hooked(msg hookedMsg) (tea.Model, tea.Cmd) {
	waits := m.flow.Waits()
	if waits != engine.StagePreHooks && waits != engine.StagePostHooks || !bytes.Equal(m.flow.Stages[0].Input, msg.call) {
		return m, nil
	}
	m.cancel = nil
	m.flow = m.flow.Settle(msg.verdict)
	if m.running {
		return m.runOn()
	}
	m.publish()
	return m, nil
}
