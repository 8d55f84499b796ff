package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"toolscope/engine"
	"toolscope/mcpconn/config"
	"toolscope/mcpconn/hook"
	"toolscope/mcpconn/state"
	"toolscope/ui/display"
)

func newHooks(o *options) *cobra.Command {
	var f hooksFlags
	cmd := &cobra.Command{
		Use:   "hooks",
		Short: "List the hooks of calls: what each matches, and whether you consented to it",
		Long: `List the hooks of calls (pre_tool_call and post_tool_call) with their matchers, the
deferred tools each matches, and whether you have consented to its command. With
--test TOOL the hooks that match it are run on --args, those you consented to; with
--accept-hooks all of them. --consent and --revoke remember and forget a command.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.hooks(cmd, f) },
	}
	cmd.Flags().StringVar(&f.test, "test", "", "run the hooks that see calls of `TOOL`, a wire name")
	cmd.Flags().StringVar(&f.arguments, "args", "{}", "the arguments of the call, as `JSON`")
	cmd.Flags().BoolVar(&f.accept, "accept-hooks", false, "run hooks without consent too, this once")
	cmd.Flags().StringArrayVar(&f.consent, "consent", nil, "consent to exactly this `COMMAND`")
	cmd.Flags().StringArrayVar(&f.revoke, "revoke", nil, "take the consent to `COMMAND` back")
	return cmd
}

// hooksFlags is what is asked of the hooks.
type hooksFlags struct {
	test      string
	arguments string
	accept    bool
	consent   []string
	revoke    []string
}

// hookReport is one hook, as `hooks --json` prints it.
type hookReport struct {
	Event     config.HookEvent `json:"event"`
	Matcher   string           `json:"matcher"`
	Command   string           `json:"command"`
	Timeout   float64          `json:"timeout"` // seconds
	Closed    bool             `json:"fail_closed"`
	Matches   []string         `json:"matches"` // deferred tools
	Consented bool             `json:"consented"`
	From      string           `json:"from"`
}

func (o *options) hooks(cmd *cobra.Command, f hooksFlags) error {
	if cmd.Flags().Changed("args") && f.test == "" {
		return errors.New("--args is the call that --test tries: give --test TOOL too")
	}
	consents := o.consents()
	w, err := o.world(cmd.Context())
	if err != nil {
		return err
	}
	for _, command := range f.consent {
		if !slices.ContainsFunc(w.config.Hooks, func(h config.Hook) bool { return h.Command == command }) {
			return exitError{exitNo, fmt.Errorf("--consent: no hook of this configuration has the command %q; toolscope hooks lists them", command)}
		}
		if err := consents.Add(command); err != nil {
			return err
		}
	}
	for _, command := range f.revoke {
		if !consents.Has(command) {
			return exitError{exitNo, fmt.Errorf("--revoke: you have not consented to the command %q", command)}
		}
		if err := consents.Revoke(command); err != nil {
			return err
		}
	}
	for _, warning := range w.config.Warnings {
		if strings.HasPrefix(warning.Key, "hooks") {
			fmt.Fprintln(cmd.ErrOrStderr(), "toolscope: warning: "+display.Text(warning.String()))
		}
	}
	a := w.assemble()
	if f.test != "" {
		return o.testHooks(cmd, w, a, f)
	}
	reports := []hookReport{}
	for _, h := range w.config.Hooks {
		r := hookReport{h.Event, h.Matcher, h.Command, h.Timeout.Seconds(), h.FailClosed, []string{}, consents.Has(h.Command), fmt.Sprintf("%s:%d", h.File, h.Line)}
		for _, d := range a.Deferred {
			if h.Matches(d.Name) {
				r.Matches = append(r.Matches, d.Name)
			}
		}
		reports = append(reports, r)
	}
	if o.json {
		err = printJSON(cmd.OutOrStdout(), map[string]any{"hooks": reports})
	} else {
		printHooks(cmd.OutOrStdout(), reports)
	}
	if err != nil {
		return err
	}
	return o.partial(cmd, w)
}

// printHooks writes the hooks for a person.
func printHooks(out io.Writer, reports []hookReport) {
	if len(reports) == 0 {
		fmt.Fprintln(out, "no hooks of calls are configured (hooks.pre_tool_call, hooks.post_tool_call)")
	}
	for _, r := range reports {
		matcher := r.Matcher
		if matcher == "" {
			matcher = "(every tool)"
		}
		consent := "not consented: it does not run"
		if r.Consented {
			consent = "consented"
		}
		fmt.Fprintf(out, "%s  %s  %s\n  %s\n  %s, from %s\n", r.Event, display.Text(matcher), display.Text(r.Command), matched(r.Matches), consent, display.Text(r.From))
	}
}

// matched names the first tools of a list and counts the others.
func matched(tools []string) string {
	const most = 5
	if len(tools) == 0 {
		return "matches none of the deferred tools"
	}
	shown := display.Text(strings.Join(tools[:min(most, len(tools))], ", "))
	if more := len(tools) - most; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	return "matches " + shown
}

// hookTest is what the hooks of one event made of a call, as `hooks --test
// --json` prints it.
type hookTest struct {
	Event     config.HookEvent `json:"event"`
	Outcome   engine.Outcome   `json:"outcome"`
	Reason    string           `json:"reason"`
	Demand    string           `json:"demand,omitempty"` // why a person must agree
	Arguments json.RawMessage  `json:"arguments,omitempty"`
	Hooks     []hookRun        `json:"hooks"` // those that ran, in order
}

// hookRun is how one hook ended.
type hookRun struct {
	Command string      `json:"command"`
	Action  hook.Action `json:"action"`
	Message string      `json:"message"`
	MS      float64     `json:"ms"`
}

// testHooks runs the hooks that see a call, and nothing else of it.
func (o *options) testHooks(cmd *cobra.Command, w world, a engine.Assembly, f hooksFlags) error {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(f.arguments), &object) != nil || object == nil {
		return errors.New("--args: no JSON object")
	}
	if !slices.ContainsFunc(a.Deferred, func(d engine.Definition) bool { return d.Name == f.test }) {
		fmt.Fprintf(cmd.ErrOrStderr(), "toolscope: warning: no deferred tool is named %s; hooks are matched by the name all the same\n", display.Text(f.test))
	}
	in := hook.Input{Tool: f.test, Args: json.RawMessage(f.arguments), Session: o.session, Dir: workDir(), Extra: map[string]any{}}
	before, ran := hook.Before(cmd.Context(), w.config.Hooks, in, o.accepts(f.accept))
	tests := []hookTest{newHookTest(config.HookPre, before, ran)}
	if before.Outcome == engine.OutcomeChanged {
		tests[0].Arguments, in.Args = before.Output, before.Output
	}
	after, ran := hook.After(cmd.Context(), w.config.Hooks, in, o.accepts(f.accept))
	tests = append(tests, newHookTest(config.HookPost, after, ran))
	var verdict error
	if before.Outcome == engine.OutcomeBlocked {
		verdict = exitError{exitNo, errors.New("the hooks block the call")}
	}
	if o.json {
		return cmp.Or(printJSON(cmd.OutOrStdout(), map[string]any{"tool": f.test, "events": tests}), verdict)
	}
	out := cmd.OutOrStdout()
	for _, t := range tests {
		fmt.Fprintf(out, "%s  %s: %s\n", t.Event, t.Outcome, display.Text(t.Reason))
		for _, r := range t.Hooks {
			fmt.Fprintf(out, "  %s  %s  %.1f ms", display.Text(r.Command), r.Action, r.MS)
			if r.Message != "" {
				fmt.Fprintf(out, "  %s", display.Text(r.Message))
			}
			fmt.Fprintln(out)
		}
		if t.Arguments != nil {
			fmt.Fprintf(out, "  arguments now %s\n", display.Text(string(t.Arguments)))
		}
		if t.Demand != "" {
			fmt.Fprintf(out, "  %s\n", display.Text(t.Demand))
		}
	}
	return verdict
}

func newHookTest(event config.HookEvent, v engine.Verdict, ran []hook.Result) hookTest {
	t := hookTest{Event: event, Outcome: v.Outcome, Reason: v.Reason, Demand: v.Demand, Hooks: []hookRun{}}
	for _, r := range ran {
		t.Hooks = append(t.Hooks, hookRun{r.Hook.Command, r.Action, r.Message, float64(r.Duration.Microseconds()) / 1000})
	}
	return t
}

// consents are the person's own.
func (o *options) consents() state.Consents {
	home, err := os.UserHomeDir()
	if err != nil {
		return state.Consents{}
	}
	return state.NewConsents(state.Dir(o.getenv, home))
}

// accepts reports which hooks may run.
func (o *options) accepts(all bool) func(config.Hook) bool {
	consents := o.consents()
	return func(h config.Hook) bool { return all || consents.Has(h.Command) }
}

// workDir is the present folder, "" where it is not known.
func workDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return dir
}
