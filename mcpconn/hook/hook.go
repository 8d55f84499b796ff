// Package hook runs the hooks of calls: commands of the person's own that see a
// call before and after it is dispatched, and may change or block it. The
// protocol is Hermes': JSON on standard input, a decision on standard output.
package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
	"unicode/utf8"

	"toolscope/mcpconn/config"
)

// Input is what a hook is told of a call. Post-call hooks get the result too.
type Input struct {
	Event   config.HookEvent `json:"hook_event_name"`
	Tool    string           `json:"tool_name"` // the real wire name
	Args    json.RawMessage  `json:"tool_input"`
	Session string           `json:"session_id"`
	Dir     string           `json:"cwd"`
	Extra   map[string]any   `json:"extra"`
	Result  json.RawMessage  `json:"result,omitempty"`
}

// Action is what a hook decided.
type Action string

// The decisions of a hook. One that says nothing lets the call pass.
const (
	Pass    Action = "pass"
	Block   Action = "block"
	Modify  Action = "modify"
	Approve Action = "approve" // demands the person's approval; it does not give it
	Failed  Action = "failed"  // it could not be run, or answered what is no decision
)

// Result is how one hook's run ended.
type Result struct {
	Hook     config.Hook
	Action   Action
	Message  string
	Args     json.RawMessage // Modify: the arguments it gives
	Duration time.Duration
}

// The bounds on what a hook may print.
const (
	maxOutput = 1 << 20 // bytes of standard output that are read
	maxReason = 400     // characters of standard error that a block tells
)

// Run runs one hook. The whole of it, children too, ends with its timeout and
// with ctx. A failure blocks where the hook is fail_closed.
func Run(ctx context.Context, h config.Hook, in Input) Result {
	start := time.Now()
	r := Result{Hook: h}
	r.Action, r.Message, r.Args = run(ctx, h, in)
	if r.Action == Failed && h.FailClosed {
		r.Action, r.Message = Block, r.Message+" (fail_closed)"
	}
	r.Duration = time.Since(start)
	return r
}

func run(ctx context.Context, h config.Hook, in Input) (Action, string, json.RawMessage) {
	input, err := json.Marshal(in)
	if err != nil {
		return Failed, "the call cannot be written as JSON", nil
	}
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.Words[0], h.Words[1:]...)
	cmd.Stdin = bytes.NewReader(input)
	out, errOut := &bounded{max: maxOutput}, &bounded{max: maxReason * utf8.UTFMax}
	cmd.Stdout, cmd.Stderr = out, errOut
	group(cmd)
	cmd.WaitDelay = time.Second // for children that hold its output
	err = cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return Failed, fmt.Sprintf("no answer within %s (timeout)", h.Timeout), nil
	case ctx.Err() != nil:
		return Failed, "cancelled", nil
	case errors.As(err, &exit) && exit.ExitCode() == 2:
		return Block, clip(errOut.kept.String()), nil
	case errors.As(err, &exit):
		return Failed, strings.TrimSuffix(fmt.Sprintf("it ended with %s: %s", exit.ProcessState, clip(errOut.kept.String())), ": "), nil
	case errors.Is(err, exec.ErrWaitDelay): // a child of it goes on, its answer is there
	case err != nil:
		return Failed, "it cannot be run: " + innermost(err), nil
	}
	if out.over {
		return Failed, fmt.Sprintf("it printed more than the %d bytes that are read", maxOutput), nil
	}
	return decision(out.kept.Bytes())
}

// decision reads what a hook printed.
func decision(out []byte) (Action, string, json.RawMessage) {
	out = bytes.TrimSpace(out)
	if len(out) == 0 {
		return Pass, "", nil
	}
	var answer struct {
		Action    string          `json:"action"`
		Decision  string          `json:"decision"`
		Message   string          `json:"message"`
		Reason    string          `json:"reason"`
		Args      json.RawMessage `json:"args"`
		ToolInput json.RawMessage `json:"tool_input"`
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		return Failed, "its answer is no JSON object: " + clip(string(out)), nil
	}
	word, args := answer.Action, answer.Args
	if word == "" {
		word = answer.Decision
	}
	if len(args) == 0 {
		args = answer.ToolInput
	}
	message := answer.Message
	if message == "" {
		message = answer.Reason
	}
	switch word {
	case "", "pass", "allow", "continue":
		return Pass, message, nil
	case "block":
		if message == "" {
			message = "blocked by a hook"
		}
		return Block, message, nil
	case "approve":
		return Approve, message, nil
	case "modify":
		if bytes.HasPrefix(bytes.TrimSpace(args), []byte("{")) {
			return Modify, message, args
		}
		return Failed, "it asks to modify the call and gives no arguments: args has to be an object", nil
	}
	return Failed, fmt.Sprintf("its decision %q is none of block, modify and approve", clip(word)), nil
}

// clip cuts a text to what a reason tells of it.
func clip(s string) string {
	s = strings.TrimSpace(s)
	n := 0
	for i := range s {
		if n++; n > maxReason {
			return s[:i] + "…"
		}
	}
	return s
}

func innermost(err error) string {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err.Error()
		}
		err = next
	}
}

// bounded keeps the first bytes of what is written to it. The buffer is no
// embedded one, whose ReadFrom would take everything.
type bounded struct {
	kept bytes.Buffer
	max  int
	over bool
}

// Write keeps what fits and takes the rest without a word, so that a chatty
// command does not block.
func (b *bounded) Write(p []byte) (int, error) {
	if room := b.max - b.kept.Len(); room < len(p) {
		b.over = true
		b.kept.Write(p[:max(0, room)])
		return len(p), nil
	}
	return b.kept.Write(p)
}
