package engine

import (
	"encoding/json"
	"fmt"
	"slices"
)

// ModelCall is one call among those a model issued in one turn, as it issued
// it: the name in its tool list and the arguments, in whatever shape.
type ModelCall struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// PlannedCall is one call of a batch with what the planner made of it.
type PlannedCall struct {
	Call     int    `json:"call"`     // its index in the batch
	Tool     string `json:"tool"`     // the underlying tool; the bridge's name where it cannot be unwrapped
	Parallel bool   `json:"parallel"` // it may run beside others
	Reason   string `json:"reason"`
}

// Wave is calls of a batch that run at the same time. Waves run one after
// another.
type Wave struct {
	Calls  []PlannedCall `json:"calls"`
	Reason string        `json:"reason"` // why the wave ends where it does
}

// Plan decides which calls of one turn run side by side, by their underlying
// tools and in the order of the batch: the engine's specification, §8. A call
// that may not run beside others is a wave of its own, so that what stands
// before it has ended and what stands after it has not begun.
func (a Assembly) Plan(batch []ModelCall) []Wave {
	var waves []Wave
	open := false // the last wave takes more calls
	for i, c := range batch {
		p := a.plan(c)
		p.Call = i
		if open && p.Parallel {
			w := &waves[len(waves)-1]
			w.Calls = append(w.Calls, p)
			continue
		}
		if len(waves) > 0 {
			waves[len(waves)-1].Reason = boundary(waves[len(waves)-1], p)
		}
		waves = append(waves, Wave{Calls: []PlannedCall{p}})
		open = p.Parallel
	}
	if len(waves) > 0 {
		waves[len(waves)-1].Reason = "the batch ends"
	}
	return waves
}

// boundary says why a call begins a new wave after another.
func boundary(before Wave, next PlannedCall) string {
	if !next.Parallel {
		return fmt.Sprintf("call %d runs alone: %s", next.Call+1, next.Reason)
	}
	last := before.Calls[len(before.Calls)-1]
	return fmt.Sprintf("call %d ran alone: %s", last.Call+1, last.Reason)
}

// plan looks at one call.
func (a Assembly) plan(c ModelCall) PlannedCall {
	p := PlannedCall{Tool: c.Name}
	switch c.Name {
	case BridgeSearch, BridgeDescribe:
		p.Parallel, p.Reason = true, "it only reads the catalog"
		return p
	case BridgeCall:
		f := Begin(c.Arguments, Runners{})
		for !f.Done() && f.Stages[f.Next].Name != StageValidate {
			f = f.Step(a)
		}
		p.Tool = f.Tool
		switch blocked := f.Stages[f.ended]; {
		case f.Done() && blocked.Name == StageScope:
			p.Reason = "it is refused: " + blocked.Reason
			return p
		case f.Done():
			p.Tool, p.Reason = c.Name, "it cannot be unwrapped: "+blocked.Reason
			return p
		}
		p.Parallel, p.Reason = parallel(f.definition)
		return p
	}
	i := slices.IndexFunc(a.Visible, func(d Definition) bool { return d.Name == c.Name })
	if i < 0 {
		p.Reason = "no such tool is in the tool list"
		return p
	}
	p.Parallel, p.Reason = parallel(a.Visible[i])
	return p
}

// parallel reports whether calls of a tool may run beside others, and why.
func parallel(d Definition) (bool, string) {
	switch {
	case d.Source == SourceMCP && d.Parallel:
		return true, "server " + d.Server + " has supports_parallel_tool_calls"
	case d.Source == SourceMCP:
		return false, "server " + d.Server + " does not have supports_parallel_tool_calls"
	case d.Source == SourceCore && (d.Tool.ReadOnly || slices.Contains(readOnlyCore(), d.Name)):
		return true, "it is a core tool that only reads"
	case d.Source == SourceCore:
		return false, "it is a core tool that may change something"
	case d.Source == SourcePlugin:
		return false, "it is a plugin's tool, which nothing says may run beside others"
	}
	return false, "its origin is unknown"
}

// readOnlyCore returns the core tools that Hermes knows to only read.
func readOnlyCore() []string {
	return []string{"read_file", "search_files", "session_search", "skill_view", "skills_list", "vision_analyze", "web_extract", "web_search"}
}
