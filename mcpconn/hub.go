package mcpconn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"toolscope/mcpconn/config"
)

// Hub holds the connections to all servers of a configuration. Its methods are
// safe for concurrent use.
type Hub struct {
	events *queue
	opts   Options
	lives  sync.WaitGroup
	close  sync.Once

	mu      sync.Mutex
	closed  bool
	redact  config.Redactor
	order   []*runner
	servers map[string]*runner
}

// Open makes a hub. Nothing is started or connected before [Hub.Start] or
// [Hub.Enable]. A hub must be closed.
func Open(servers []config.Server, opts Options) *Hub {
	h := &Hub{events: newQueue(), opts: opts.withDefaults(), servers: map[string]*runner{}}
	h.Apply(servers)
	return h
}

// Apply makes the hub one of other servers, as after a change of the
// configuration: those that are no longer there end, those whose entry has
// changed end and begin anew as they are now, those that are new wait to be
// switched on, and all others go on undisturbed. It returns the names of the
// new and changed ones that the configuration enables.
func (h *Hub) Apply(servers []config.Server) (enabled []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil
	}
	h.redact = config.NewRedactor(servers, proxySecrets(h.opts.Environ)...)
	before := h.servers
	h.order, h.servers = nil, make(map[string]*runner, len(servers))
	for _, s := range servers {
		old := before[s.Name]
		if old == nil || !old.server.Same(s) {
			r := newRunner(s, h.opts, h.redact, h.events)
			h.lives.Go(func() {
				defer close(r.ended)
				if old != nil {
					<-old.ended
				}
				r.run()
			})
			h.order = append(h.order, r)
			h.servers[s.Name] = r
			if s.Enabled {
				enabled = append(enabled, s.Name)
			}
			continue
		}
		delete(before, s.Name)
		h.order = append(h.order, old)
		h.servers[s.Name] = old
	}
	for _, gone := range before {
		gone.close()
	}
	return enabled
}

// runner returns the runner of a server.
func (h *Hub) runner(name string) (*runner, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r, ok := h.servers[name]
	if !ok {
		return nil, fmt.Errorf("there is no server %q in the configuration", name)
	}
	return r, nil
}

// Start switches on every server that the configuration enables, side by side.
// It does not wait for them.
func (h *Hub) Start() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.order {
		if r.server.Enabled {
			r.want(true, false)
		}
	}
}

// Events is the one stream of everything that happens. It is closed after
// [Hub.Close]. A slow receiver holds up no server: events that a later one
// makes pointless (progress, an older tool list) are dropped, and so are log
// lines beyond a few hundred, with a note in their place.
func (h *Hub) Events() <-chan ServerEvent { return h.events.out }

// Enable switches a server on; one that failed is tried again. It fails only
// for a name that is not in the configuration.
func (h *Hub) Enable(name string) error { return h.want(name, true, false) }

// Disable switches a server off. Its state is off once it has ended.
func (h *Hub) Disable(name string) error { return h.want(name, false, false) }

// Retry ends a server's present session, if any, and starts a new one.
func (h *Hub) Retry(name string) error { return h.want(name, true, true) }

func (h *Hub) want(name string, on, again bool) error {
	r, err := h.runner(name)
	if err != nil {
		return err
	}
	r.want(on, again)
	return nil
}

// Call calls a tool by its server's own name for it and returns the result of
// tools/call as it came, an isError result included. args is a JSON object;
// empty stands for {}. The server's timeout applies, and ctx. An error answer
// of the server's is an [*AnswerError]; a result that breaks the protocol is
// returned together with a [*ResultError]; every other error names the server,
// what was found and what to do. Secrets are masked in errors, not in results.
// A call whose ctx ends is cancelled at the server too.
//
// Where progress is not nil, the server is asked to tell how far the call has
// come, and progress gets what it tells, in order; of what comes faster than
// progress returns, the newest. It is called in the caller's goroutine, so never
// after the return, and Call does not return while it runs. Progress does not
// prolong the timeout.
func (h *Hub) Call(ctx context.Context, server, tool string, args json.RawMessage, progress func(Progress)) (json.RawMessage, error) {
	r, err := h.runner(server)
	if err != nil {
		return nil, err
	}
	conn, err := r.ready()
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		args = json.RawMessage(`{}`)
	}
	slow := callDeadline{r.server.Timeout}
	ctx, cancel := context.WithTimeoutCause(ctx, r.server.Timeout, slow)
	defer cancel()
	result, err := conn.call(ctx, tool, args, progress)
	if err == nil {
		method, _ := conn.callOf(tool, args)
		if reason := malformed(method, result); reason != "" {
			return result, &ResultError{Server: server, Reason: reason}
		}
		return result, nil
	}
	var answer *AnswerError
	if errors.As(err, &answer) {
		return nil, answer
	}
	if errors.Is(err, context.Canceled) {
		return nil, cancelledError{server}
	}
	reason := err.Error()
	if !errors.Is(err, slow) {
		reason = conn.explain("", err)
	}
	return nil, fmt.Errorf("server %s: %s", server, r.redact.Redact(reason))
}

// cancelledError is a call that was given up; it is [context.Canceled] too.
type cancelledError struct{ server string }

// Error names the server.
func (e cancelledError) Error() string { return "server " + e.server + ": the call was cancelled" }

// Is reports whether the target is context.Canceled.
func (e cancelledError) Is(target error) bool { return target == context.Canceled }

// Ping asks a ready server for a sign of life and returns how long that took.
func (h *Hub) Ping(ctx context.Context, server string) (time.Duration, error) {
	r, err := h.runner(server)
	if err != nil {
		return 0, err
	}
	conn, err := r.ready()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, pingTimeout, errors.New("no answer to a ping within "+pingTimeout.String()))
	defer cancel()
	start := time.Now()
	_, err = conn.request(ctx, string(mcp.MethodPing), struct{}{})
	var answer *AnswerError
	if err != nil && !errors.As(err, &answer) { // an error is an answer too
		return 0, fmt.Errorf("server %s: %s", server, conn.explain("ping", err))
	}
	return time.Since(start), nil
}

type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      *callMeta       `json:"_meta,omitempty"`
}

// callMeta asks for the progress of a call.
type callMeta struct {
	Token int64 `json:"progressToken"`
}

// callDeadline is the cause of a call's timeout.
type callDeadline struct{ after time.Duration }

func (d callDeadline) Error() string {
	return "no answer within " + config.Seconds(d.after) + " (timeout): the call was cancelled"
}

// Close ends every server side by side: it takes as long as the slowest one.
// When it returns, no child process and no goroutine of the hub is left, and
// the stream of events is closed. Closing again does nothing.
func (h *Hub) Close() {
	h.close.Do(func() {
		h.mu.Lock()
		h.closed = true
		for _, r := range h.order {
			r.close()
		}
		h.mu.Unlock()
		h.lives.Wait()
		h.events.close()
	})
}
