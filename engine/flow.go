package engine

import (
	"encoding/json"
	"slices"
	"time"
)

// StageName names one stage of a bridged call.
type StageName string

// The stages of a bridged call, in order. From unwrap on every stage sees the
// real tool, never tool_call.
const (
	StageParse      StageName = "parse"
	StageUnwrap     StageName = "unwrap"
	StageScope      StageName = "scope"
	StageValidate   StageName = "validate"
	StagePreHooks   StageName = "pre_tool_call"
	StageGuardrails StageName = "guardrails"
	StageApproval   StageName = "approval"
	StageDispatch   StageName = "dispatch"
	StagePostHooks  StageName = "post_tool_call"
	StageFeed       StageName = "activity"
)

// Outcome is how a stage ended.
type Outcome string

// The outcomes of a stage.
const (
	OutcomePending    Outcome = ""            // not yet run
	OutcomePassed     Outcome = "passed"      // ran, nothing to object
	OutcomeChanged    Outcome = "changed"     // ran, and its output differs from its input
	OutcomeBlocked    Outcome = "blocked"     // ended the flow
	OutcomeSkipped    Outcome = "skipped"     // there was nothing to run; the reason says why
	OutcomeNotReached Outcome = "not reached" // an earlier stage blocked
)

// Stage is one stage of a flow.
type Stage struct {
	Name     StageName
	Outcome  Outcome
	Reason   string
	Input    json.RawMessage
	Output   json.RawMessage
	Duration time.Duration // given by whoever runs the flow (see [Flow.Timed])
}

// Runners says which stages of a flow are run by others than the engine. The
// flow waits at those until they are settled (see [Flow.Settle]).
type Runners struct {
	Hooks bool // hooks are configured: the two hook stages
	Live  bool // dispatch; otherwise it is simulated
}

// Flow is one bridged call on its way through the stages: the engine's
// specification, §7. It is a value: each step returns the next flow and leaves
// the one before as it was.
type Flow struct {
	Tool      string  // the real wire name, once unwrapped
	Server    string  // the server it belongs to, "" for a plugin's; known from scope on
	Own       string  // the server's own name for the tool; known from scope on
	Stages    []Stage // always all of them, in order
	Next      int     // the index of the stage that runs next; len(Stages) when done
	Result    json.RawMessage
	Runners   Runners
	Demands   []Demand        // why the person is asked at the approval stage; none: not asked
	Arguments json.RawMessage // of the real tool, as the stages so far left them
	Status    Status

	definition Definition // of the tool, from scope on
	ended      int        // the index of the stage that ended last
}

// Status is how a call went, as hooks and the activity feed are told.
type Status string

// How a call can go.
const (
	StatusRunning Status = ""        // it has not ended
	StatusOK      Status = "ok"      // dispatched and answered
	StatusError   Status = "error"   // dispatched, and the server failed or answered an error
	StatusBlocked Status = "blocked" // a stage before dispatch blocked it
)

// Demand is one reason why the person must agree to a call.
type Demand struct {
	By     StageName // the stage that demands it
	Reason string
}

// Verdict is how a stage that others run has ended.
type Verdict struct {
	Outcome  Outcome // passed, changed, skipped, blocked
	Reason   string
	Output   json.RawMessage // pre_tool_call: the arguments, where changed; dispatch: the result
	Demand   string          // pre_tool_call: why the person must agree, "" where nobody demands it
	Failed   bool            // dispatch: the server failed or answered an error
	Duration time.Duration
}

// Dispatched is the verdict on a call that was dispatched: the result of
// tools/call as it came, or why there is none. A result that comes with an error
// is kept, and the call has failed. A result that says isError is the tool's own
// failure and passes on as it is.
func Dispatched(result json.RawMessage, err error, took time.Duration) Verdict {
	if err != nil {
		output := result
		if len(output) == 0 {
			output = refusal(err.Error())
		}
		return Verdict{Outcome: OutcomePassed, Reason: "failed: " + err.Error(), Output: output, Failed: true, Duration: took}
	}
	v := Verdict{Outcome: OutcomePassed, Reason: "live: the server answered", Output: result, Duration: took}
	if c, err := Canonical(result); err == nil && c[0] == '{' {
		for _, f := range fields(c) {
			if f.key == "isError" && string(f.value) == "true" {
				v.Reason, v.Failed = "live: the tool says it failed (isError)", true
			}
		}
	}
	return v
}

// Done reports whether the flow has ended.
func (f Flow) Done() bool { return f.Next >= len(f.Stages) }

// Waits returns the stage at which the flow waits to be settled, "" where it
// does not: approval, where somebody demands it, and the stages that have a
// runner.
func (f Flow) Waits() StageName {
	if f.Done() {
		return ""
	}
	switch name := f.Stages[f.Next].Name; {
	case name == StageApproval && len(f.Demands) > 0,
		name == StageDispatch && f.Runners.Live,
		(name == StagePreHooks || name == StagePostHooks) && f.Runners.Hooks:
		return name
	}
	return ""
}

// CallJSON returns the arguments of a tool_call that calls a tool by its wire
// name. Arguments that are no JSON are passed as a string, for the flow to
// refuse.
func CallJSON(name string, arguments json.RawMessage) json.RawMessage {
	c, err := Canonical(arguments)
	switch {
	case len(arguments) == 0:
		c = json.RawMessage("{}")
	case err != nil:
		c = quote(string(arguments))
	}
	return joinFields([]field{{"name", quote(name)}, {"arguments", c}})
}

// CallTo returns the arguments of a tool_call to begin with: a deferred tool by
// its wire name, with what its schema requires (see [Tool.SampleArguments]). Of
// a tool that is not deferred nothing is known, and the arguments are empty.
func (a Assembly) CallTo(name string) json.RawMessage {
	d, ok := a.deferred(name)
	if !ok {
		return CallJSON(name, nil)
	}
	return CallJSON(name, d.Tool.SampleArguments())
}

// Begin returns the flow of a bridged call before its first stage. The JSON is
// the arguments of tool_call as the model gave them, in whatever shape.
func Begin(bridgeJSON json.RawMessage, runners Runners) Flow {
	names := []StageName{
		StageParse, StageUnwrap, StageScope, StageValidate, StagePreHooks,
		StageGuardrails, StageApproval, StageDispatch, StagePostHooks, StageFeed,
	}
	f := Flow{Stages: make([]Stage, len(names)), Runners: runners}
	for i, name := range names {
		f.Stages[i].Name = name
	}
	f.Stages[0].Input = bridgeJSON
	return f
}

// Step runs the next stage against an assembly and returns the flow after it.
// A flow that is done, or waits to be settled, stays as it is.
func (f Flow) Step(a Assembly) Flow {
	if f.Done() || f.Waits() != "" {
		return f
	}
	f = f.enter()
	switch s := &f.Stages[f.Next]; s.Name {
	case StageParse:
		return f.parse(s)
	case StageUnwrap:
		return f.unwrap(s)
	case StageScope:
		return f.scope(a, s)
	case StageValidate:
		return f.validate(s)
	case StageGuardrails:
		return f.guard(s)
	case StageApproval:
		return f.end(s, OutcomeSkipped, "nothing demands it", nil)
	case StageDispatch:
		return f.simulate(s)
	case StageFeed:
		return f.feed(s)
	default:
		return f.end(s, OutcomeSkipped, "none", nil)
	}
}

// Settle closes the stage the flow waits at and returns the flow after it. A
// flow that waits at none stays as it is.
func (f Flow) Settle(v Verdict) Flow {
	waits := f.Waits()
	if waits == "" {
		return f
	}
	f = f.enter()
	s := &f.Stages[f.Next]
	switch {
	case waits == StageDispatch:
		f.Result, f.Status = v.Output, StatusOK
		if v.Failed {
			f.Status = StatusError
		}
	case waits == StagePreHooks && v.Outcome == OutcomeChanged:
		f.Arguments = v.Output
		v.Reason += f.unlikeSchema()
	}
	if v.Demand != "" {
		f.Demands = append(slices.Clone(f.Demands), Demand{By: waits, Reason: v.Demand})
	}
	return f.end(s, v.Outcome, v.Reason, v.Output).Timed(v.Duration)
}

// Timed gives the stage that ended last its duration.
func (f Flow) Timed(d time.Duration) Flow {
	f.Stages = slices.Clone(f.Stages)
	f.Stages[f.ended].Duration = d
	return f
}

// enter returns the flow with stages of its own and the next one given what it
// works on: the arguments, and after dispatch the result.
func (f Flow) enter() Flow {
	f.Stages = slices.Clone(f.Stages)
	switch s := &f.Stages[f.Next]; {
	case s.Name == StageParse:
	case s.Name == StagePostHooks || s.Name == StageFeed:
		s.Input = f.Result
	default:
		s.Input = f.Arguments
	}
	return f
}

// end closes the present stage and moves to the next. Where the stage made
// nothing, its output is its input. A block ends the flow, save that hooks
// after the call see it.
func (f Flow) end(s *Stage, outcome Outcome, reason string, output json.RawMessage) Flow {
	s.Outcome, s.Reason, s.Output = outcome, reason, output
	if output == nil {
		s.Output = s.Input
	}
	f.ended = f.Next
	f.Next++
	blocked := outcome == OutcomeBlocked
	if blocked {
		f.Result, f.Status = refusal(reason), StatusBlocked
		s.Output = f.Result
	}
	if !blocked && f.Status != StatusBlocked {
		return f
	}
	for f.Next < len(f.Stages) {
		next := &f.Stages[f.Next]
		if next.Name == StagePostHooks && f.Runners.Hooks && f.Tool != "" {
			return f
		}
		next.Outcome, next.Reason = OutcomeNotReached, f.blockedAt()
		f.Next++
	}
	return f
}

// blockedAt names the stage that blocked the flow.
func (f Flow) blockedAt() string {
	for _, s := range f.Stages {
		if s.Outcome == OutcomeBlocked {
			return "blocked at " + string(s.Name)
		}
	}
	return ""
}
