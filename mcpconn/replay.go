package mcpconn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"toolscope/engine"
	"toolscope/mcpconn/config"
)

// Replay stands in for a [Hub] where the tools come from a snapshot: its
// servers are ready at once, can be switched off and on, and never change.
type Replay struct {
	catalog engine.Catalog
	now     func() time.Time
	events  *queue
}

// NewReplay returns the replay of a catalog; Start lets its servers appear.
func NewReplay(catalog engine.Catalog, opts Options) *Replay {
	return &Replay{catalog: catalog, now: opts.withDefaults().Now, events: newQueue()}
}

// Config returns cfg with the snapshot's servers, plugins and core tools in
// place of its own.
func (r *Replay) Config(cfg config.Config) config.Config {
	cfg.Servers = nil
	for _, s := range r.catalog.Servers {
		cfg.Servers = append(cfg.Servers, config.Server{Name: s.Name, Enabled: true, Parallel: s.Parallel, Trust: s.Trust})
	}
	cfg.Plugins, cfg.Core = r.catalog.Plugins, r.catalog.Core
	return cfg
}

// Start reports every server as ready.
func (r *Replay) Start() {
	for _, s := range r.catalog.Servers {
		r.show(s)
	}
}

// Events is the stream of what happens to the servers.
func (r *Replay) Events() <-chan ServerEvent { return r.events.out }

// Enable reports a server as ready again.
func (r *Replay) Enable(name string) error {
	s, err := r.server(name)
	if err != nil {
		return err
	}
	r.show(s)
	return nil
}

// Disable reports a server as off.
func (r *Replay) Disable(name string) error {
	if _, err := r.server(name); err != nil {
		return err
	}
	r.events.push(ServerEvent{Server: name, At: r.now(), Kind: EventState, State: StateOff})
	return nil
}

// Apply changes nothing: a snapshot's servers are not of a configuration.
func (r *Replay) Apply([]config.Server) []string { return nil }

// Call fails: nobody is there to call.
func (r *Replay) Call(context.Context, string, string, json.RawMessage, func(Progress)) (json.RawMessage, error) {
	return nil, errors.New("a snapshot has no server to call")
}

// SignIn fails: nobody is there to sign in at.
func (r *Replay) SignIn(context.Context, string) (*SignIn, error) {
	return nil, errors.New("a snapshot has no server to sign in at")
}

// Ping fails: nobody is there to answer.
func (r *Replay) Ping(context.Context, string) (time.Duration, error) {
	return 0, errors.New("a snapshot has no server to ping")
}

// Retry is Enable: a snapshot cannot fail.
func (r *Replay) Retry(name string) error { return r.Enable(name) }

// Close ends the stream. Closing again does nothing.
func (r *Replay) Close() { r.events.close() }

func (r *Replay) show(s engine.Server) {
	r.events.push(ServerEvent{Server: s.Name, At: r.now(), Kind: EventTools, State: StateReady, Tools: s.Tools})
}

func (r *Replay) server(name string) (engine.Server, error) {
	for _, s := range r.catalog.Servers {
		if s.Name == name {
			return s, nil
		}
	}
	return engine.Server{}, fmt.Errorf("server %s: not in the snapshot", name)
}
