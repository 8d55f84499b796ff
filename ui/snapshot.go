package ui

import (
	"time"

	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/mcpconn/config"
)

// Snapshot is all that the panes render, made new by Update after every change
// of servers, scope, setting or query. Nobody changes one.
type Snapshot struct {
	Servers  []Server // in the order of the configuration, then plugin toolsets
	Assembly engine.Assembly
	Catalog  engine.Catalog         // what the assembly is of, before any scope
	Before   Before                 // the assembly before this one
	Cache    Cache                  // what the last change did to the tools array
	Exact    Exact                  // the bill by a real tokenizer, where asked for
	Kept     Side                   // settings to compare the present ones with
	Original engine.Config          // as configured, before any tuning
	Warnings []engine.Warning       // of the configuration, the servers and the names
	Queries  []engine.Result        // the present queries' results, one per line of the query, with what is below the limit
	Took     time.Duration          // of the queries
	History  []string               // query lines that were run, the most recent last
	Pinned   []Pinned               // the expected tool's place in each query; none where no tool is expected
	Call     Call                   // the call in view; zero if none
	Calls    []Call                 // all that are kept, the oldest first
	Question Call                   // the call whose question the person answers; zero where nothing is asked
	Live     bool                   // the next call is dispatched to its server
	Batch    Batch                  // the queue as it is run, or was run last
	Queued   []engine.ModelCall     // calls of one turn, to plan
	Plan     []engine.Wave          // which of them run together
	Hooks    []config.Hook          // of calls
	Agreed   []string               // commands of hooks that the person consented to
	Spinner  string                 // the present frame of the spinner
	Statuses []mcpconn.ServerStatus // all that is known of each server
	Pings    map[string]string      // the last ping of each, as shown
}

// connecting counts the servers that have yet to answer.
func (s Snapshot) connecting() int {
	n := 0
	for _, server := range s.Servers {
		if server.State == mcpconn.StateConnecting {
			n++
		}
	}
	return n
}

// Pinned is the place of the expected tool for one query.
type Pinned struct {
	Why engine.Why
	Hit engine.Hit // zero where the query does not find the tool at all
}

// Before is what is kept of the assembly before the last change, to show what
// the change did.
type Before struct {
	Known   bool
	Listing string                 // the manifest
	Modes   map[string]engine.Mode // by label
}

// Server is one row of the listing pane: a server or plugin toolset, its
// state, and the group its tools are listed under.
type Server struct {
	Name     string // in the configuration
	Toolset  string // mcp-<server>, or the plugin's
	Label    string // of its group
	InScope  bool   // the session sees it
	Plugin   bool
	State    mcpconn.State // plugins are always ready
	Reason   string        // why it failed
	Progress string        // while connecting
	Tools    int           // listed by the server, after its filters
	Filtered int           // left out by include/exclude
	Warnings int
	Group    engine.Group // zero unless the server has tools in the assembly
	Need     engine.Need  // what would list it again, where it is summarised
	CanList  bool         // Need holds; false: nothing lists it again
}

// Messages by which panes ask the model for a change.
type (
	tuneMsg struct { // move a setting by steps; coarse steps are ten times as wide
		key    string // threshold_pct, listing_max_tokens, context_length
		steps  int
		coarse bool
	}
	toggleServerMsg struct{ name string }
	retryServerMsg  struct{ name string }
	queryMsg        struct{ text string } // the query's text changed
	putQueryMsg     struct{ text string } // write it into the query line
	copyMsg         struct{ what, text string }
)
