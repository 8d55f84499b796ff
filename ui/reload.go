package ui

import (
	"cmp"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
	"toolscope/mcpconn/config"
)

// Messages about the configuration's files.
type (
	fileChangedMsg struct{}              // one of them has changed on disk
	reloadMsg      struct{ path string } // read them again; a path: read that one instead
	loadedMsg      struct {
		config config.Config
		path   string
		err    error
	}
)

// watch waits for a change of the files.
func (m model) watch() tea.Cmd {
	changed := m.changed
	if changed == nil {
		return nil
	}
	return func() tea.Msg {
		if _, ok := <-changed; !ok {
			return nil
		}
		return fileChangedMsg{}
	}
}

// reloadConfig reads the configuration again, beside everything else.
func (m model) reloadConfig(path string) (tea.Model, tea.Cmd) {
	if m.reload == nil {
		return m.say("there is no file to read again: " + m.source + " is part of the program or a snapshot")
	}
	reload := m.reload
	return m, func() tea.Msg {
		cfg, err := reload(path)
		return loadedMsg{cfg, path, err}
	}
}

// loaded takes a configuration in. Servers whose entry stays the same go on;
// settings that were tuned here stay as tuned, unless the file changed them.
func (m model) loaded(msg loadedMsg) (tea.Model, tea.Cmd) {
	if msg.err != nil {
		return m.say("the configuration stays as it was: " + msg.err.Error())
	}
	// What the tour goes back to is of the configuration that was.
	over, cmd := m.endTour()
	m = over.(model)
	m.forgetSwitches(msg.config.Servers)
	m.roster = m.roster.Reconfigure(msg.config)
	m.cfg = rebase(m.cfg, m.original, msg.config.Engine)
	m.original = msg.config.Engine
	m.notes, m.hooks = msg.config.Warnings, msg.config.Hooks
	m.source, m.file = msg.config.Path, msg.config.File
	name := m.scopes[m.scope].Name
	m.scopes, m.scope = sessions(msg.config), 0
	for i, s := range m.scopes {
		if s.Name == name {
			m.scope = i
		}
	}
	m.session.Scope = m.scopes[m.scope].Scope
	if msg.path != "" {
		m.undo, m.offer, m.demo = nil, "", false
	}
	m.assemble()
	conns := m.conns
	text := fmt.Sprintf("read %s: %s", m.source, plural(len(msg.config.Servers), "server"))
	if m.wrote { // the file changed because we wrote it
		text = fmt.Sprintf("written into %s, and read again", m.source)
	}
	m.wrote = false
	next, said := m.say(text)
	return next, tea.Batch(cmd, said, func() tea.Msg {
		for _, name := range conns.Apply(msg.config.Servers) {
			if err := conns.Enable(name); err != nil {
				return failure(err)
			}
		}
		return nil
	})
}

// rebase returns tuned settings over another configuration: what the file
// changed is as the file says, all else stays as tuned.
func rebase(tuned, old, now engine.Config) engine.Config {
	next := tuned
	next.Enabled = changedTo(tuned.Enabled, old.Enabled, now.Enabled)
	next.Listing = changedTo(tuned.Listing, old.Listing, now.Listing)
	next.ToolNames = changedTo(tuned.ToolNames, old.ToolNames, now.ToolNames)
	next.ThresholdPct = changedTo(tuned.ThresholdPct, old.ThresholdPct, now.ThresholdPct)
	next.ListingMaxTokens = changedTo(tuned.ListingMaxTokens, old.ListingMaxTokens, now.ListingMaxTokens)
	next.SearchDefaultLimit = changedTo(tuned.SearchDefaultLimit, old.SearchDefaultLimit, now.SearchDefaultLimit)
	next.MaxSearchLimit = changedTo(tuned.MaxSearchLimit, old.MaxSearchLimit, now.MaxSearchLimit)
	next.ContextLength = changedTo(tuned.ContextLength, old.ContextLength, now.ContextLength)
	return next
}

func changedTo[T cmp.Ordered](tuned, old, now T) T {
	if old != now {
		return now
	}
	return tuned
}
