// Package mcpconn is the outside: it reads the configuration, connects to the
// MCP servers it names, lists their tools, watches them for changes and calls
// them. All that happens comes out of one stream of [ServerEvent] values.
package mcpconn

import (
	"time"

	"toolscope/engine"
)

// State is where a server is in its life.
type State string

// The states of a server.
const (
	StateOff        State = "off"        // not started, or switched off
	StateConnecting State = "connecting" // started, no tools yet
	StateReady      State = "ready"      // its tools are listed
	StateFailed     State = "failed"     // Reason says why
)

// Kind is what a [ServerEvent] tells.
type Kind string

// The kinds of event.
const (
	EventState Kind = "state" // State, and Reason where it failed
	EventTools Kind = "tools" // Tools is the complete new list; State is ready
	EventLog   Kind = "log"   // Line is one line the server wrote beside the protocol
	EventTrace Kind = "trace" // Line is one message of the protocol: → to the server, ← from it
)

// ServerEvent is one thing that happened to one server.
type ServerEvent struct {
	Server   string // its key in the configuration
	At       time.Time
	Kind     Kind
	State    State            // the state after the event, in every kind
	Reason   string           // why it failed: what was found and what to do
	Progress string           // while connecting: what is under way, such as "tools/list: 1,000 tools so far"
	Info     ServerInfo       // known once the handshake is done
	Tools    []engine.Tool    // EventTools: after include/exclude, in the server's order
	Filtered []string         // EventTools: the server's own names left out by include/exclude
	Warnings []engine.Warning // EventTools: what was odd in the list
	Line     string           // EventLog, EventTrace; secrets masked
}

// ServerInfo is what a server said of itself, and what connecting took.
type ServerInfo struct {
	Name     string        // serverInfo.name
	Version  string        // serverInfo.version
	Protocol string        // the negotiated protocol version, such as "2025-06-18"
	Offers   string        // its capabilities, such as "tools (listChanged), resources"
	PID      int           // of the child process; 0 over HTTP
	Init     time.Duration // the initialize round trip
	List     time.Duration // all pages of tools/list
	Bytes    int           // of the tools/list results, as they came
	Pages    int           // of tools/list
}
