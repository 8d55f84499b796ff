package mcpconn

import (
	"os"
	"time"

	"toolscope/mcpconn/state"
)

// Options is what a [Hub] takes from its surroundings. The zero value takes
// the process's own.
type Options struct {
	ClientName    string           // told to servers; "toolscope" where empty
	ClientVersion string           // told to servers; "dev" where empty
	Environ       []string         // NAME=value, what the safe base environment is picked from; os.Environ() where nil
	Now           func() time.Time // stamps events; time.Now where nil
	Logins        state.Logins     // of servers with auth: oauth; the zero value keeps none
	Backoff       []time.Duration  // pauses before a failed server is tried again, the last one not repeated; none: it waits to be asked
	Grace         time.Duration    // what a child gets at each step of its end: closed stdin, then SIGTERM, then SIGKILL; 2 s where 0

	maxMessage int // bytes of one message; maxMessage where 0
}

func (o Options) withDefaults() Options {
	if o.ClientName == "" {
		o.ClientName = "toolscope"
	}
	if o.ClientVersion == "" {
		o.ClientVersion = "dev"
	}
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Grace <= 0 {
		o.Grace = 2 * time.Second
	}
	if o.maxMessage <= 0 {
		o.maxMessage = maxMessage
	}
	return o
}

// The bounds on what a server may make us hold.
const (
	maxMessage  = 64 << 20  // bytes of one message: a line over stdio, a body or event over HTTP
	maxStdin    = 64 << 20  // bytes written to a child that does not read them
	maxLine     = 4 << 10   // bytes of one log line
	maxExcerpt  = 400       // characters of a server's text inside a reason
	maxPages    = 10_000    // of one tools/list
	maxTools    = 200_000   // of one tools/list
	maxListing  = 512 << 20 // bytes of all pages of one tools/list
	maxPending  = 500       // log lines of one server waiting to be received
	maxLogLines = 200       // log lines a roster keeps per server
)
