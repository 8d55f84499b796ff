package mcpconn

import (
	"slices"
	"time"

	"toolscope/engine"
	"toolscope/mcpconn/config"
)

// Roster is what a session sees of its servers: the events of a [Hub] folded
// over a configuration. It is a value: Apply returns a new one and leaves the
// old one as it was.
type Roster struct {
	plugins []engine.Toolset
	core    []engine.Tool
	servers []ServerStatus
}

// ServerStatus is one server as of the last event. Nobody changes what its
// slices hold.
type ServerStatus struct {
	Config   config.Server // holds secrets: never shown but through its Name
	Name     string
	State    State
	Reason   string // why it failed
	Progress string // while connecting
	Info     ServerInfo
	Tools    []engine.Tool // the last list; only a ready server's are in the catalog
	Filtered []string      // the server's own names left out by include/exclude
	Warnings []engine.Warning
	Log      []LogLine // the last lines, oldest first
	Trace    []LogLine // the last messages of the protocol, oldest first
	Since    time.Time // when it came to this state; zero before any event
}

// LogLine is one line a server wrote beside the protocol.
type LogLine struct {
	At   time.Time
	Line string // secrets masked; hostile until displayed
}

// NewRoster starts a roster: every server off, in the order of the
// configuration.
func NewRoster(cfg config.Config) Roster {
	r := Roster{plugins: cfg.Plugins, core: cfg.Core}
	for _, s := range cfg.Servers {
		r.servers = append(r.servers, ServerStatus{Config: s, Name: s.Name, State: StateOff})
	}
	return r
}

// Reconfigure returns the roster under another configuration: a server whose
// entry stays the same keeps what is known of it, all others are off.
func (r Roster) Reconfigure(cfg config.Config) Roster {
	next := NewRoster(cfg)
	for i, s := range next.servers {
		at := slices.IndexFunc(r.servers, func(o ServerStatus) bool { return o.Name == s.Name })
		if at >= 0 && r.servers[at].Config.Same(s.Config) {
			next.servers[i] = r.servers[at]
			next.servers[i].Config = s.Config
		}
	}
	return next
}

// Apply folds one event in. An event of a server that is not in the
// configuration changes nothing.
func (r Roster) Apply(ev ServerEvent) Roster {
	i := slices.IndexFunc(r.servers, func(s ServerStatus) bool { return s.Name == ev.Server })
	if i < 0 {
		return r
	}
	r.servers = slices.Clone(r.servers)
	s := &r.servers[i]
	s.Info = ev.Info
	switch ev.Kind {
	case EventLog:
		s.Log = logged(s.Log, ev)
		return r
	case EventTrace:
		s.Trace = logged(s.Trace, ev)
		return r
	case EventTools:
		s.Tools, s.Filtered, s.Warnings = ev.Tools, ev.Filtered, ev.Warnings
	}
	if s.State != ev.State {
		s.Since = ev.At
	}
	s.State, s.Reason, s.Progress = ev.State, ev.Reason, ev.Progress
	if ev.State == StateOff {
		s.Info = ServerInfo{} // of a process that is gone
	}
	return r
}

// logged returns the last lines with one more.
func logged(lines []LogLine, ev ServerEvent) []LogLine {
	kept := lines[max(0, len(lines)-maxLogLines+1):]
	return append(slices.Clone(kept), LogLine{At: ev.At, Line: ev.Line})
}

// Servers returns every server in the order of the configuration.
func (r Roster) Servers() []ServerStatus { return slices.Clone(r.servers) }

// Warnings returns what was odd in the ready servers' lists, in their order.
func (r Roster) Warnings() []engine.Warning {
	var warnings []engine.Warning
	for _, s := range r.servers {
		if s.State == StateReady {
			warnings = append(warnings, s.Warnings...)
		}
	}
	return warnings
}

// Catalog returns the tools of the ready servers, in the order of the
// configuration, with the plugins and core tools of the configuration.
func (r Roster) Catalog() engine.Catalog {
	c := engine.Catalog{Plugins: r.plugins, Core: r.core}
	for _, s := range r.servers {
		if s.State == StateReady {
			c.Servers = append(c.Servers, engine.Server{Name: s.Name, Tools: s.Tools, Parallel: s.Config.Parallel, Trust: s.Config.Trust})
		}
	}
	return c
}

// Absent tells of the servers some or all of whose tools are not in the
// catalog, and why: off, connecting, failed, or left out by include/exclude.
func (r Roster) Absent() []engine.AbsentTools {
	var absent []engine.AbsentTools
	for _, s := range r.servers {
		a := engine.AbsentTools{Server: s.Name, Reason: s.Reason, Filtered: s.Filtered}
		if s.State != StateReady {
			a.State = string(s.State)
		}
		if a.State != "" || len(a.Filtered) > 0 {
			absent = append(absent, a)
		}
	}
	return absent
}

// Settled reports whether every enabled server is ready or has failed.
func (r Roster) Settled() bool {
	return !slices.ContainsFunc(r.servers, func(s ServerStatus) bool {
		return s.Config.Enabled && s.State != StateReady && s.State != StateFailed
	})
}

// Failed returns the enabled servers that failed.
func (r Roster) Failed() []ServerStatus {
	var failed []ServerStatus
	for _, s := range r.servers {
		if s.State == StateFailed {
			failed = append(failed, s)
		}
	}
	return failed
}
