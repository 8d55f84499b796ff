// Package config turns configuration files into servers and settings: Hermes'
// own YAML shape, .env files and variables. It never connects to anything.
//
// Only a file that cannot be read as YAML is an error. Everything else that is
// odd (a wrong type, an unknown key, an unset variable) is repaired as sensibly
// as can be and becomes a warning that names the key and its line.
package config

import (
	"time"

	"toolscope/engine"
)

// Config is one configuration, understood.
type Config struct {
	Path             string            // of the file, or of all joined by " + "; "built-in" for the embedded one
	File             string            // to write settings into: the one with the block tools.tool_search, else the last; "" where none was loaded
	hasBlock         bool              // File has that block
	Servers          []Server          // in the order of the file
	Engine           engine.Config     // effective
	ToolSearchRaw    any               // the block tools.tool_search as it stands, for engine.ParseToolSearch; nil where absent
	Plugins          []engine.Toolset  // toolscope.plugins
	Core             []engine.Tool     // toolscope.core_tools
	DisabledToolsets []string          // toolscope.disabled_toolsets
	Sessions         []Session         // toolscope.sessions, in the order of the file
	Hooks            []Hook            // of calls, in the order of the file
	ApprovalTimeout  time.Duration     // approvals.timeout: how long a person has to approve a call
	Origins          map[string]Origin // where each value comes from, by its key's path; a value that is not there is a default
	Warnings         []engine.Warning  // what was ignored, clamped, unresolved or odd; Key is the key's path in the file
}

// Origin is where a value comes from.
type Origin struct {
	File string
	Line int
	Via  []string // the variables in it, such as "TOKEN from .env"; never their values
}

// Session is a named session of toolscope.sessions: what it may see.
type Session struct {
	Name  string
	Scope engine.Scope
}

// Transport is how a server is reached.
type Transport string

// The transports.
const (
	TransportStdio Transport = "stdio"
	TransportHTTP  Transport = "http" // streamable HTTP
	TransportSSE   Transport = "sse"  // HTTP+SSE, as of 2024
)

// The time limits where none is set.
const (
	DefaultApprovalTimeout = 300 * time.Second
	DefaultTimeout         = 300 * time.Second
	DefaultConnectTimeout  = 60 * time.Second
)

// Server is one entry of mcp_servers with its variables resolved. Env, Headers
// and the URL may hold secrets: see [Server.Secrets].
type Server struct {
	Name           string
	File           string // it is defined in
	Line           int    // of its key in the file
	Transport      Transport
	Command        string            // stdio
	Args           []string          // stdio
	Env            map[string]string // stdio: added to the safe base environment
	Dir            string            // stdio: working directory, "" is the present one
	URL            string            // http
	Headers        map[string]string // http
	OAuth          bool              // http: auth is oauth, so the person signs in
	SkipVerify     bool              // http: ssl_verify is false, so any certificate is taken
	CAFile         string            // http: PEM file of the authorities to trust, in place of the system's
	ClientCert     string            // http: PEM file of our certificate
	ClientKey      string            // http: PEM file of its key; "" where it is in the same file
	Timeout        time.Duration     // of a call; 300 s by default
	ConnectTimeout time.Duration     // of initialize and the listing; 60 s by default
	Enabled        bool
	Parallel       bool     // supports_parallel_tool_calls
	Trust          string   // "" is full
	Include        []string // the server's own tool names, exact or glob; wins over Exclude
	Exclude        []string
	Resources      bool   // the utility tools for resources are added where the server offers any; true by default
	Prompts        bool   // those for prompts
	Problem        string // why it cannot be started as configured; "" if it can

	secrets []string // among Args and URL: what came out of a variable or follows a flag such as --token
}
