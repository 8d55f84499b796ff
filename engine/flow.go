package engine

import (
	"encoding/json"
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
	Duration time.Duration // given by whoever runs the flow; 0 for stages of the engine's own
}

// Flow is one bridged call on its way through the stages. It is a value: each
// step returns the next flow and leaves the one before as it was.
type Flow struct {
	Tool   string  // the real wire name, once unwrapped
	Server string  // the server it belongs to, "" for a plugin's
	Stages []Stage // always all of them, in order
	Next   int     // the index of the stage that runs next; len(Stages) when done
	Result json.RawMessage
}

// Done reports whether the flow has ended.
func (f Flow) Done() bool { return f.Next >= len(f.Stages) }
