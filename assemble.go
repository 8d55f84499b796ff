package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"toolscope/budget"
	"toolscope/engine"
	"toolscope/ui/display"
)

func newAssemble(o *options) *cobra.Command {
	var gate assembleGate
	var diff bool
	cmd := &cobra.Command{
		Use:   "assemble [--diff A B]",
		Short: "Print the tier, the form, the ladder, each server's cost and the listing",
		Long: `Assemble what the model would be given and print the decision with its reasons.
With --expect-tier and --expect-listed the command is a gate for scripts: it
exits with 1 where the assembly is not as expected.

With --diff it compares two assemblies, A and B: each a snapshot file, settings
such as listing_max_tokens=1200,threshold_pct=2 (also context_length, tool_names
and session), or . for the settings as they are. It says what changed in the
tools array, and how much of it a prompt cache keeps.`,
		Example: `  toolscope assemble --expect-tier 1 --expect-listed github
  toolscope assemble --diff . listing_max_tokens=1200`,
		Args: func(cmd *cobra.Command, args []string) error {
			if !diff {
				return noArgs(cmd, args)
			}
			if len(args) != 2 {
				return fmt.Errorf("--diff needs two sides, A and B, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if diff {
				return o.diff(cmd, args[0], args[1])
			}
			gate.tierGiven = cmd.Flags().Changed("expect-tier")
			return o.assemble(cmd, gate)
		},
	}
	cmd.Flags().BoolVar(&diff, "diff", false, "compare the assemblies of two sides, A and B, instead")
	cmd.Flags().IntVar(&gate.tier, "expect-tier", 0, "exit 1 unless the tier is `N`")
	cmd.Flags().StringArrayVar(&gate.listed, "expect-listed", nil, "exit 1 unless the tools of `SERVER` are listed by name; may be repeated")
	return cmd
}

// assembleGate is what an assembly is expected to be.
type assembleGate struct {
	tier      int
	tierGiven bool
	listed    []string // server or plugin names
}

// check returns the "no" that an assembly means, nil if it is as expected.
func (g assembleGate) check(a engine.Assembly) error {
	if g.tierGiven && a.Tier != g.tier {
		return no("expected tier %d, got tier %d (form %s)", g.tier, a.Tier, a.Form)
	}
	modes := map[string]engine.Mode{}
	for _, group := range a.Groups {
		modes[group.Label] = group.Mode
	}
	for _, name := range g.listed {
		switch mode, ok := modes[engine.Label(name)]; {
		case !ok:
			return no("expected %s to be listed; it has no tools in this session", name)
		case mode == engine.ModeEager:
			return no("expected %s to be listed; its tools are not deferred (tier 0)", name)
		case mode != engine.ModeFull && mode != engine.ModeNames:
			return no("expected %s to be listed; its mode is %s", name, mode)
		}
	}
	return nil
}

func (o *options) assemble(cmd *cobra.Command, gate assembleGate) error {
	w, err := o.world(cmd.Context())
	if err != nil {
		return err
	}
	a := w.assemble()
	report := newAssemblyReport(a, append(w.warnings, a.Warnings...))
	if o.json {
		if err := printJSON(cmd.OutOrStdout(), report); err != nil {
			return err
		}
	} else {
		report.print(cmd.OutOrStdout())
	}
	if err := gate.check(a); err != nil {
		return err
	}
	return o.partial(cmd, w)
}

// assemblyReport is what `assemble --json` prints.
type assemblyReport struct {
	Tier          int              `json:"tier"`
	Form          engine.Form      `json:"form"`
	Activated     bool             `json:"activated"`
	OverBudget    bool             `json:"over_budget"`
	Budget        budget.Listing   `json:"budget"`
	ContextLength *int             `json:"context_length"` // null: unknown
	Config        configReport     `json:"config"`
	Warnings      []engine.Warning `json:"warnings"`
	Visible       countReport      `json:"visible"`
	Deferred      countReport      `json:"deferred"`
	Bridge        tokensReport     `json:"bridge"`
	Listing       engine.Listing   `json:"listing"`
	Ladder        []engine.Step    `json:"ladder"`
	Servers       []groupReport    `json:"servers"`
	VisibleTools  []string         `json:"visible_tools"`
}

type configReport struct {
	engine.ToolSearch
	ToolNames engine.NameStyle `json:"tool_names"`
}

type countReport struct {
	Count  int `json:"count"`
	Tokens int `json:"tokens"`
}

type tokensReport struct {
	Tokens int `json:"tokens"`
}

// groupReport is one group; its name is the label.
type groupReport struct {
	Name   string            `json:"name"`
	Source engine.Source     `json:"source"`
	Tools  int               `json:"tools"`
	Mode   engine.Mode       `json:"mode"`
	Tokens engine.FormTokens `json:"tokens"`
}

func newAssemblyReport(a engine.Assembly, warnings []engine.Warning) assemblyReport {
	r := assemblyReport{
		Tier: a.Tier, Form: a.Form, Activated: a.Activated, OverBudget: a.OverBudget, Budget: a.Budget,
		Config:       configReport{a.Config.ToolSearch, a.Config.ToolNames},
		Warnings:     append([]engine.Warning{}, warnings...),
		Visible:      countReport{len(a.Visible), a.VisibleTokens},
		Deferred:     countReport{len(a.Deferred), a.DeferredTokens},
		Bridge:       tokensReport{a.BridgeTokens},
		Listing:      a.Listing,
		Ladder:       append([]engine.Step{}, a.Ladder...),
		Servers:      []groupReport{},
		VisibleTools: []string{},
	}
	if n := a.Config.ContextLength; n > 0 {
		r.ContextLength = &n
	}
	for _, g := range a.Groups {
		r.Servers = append(r.Servers, groupReport{g.Label, g.Source, g.Tools, g.Mode, g.Tokens})
	}
	for _, d := range a.Visible {
		r.VisibleTools = append(r.VisibleTools, d.Name)
	}
	for _, d := range a.Bridges {
		r.VisibleTools = append(r.VisibleTools, d.Name)
	}
	return r
}

// print writes the report for a person.
func (r assemblyReport) print(out io.Writer) {
	fmt.Fprintf(out, "tier %d · form %s", r.Tier, r.Form)
	if r.OverBudget {
		fmt.Fprint(out, " · over budget (listing: on)")
	}
	context := "unknown (set toolscope.context_length, or --context-length)"
	if r.ContextLength != nil {
		context = fmt.Sprintf("%d tokens", *r.ContextLength)
	}
	fmt.Fprintf(out, "\ncontext  %s\n", context)
	fmt.Fprintf(out, "budget   %d tokens = min(listing_max_tokens %d, threshold_pct leg %d), bound by %s\n",
		r.Budget.Tokens, r.Budget.CapLeg, r.Budget.PercentLeg, r.Budget.BoundBy)
	fmt.Fprintf(out, "visible  %d tools, %d tokens\n", r.Visible.Count, r.Visible.Tokens)
	fmt.Fprintf(out, "deferred %d tools, %d tokens\n", r.Deferred.Count, r.Deferred.Tokens)
	fmt.Fprintf(out, "bridge   %d tokens, of which the listing %d\n", r.Bridge.Tokens, r.Listing.Tokens)

	if len(r.Ladder) > 0 {
		fmt.Fprintln(out, "\nladder")
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		chosen := false
		for _, s := range r.Ladder {
			mark := "✗"
			if s.Fits {
				mark = "✓"
			}
			note := ""
			if s.Collapsed != "" {
				note = "summarises " + display.Text(s.Collapsed)
			}
			if s.Fits && !chosen {
				chosen = true
				note = strings.TrimSpace(note + "  ← this one")
			}
			fmt.Fprintf(t, "%s\t%d\t%s\t%d\t  %s\n", mark, s.Step, s.Form, s.Tokens, note)
		}
		t.Flush()
	}
	if len(r.Servers) > 0 {
		fmt.Fprintln(out, "\nservers")
		t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "tools\tfull\tnames\tsummary\tnow\t  name")
		for _, s := range r.Servers {
			fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%s\t  %s\n", s.Tools, s.Tokens.Full, s.Tokens.Names, s.Tokens.Summary, s.Mode, display.Text(s.Name))
		}
		t.Flush()
	}
	if len(r.Warnings) > 0 {
		fmt.Fprintln(out, "\nwarnings")
		for _, w := range r.Warnings {
			fmt.Fprintf(out, "  %s\n", display.Text(w.String()))
		}
	}
	if r.Listing.Text != "" {
		fmt.Fprintf(out, "\nlisting (%d characters)\n%s\n", r.Listing.Chars, display.Block(r.Listing.Text))
	}
}

// printJSON writes v as JSON that is safe on a terminal.
func printJSON(out io.Writer, v any) error {
	data, err := display.JSON(v)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	return err
}
