// Package hook runs the hooks of calls: commands of the person's own that see a
// call before and after it is dispatched, and may change or block it. The
// protocol is Hermes': JSON on standard input, a decision on standard output.
package hook

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
	"unicode/utf8"

	"toolscope/engine"
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
	Args     json.RawMessage // Modify: the arguments it gives, which go over the call's own key by key
	Duration time.Duration
}

// The bounds on what a hook may print.
const (
	maxOutput = 1 << 20 // bytes of standard output that are read
	maxReason = 400     // characters of standard error that a block tells
)

// Run runs one hook. The whole of it, children too, ends with its timeout and
// with ctx; what a hook that ended by itself left running goes on. A failure
// blocks where the hook is fail_closed and the call is still to come.
func Run(ctx context.Context, h config.Hook, in Input) Result {
	start := time.Now()
	r := Result{Hook: h}
	r.Action, r.Message, r.Args = run(ctx, h, in)
	if r.Action == Failed && h.FailClosed && in.Event == config.HookPre {
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
	limit, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	cmd := exec.CommandContext(limit, h.Words[0], h.Words[1:]...)
	cmd.Stdin = bytes.NewReader(input)
	out, errOut := &bounded{max: maxOutput}, &bounded{max: maxReason * utf8.UTFMax}
	cmd.Stdout, cmd.Stderr = out, errOut
	group(cmd)
	stopped := false
	kill := cmd.Cancel
	cmd.Cancel = func() error {
		stopped = true
		return kill()
	}
	cmd.WaitDelay = time.Second // for children that hold its pipes
	err = cmd.Run()
	// How the command itself ended decides: a child of it that holds a pipe
	// makes an error too, and the time may run out only after the answer.
	state := cmd.ProcessState
	switch {
	case state == nil && limit.Err() == nil:
		return Failed, "it cannot be run: " + innermost(err), nil
	case state != nil && (!stopped || state.Success()):
		return verdict(state, out, errOut)
	case ctx.Err() != nil:
		return Failed, "cancelled", nil
	}
	return Failed, fmt.Sprintf("no answer within %s (timeout)", config.Seconds(h.Timeout)), nil
}

// blockedBy is the message of a block that gives none.
const blockedBy = "blocked by a hook"

// exitBlock is the exit code that blocks.
const exitBlock = 2

// verdict reads how a command ended and what it printed. A block counts however
// the command ended.
func verdict(state *os.ProcessState, out, errOut *bounded) (Action, string, json.RawMessage) {
	action, message, args := Failed, fmt.Sprintf("it printed more than the %d bytes that are read", maxOutput), json.RawMessage(nil)
	if !out.over {
		action, message, args = decision(out.kept.Bytes())
	}
	said := clip(errOut.kept.String())
	switch {
	case action == Block, state.Success():
		return action, message, args
	case state.ExitCode() == exitBlock:
		return Block, cmp.Or(said, blockedBy), nil
	}
	return Failed, strings.TrimSuffix(fmt.Sprintf("it ended with %s: %s", state, said), ": "), nil
}

// dialect is one of the two ways in which an answer can be worded: Hermes' own
// and that of Claude Code.
type dialect struct{ verb, message, other, args string }

func dialects() []dialect {
	return []dialect{{"action", "message", "reason", "args"}, {"decision", "reason", "message", "tool_input"}}
}

// decision reads what a hook printed. Bytes that are no UTF-8 are read as
// U+FFFD, so that they take no block away.
func decision(out []byte) (Action, string, json.RawMessage) {
	out = bytes.TrimSpace(bytes.ToValidUTF8(out, []byte("\ufffd")))
	if len(out) == 0 {
		return Pass, "", nil
	}
	var answer map[string]json.RawMessage
	if err := json.Unmarshal(out, &answer); err != nil || answer == nil {
		return Failed, "its answer is no JSON object: " + clip(string(out)), nil
	}
	for _, d := range dialects() {
		if text(answer[d.verb]) == "block" {
			return Block, cmp.Or(text(answer[d.message]), text(answer[d.other]), blockedBy), nil
		}
	}
	for _, d := range dialects() {
		if text(answer[d.verb]) == "modify" {
			return modification(d, answer)
		}
	}
	message := cmp.Or(text(answer["message"]), text(answer["reason"]))
	if text(answer["action"]) == "approve" {
		return Approve, message, nil
	}
	for _, d := range dialects() {
		word := answer[d.verb]
		switch text(word) {
		case "pass", "allow", "continue":
		case "approve": // as a decision it is Claude Code's word for allow
		default:
			if len(word) > 0 && string(word) != "null" && string(word) != `""` {
				return Failed, fmt.Sprintf("its %s %s is none of block, modify and approve", d.verb, clip(string(word))), nil
			}
		}
	}
	if answer["action"] == nil && answer["decision"] == nil && message == "" && len(answer) > 0 {
		message = "its answer has neither action nor decision, and so decides nothing: " + clip(string(out))
	}
	return Pass, message, nil
}

// modification reads the arguments of an answer that modifies the call.
func modification(d dialect, answer map[string]json.RawMessage) (Action, string, json.RawMessage) {
	args, err := engine.Canonical(answer[d.args])
	switch {
	case !bytes.HasPrefix(answer[d.args], []byte("{")):
		return Failed, fmt.Sprintf("it asks to modify the call and gives no arguments: %s has to be an object", d.args), nil
	case err != nil:
		return Failed, "the arguments it gives cannot be used: " + err.Error(), nil
	}
	return Modify, cmp.Or(text(answer[d.message]), text(answer[d.other])), args
}

// text is the text of a JSON string, "" of anything else.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
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
