package ui

import (
	"context"
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
		call    int
		verdict engine.Verdict
	}
)

// hookEvent is the event of the hook stage that a flow waits at, "" for none.
func hookEvent(f engine.Flow) config.HookEvent {
	switch f.Waits() {
	case engine.StagePreHooks:
		return config.HookPre
	case engine.StagePostHooks:
		return config.HookPost
	}
	return ""
}

// unconsented are the commands of the hooks that see the call at the stage it
// waits at, and that the person has not agreed to.
func (m *model) unconsented(f engine.Flow) []string {
	var commands []string
	for _, h := range hook.Matching(m.hooks, hookEvent(f), f.Tool) {
		if !slices.Contains(m.agreed, h.Command) && !slices.Contains(commands, h.Command) {
			commands = append(commands, h.Command)
		}
	}
	return commands
}

// runHooks runs the hooks of the stage the call waits at. Commands that the
// person has not agreed to are asked about first.
func (m *model) runHooks(c *Call) tea.Cmd {
	if c.cancel != nil {
		return nil
	}
	if commands := m.unconsented(c.Flow); len(commands) > 0 && !c.declined {
		c.Asked = commands
		return nil
	}
	c.Asked = nil
	hooks, f, commands, id, in := m.hooks, c.Flow, m.agreed, c.ID, hook.InputOf(c.Flow, m.scopes[m.scope].Name, m.dir)
	var cmd tea.Cmd
	cmd, c.cancel = m.work.start(func(ctx context.Context) tea.Msg {
		agreed := func(h config.Hook) bool { return slices.Contains(commands, h.Command) }
		var v engine.Verdict
		if hookEvent(f) == config.HookPre {
			v, _ = hook.Before(ctx, hooks, in, agreed)
		} else {
			v, _ = hook.After(ctx, hooks, in, agreed)
		}
		return hookedMsg{id, v}
	})
	return cmd
}

// consent takes the person's answer about the commands of hooks. A no holds for
// this call; the stage runs without them.
func (m model) consent(yes bool) (tea.Model, tea.Cmd) {
	c := m.edit(m.questioned().ID)
	if c == nil || len(c.Asked) == 0 {
		return m, nil
	}
	if !yes {
		c.declined = true
		cmd := m.runHooks(c)
		m.publish()
		return m, cmd
	}
	consents, commands := m.consents, c.Asked
	m.agreed = slices.Concat(m.agreed, commands)
	run := m.runHooks(c)
	m.publish()
	return m, tea.Batch(run, func() tea.Msg { return failure(consents.Add(commands...)) })
}

// hooked takes in what hooks decided.
func (m model) hooked(msg hookedMsg) (tea.Model, tea.Cmd) {
	c := m.edit(msg.call)
	if c == nil || hookEvent(c.Flow) == "" {
		return m, nil
	}
	c.cancel = nil
	c.Flow = c.Flow.Settle(msg.verdict)
	cmd := m.goOn(c)
	m.publish()
	return m, cmd
}
