package mcpconn

import (
	"context"
	"fmt"
	"strings"

	"toolscope/mcpconn/config"
)

// Collect starts every enabled server, waits until each is ready or has
// failed, ends them all and returns what they listed. A server that fails is
// no error: the roster says so. The error is ctx's, naming the servers it cut
// off; the roster then holds what was known.
func Collect(ctx context.Context, cfg config.Config, opts Options) (Roster, error) {
	hub := Open(cfg.Servers, opts)
	defer hub.Close()
	return Settle(ctx, hub, NewRoster(cfg))
}

// Settle starts a hub's enabled servers and folds its events until each is
// ready or has failed. The hub stays open, for a caller that wants to call
// tools; further events wait in the hub.
func Settle(ctx context.Context, hub *Hub, roster Roster) (Roster, error) {
	hub.Start()
	for !roster.Settled() {
		select {
		case ev, ok := <-hub.Events():
			if !ok {
				return roster, fmt.Errorf("the servers were ended before they were ready: %s", strings.Join(unsettled(roster), ", "))
			}
			roster = roster.Apply(ev)
		case <-ctx.Done():
			return roster, fmt.Errorf("waiting for %s: %w", strings.Join(unsettled(roster), ", "), context.Cause(ctx))
		}
	}
	return roster, nil
}

// unsettled names the enabled servers that are neither ready nor failed.
func unsettled(r Roster) []string {
	var names []string
	for _, s := range r.servers {
		if s.Config.Enabled && s.State != StateReady && s.State != StateFailed {
			names = append(names, s.Name)
		}
	}
	return names
}
