package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"toolscope/engine"
	"toolscope/mcpconn/config"
)

// Matching returns the hooks of an event that see calls of a tool, in order.
func Matching(hooks []config.Hook, event config.HookEvent, tool string) []config.Hook {
	var all []config.Hook
	for _, h := range hooks {
		if h.Event == event && h.Matches(tool) {
			all = append(all, h)
		}
	}
	return all
}

// Before runs the hooks that see a call before it is dispatched, one after the
// other, each with the arguments as those before it left them. A block ends it
// and beats an approval that was demanded; so does the end of ctx. Hooks that
// the person has not consented to are not run.
func Before(ctx context.Context, hooks []config.Hook, in Input, consented func(config.Hook) bool) (engine.Verdict, []Result) {
	in.Event = config.HookPre
	v := engine.Verdict{Outcome: engine.OutcomePassed}
	results, said := each(ctx, Matching(hooks, in.Event, in.Tool), &in, consented, func(r Result) bool {
		switch r.Action {
		case Block:
			v.Outcome, v.Reason = engine.OutcomeBlocked, r.Message
			return false
		case Modify:
			v.Outcome, v.Output = engine.OutcomeChanged, in.Args
		case Approve:
			v.Demand = strings.TrimSpace("a hook asks for your approval: " + r.Message)
		}
		return true
	})
	switch {
	case v.Outcome == engine.OutcomeBlocked:
		v.Demand = ""
	case ctx.Err() != nil:
		// Whoever gave the call up does not want it dispatched.
		v = engine.Verdict{Outcome: engine.OutcomeBlocked, Reason: "the call was cancelled; " + said}
	default:
		v.Reason = said
	}
	return finished(v, results, said), results
}

// After runs the hooks that see a call after it: its result, or that it was
// blocked. They change nothing.
func After(ctx context.Context, hooks []config.Hook, in Input, consented func(config.Hook) bool) (engine.Verdict, []Result) {
	in.Event = config.HookPost
	results, said := each(ctx, Matching(hooks, in.Event, in.Tool), &in, consented, func(Result) bool { return true })
	return finished(engine.Verdict{Outcome: engine.OutcomePassed, Reason: said}, results, said), results
}

// finished gives a verdict its duration, and says where nothing was run.
func finished(v engine.Verdict, results []Result, said string) engine.Verdict {
	for _, r := range results {
		v.Duration += r.Duration
	}
	if len(results) == 0 {
		v.Outcome, v.Reason = engine.OutcomeSkipped, said
	}
	return v
}

// each runs hooks one after the other until one says stop, and sums up.
func each(ctx context.Context, hooks []config.Hook, in *Input, consented func(config.Hook) bool, next func(Result) bool) (results []Result, said string) {
	if len(hooks) == 0 {
		return nil, "no hook matches"
	}
	var notes []string
	for _, h := range hooks {
		if !consented(h) {
			notes = append(notes, fmt.Sprintf("%s: not run, you have not consented to it", h.Command))
			continue
		}
		r := Run(ctx, h, *in)
		results = append(results, r)
		note := fmt.Sprintf("%s: %s", h.Command, r.Action)
		if r.Message != "" {
			note += ", " + r.Message
		}
		notes = append(notes, note)
		if r.Action == Modify {
			in.Args = over(in.Args, r.Args)
		}
		if !next(r) || ctx.Err() != nil {
			break
		}
	}
	return results, strings.Join(notes, "; ")
}

// over returns arguments with others laid over them: a key of the others
// replaces the one of that name, or comes last. Nothing below the top is merged.
func over(args, others json.RawMessage) json.RawMessage {
	all, place := members(args), map[string]int{}
	for i, m := range all {
		place[m.key] = i
	}
	for _, m := range members(others) {
		if i, ok := place[m.key]; ok {
			all[i].value = m.value
			continue
		}
		place[m.key] = len(all)
		all = append(all, m)
	}
	b := bytes.NewBufferString("{")
	for i, m := range all {
		key, err := json.Marshal(m.key)
		if err != nil {
			return others
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	merged, err := engine.Canonical(b.Bytes())
	if err != nil {
		return others
	}
	return merged
}

// member is one key of an object with its value.
type member struct {
	key   string
	value json.RawMessage
}

// members returns the members of an object in order, none of anything else.
func members(object json.RawMessage) (all []member) {
	in := json.NewDecoder(bytes.NewReader(object))
	if t, err := in.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for in.More() {
		var m member
		t, err := in.Token()
		key, ok := t.(string)
		if m.key = key; err != nil || !ok || in.Decode(&m.value) != nil {
			return nil
		}
		all = append(all, m)
	}
	return all
}

// InputOf is what hooks are told of a flow.
func InputOf(f engine.Flow, session, dir string) Input {
	in := Input{Tool: f.Tool, Args: f.Arguments, Session: session, Dir: dir, Extra: map[string]any{}}
	if f.Status != engine.StatusRunning {
		in.Result = f.Result
		in.Extra["status"] = string(f.Status)
	}
	if len(in.Args) == 0 {
		in.Args = json.RawMessage("{}")
	}
	return in
}
