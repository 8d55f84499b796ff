package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/mattn/go-isatty"
	"github.com/spf13/cobra"

	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/mcpconn/hook"
	"toolscope/ui/display"
)

func newCall(o *options) *cobra.Command {
	var f callFlags
	cmd := &cobra.Command{
		Use:   "call NAME",
		Short: "Run a bridged call through its stages, simulated or live",
		Long: `Run a tool_call of NAME through its stages, as the agent would: unwrapped,
looked up in the session's scope, its arguments held against the tool's schema,
guarded, approved and dispatched. The dispatch is simulated, no server is called,
unless --live is given; then a tool that does not say that it only reads needs
your approval too, and the progress its server tells goes to standard error.
Where approval is demanded you are asked on the terminal;
--yes agrees beforehand. It exits with 1 where a stage blocks the call, and where
a live call fails.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf(`call needs one tool's wire name, such as: toolscope call mcp_github_create_issue --args '{"title":"x"}'`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return o.call(cmd, args[0], f) },
	}
	cmd.Flags().StringVar(&f.arguments, "args", "{}", "the tool's arguments as `JSON`")
	cmd.Flags().BoolVar(&f.hooks, "accept-hooks", false, "run the hooks that match without having consented to each")
	cmd.Flags().BoolVar(&f.live, "live", false, "dispatch the call to its server")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "approve the call where approval is demanded")
	return cmd
}

// callFlags is what is asked of a call.
type callFlags struct {
	arguments string
	yes       bool
	live      bool
	hooks     bool // run hooks without consent too
}

func (o *options) call(cmd *cobra.Command, name string, f callFlags) error {
	if f.live && o.snapshot != "" {
		return errors.New("--live needs the servers themselves, not a snapshot")
	}
	o.keep = f.live
	w, err := o.world(cmd.Context())
	if err != nil {
		return err
	}
	defer w.close()
	a := w.assemble()
	runners := engine.Runners{Live: f.live, Hooks: len(w.config.Hooks) > 0}
	flow := engine.Begin(engine.CallJSON(name, json.RawMessage(f.arguments)), runners)
	for !flow.Done() {
		switch flow.Waits() {
		case engine.StageApproval:
			flow = flow.Settle(f.approve(cmd, flow))
			continue
		case engine.StageDispatch:
			flow = flow.Settle(w.dispatch(cmd.Context(), flow, progressLines(cmd.ErrOrStderr())))
			continue
		case engine.StagePreHooks:
			v, _ := hook.Before(cmd.Context(), w.config.Hooks, hook.InputOf(flow, o.session, workDir()), o.accepts(f.hooks))
			flow = flow.Settle(v)
			continue
		case engine.StagePostHooks:
			v, _ := hook.After(cmd.Context(), w.config.Hooks, hook.InputOf(flow, o.session, workDir()), o.accepts(f.hooks))
			flow = flow.Settle(v)
			continue
		}
		start := time.Now()
		flow = flow.Step(a)
		flow = flow.Timed(time.Since(start))
	}
	report := newCallReport(flow)
	if o.json {
		err = printJSON(cmd.OutOrStdout(), report)
	} else {
		printCall(cmd.OutOrStdout(), flow)
	}
	if err != nil {
		return err
	}
	if flow.Status == engine.StatusBlocked {
		return no("the call was blocked")
	}
	if flow.Status == engine.StatusError {
		return no("the call failed")
	}
	return o.partial(cmd, w)
}

// dispatch calls the server of a flow that waits for that; progress is told how
// far it has come.
func (w world) dispatch(ctx context.Context, flow engine.Flow, progress func(mcpconn.Progress)) engine.Verdict {
	start := time.Now()
	if flow.Server == "" {
		return engine.Dispatched(nil, errors.New("a plugin's tool runs inside Hermes and cannot be called from here"), 0)
	}
	result, err := w.hub.Call(ctx, flow.Server, flow.Own, flow.Arguments, progress)
	return engine.Dispatched(result, err, time.Since(start))
}

// approve asks the person on the terminal; where there is none, nobody agrees.
func (f callFlags) approve(cmd *cobra.Command, flow engine.Flow) engine.Verdict {
	if f.yes {
		return engine.Verdict{Outcome: engine.OutcomePassed, Reason: "approved by --yes"}
	}
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !isatty.IsTerminal(in.Fd()) {
		return engine.Verdict{Outcome: engine.OutcomeBlocked, Reason: "approval is demanded and there is nobody to ask: --yes agrees beforehand"}
	}
	out := cmd.ErrOrStderr()
	for _, d := range flow.Demands {
		fmt.Fprintf(out, "%s: %s\n", d.By, display.Text(d.Reason))
	}
	fmt.Fprintf(out, "Call %s with %s? [y/N] ", display.Text(flow.Tool), display.Clip(string(flow.Arguments), 400))
	start := time.Now()
	answer, _ := bufio.NewReader(in).ReadString('\n')
	v := engine.Verdict{Outcome: engine.OutcomeBlocked, Reason: "denied by the person", Duration: time.Since(start)}
	if word := strings.ToLower(strings.TrimSpace(answer)); word == "y" || word == "yes" {
		v.Outcome, v.Reason = engine.OutcomePassed, "approved by the person"
	}
	return v
}

// callReport is what `call --json` prints.
type callReport struct {
	Tool   string          `json:"tool"`
	Stages []stageReport   `json:"stages"`
	Result json.RawMessage `json:"result"`
}

type stageReport struct {
	Stage   engine.StageName `json:"stage"`
	Outcome engine.Outcome   `json:"outcome"`
	Reason  string           `json:"reason"`
	MS      float64          `json:"ms"`
	Input   json.RawMessage  `json:"input"` // null where the stage was not reached
	Output  json.RawMessage  `json:"output"`
}

func newCallReport(f engine.Flow) callReport {
	r := callReport{Tool: f.Tool, Result: f.Result}
	for _, s := range f.Stages {
		r.Stages = append(r.Stages, stageReport{s.Name, s.Outcome, s.Reason, float64(s.Duration.Microseconds()) / 1000, s.Input, s.Output})
	}
	return r
}

// printCall writes a flow for a person, a stage a line.
func printCall(out io.Writer, f engine.Flow) {
	fmt.Fprintf(out, "%s\n", display.Text(f.Tool))
	for _, s := range f.Stages {
		fmt.Fprintf(out, "  %-14s  %-11s", s.Name, s.Outcome)
		if s.Reason != "" {
			fmt.Fprintf(out, "  %s", display.Text(s.Reason))
		}
		fmt.Fprintln(out)
		if s.Outcome == engine.OutcomeChanged {
			fmt.Fprintf(out, "  %-14s  %-11s  %s\n", "", "", display.Clip(string(s.Output), 2000))
		}
	}
	fmt.Fprintf(out, "result  %s\n", display.Clip(string(f.Result), 8000))
}
