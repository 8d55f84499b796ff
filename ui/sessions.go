package ui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
	"toolscope/mcpconn/config"
	"toolscope/ui/display"
)

// Messages that change what the session sees.
type (
	sessionMsg       struct{}                 // go to the next named session
	toggleToolsetMsg struct{ toolset string } // take a toolset out of the session, or back in
)

// sessions are the sessions of a configuration: the default one, which sees
// all but the disabled toolsets, and the named ones.
func sessions(c config.Config) []config.Session {
	all := []config.Session{{Name: "default", Scope: engine.Scope{Disabled: c.DisabledToolsets}}}
	return append(all, c.Sessions...)
}

// nextSession goes to the next session, as it is configured.
func (m model) nextSession() (tea.Model, tea.Cmd) {
	if len(m.scopes) == 1 {
		return m.say("there is one session; toolscope.sessions in the configuration names more")
	}
	m.remember("session " + m.scopes[m.scope].Name + " again")
	m.scope = (m.scope + 1) % len(m.scopes)
	m.session.Scope = m.scopes[m.scope].Scope
	m.assemble()
	return m.say("session " + m.scopes[m.scope].Name)
}

// toggleToolset takes a toolset out of the present session, or back in.
func (m model) toggleToolset(toolset string) (tea.Model, tea.Cmd) {
	m.remember(toolset + " as before")
	sc := m.session.Scope
	names := func(s string) bool { return s == toolset || s == engine.Label(toolset) }
	said := ""
	if sc.Allows(toolset) {
		sc.Disabled = append(slices.Clone(sc.Disabled), toolset)
		said = toolset + " is out of the session: not searched, described, called or counted"
	} else {
		sc.Disabled = slices.DeleteFunc(slices.Clone(sc.Disabled), names)
		if !sc.Allows(toolset) {
			sc.Enabled = append(slices.Clone(sc.Enabled), toolset)
		}
		said = toolset + " is in the session"
	}
	m.session.Scope = sc
	m.assemble()
	return m.say(said)
}

// sessionName is the present session for the header; "" where there is only
// one and nothing was changed.
func (m model) sessionName() string {
	name := m.scopes[m.scope]
	changed := !slices.Equal(name.Scope.Enabled, m.session.Scope.Enabled) || !slices.Equal(name.Scope.Disabled, m.session.Scope.Disabled)
	switch {
	case changed:
		return display.Text(name.Name) + "*"
	case len(m.scopes) > 1:
		return display.Text(name.Name)
	}
	return ""
}
