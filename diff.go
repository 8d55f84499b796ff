package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"toolscope/engine"
	"toolscope/ui/display"
)

// diffReport is what `assemble --diff A B --json` prints.
type diffReport struct {
	A    assemblyReport `json:"a"`
	B    assemblyReport `json:"b"`
	Diff toolsDiff      `json:"diff"`
}

// toolsDiff is what became of the tools array, with each side's short hash.
type toolsDiff struct {
	HashA string `json:"hash_a"`
	HashB string `json:"hash_b"`
	engine.Diff
}

// diff compares the assemblies of two settings or snapshots.
func (o *options) diff(cmd *cobra.Command, a, b string) error {
	var base *world // of the servers; not needed where both sides are snapshots
	sides := make([]world, 2)
	for i, operand := range []string{a, b} {
		s, err := o.side(cmd.Context(), operand, &base)
		if err != nil {
			return err
		}
		sides[i] = s
	}
	before, after := sides[0].assemble(), sides[1].assemble()
	report := diffReport{
		A:    newAssemblyReport(before, append(sides[0].warnings, before.Warnings...)),
		B:    newAssemblyReport(after, append(sides[1].warnings, after.Warnings...)),
		Diff: toolsDiff{before.Hash(), after.Hash(), engine.Compare(before, after)},
	}
	if report.Diff.Changes == nil {
		report.Diff.Changes = []engine.Change{}
	}
	if o.json {
		if err := printJSON(cmd.OutOrStdout(), report); err != nil {
			return err
		}
	} else {
		report.print(cmd.OutOrStdout(), a, b)
	}
	if base == nil {
		return nil
	}
	return o.partial(cmd, *base)
}

// side reads one operand: a snapshot file, or KEY=VALUE settings separated by
// commas that are laid over the configuration; "." is the configuration as it
// is.
func (o *options) side(ctx context.Context, operand string, base **world) (world, error) {
	given := *o
	if _, err := os.Stat(operand); err == nil && operand != "." {
		given.snapshot = operand
		return given.world(ctx)
	}
	if operand != "." && !strings.Contains(operand, "=") {
		return world{}, fmt.Errorf("--diff %s: there is no such file, and it is no KEY=VALUE; give a snapshot, settings such as listing_max_tokens=1200,threshold_pct=2, or . for the settings as they are", operand)
	}
	if *base == nil {
		w, err := o.world(ctx)
		if err != nil {
			return world{}, err
		}
		*base = &w
	}
	w := **base
	given.set = nil
	given.contextGiven = func() bool { return false }
	for _, setting := range strings.Split(operand, ",") {
		key, value, _ := strings.Cut(setting, "=")
		switch strings.TrimSpace(key) {
		case ".":
		case "context_length":
			n, err := strconv.Atoi(strings.TrimSpace(value))
			if err != nil {
				return world{}, fmt.Errorf("--diff %s: context_length is %q: a number of tokens is needed", operand, value)
			}
			given.contextLength = n
			given.contextGiven = func() bool { return true }
		case "session":
			given.session = strings.TrimSpace(value)
			scope, err := given.scope(w.config)
			if err != nil {
				return world{}, err
			}
			w.scope = scope
		default:
			given.set = append(given.set, setting)
		}
	}
	before := len(w.config.Warnings)
	cfg, err := given.overlay(w.config)
	if err != nil {
		return world{}, err
	}
	w.config = cfg
	w.warnings = append(append([]engine.Warning{}, cfg.Warnings...), w.warnings[before:]...)
	return w, nil
}

// print writes the two sides and what changed between them for a person.
func (r diffReport) print(out io.Writer, a, b string) {
	fmt.Fprintf(out, "A  %s\nB  %s\n\n", display.Text(a), display.Text(b))
	row := func(name string, before, after any) {
		x, y := fmt.Sprint(before), fmt.Sprint(after)
		mark := " "
		if x != y {
			mark = "≠"
		}
		fmt.Fprintf(out, "%s %-9s %-22s %s\n", mark, name, x, y)
	}
	row("tier", r.A.Tier, r.B.Tier)
	row("form", r.A.Form, r.B.Form)
	row("budget", r.A.Budget.Tokens, r.B.Budget.Tokens)
	row("listing", r.A.Listing.Tokens, r.B.Listing.Tokens)
	row("visible", r.A.Visible.Tokens, r.B.Visible.Tokens)
	row("bridge", r.A.Bridge.Tokens, r.B.Bridge.Tokens)
	row("deferred", r.A.Deferred.Count, r.B.Deferred.Count)
	row("hash", r.Diff.HashA, r.Diff.HashB)
	fmt.Fprintln(out)
	if !r.Diff.Changed {
		fmt.Fprintf(out, "The tools array is the same, byte for byte: a prompt cache keeps all %d tokens.\n", r.Diff.KeptTokens)
		return
	}
	fmt.Fprintf(out, "The tools array changed: a prompt cache keeps its first %d tokens, %d are read anew.\n", r.Diff.KeptTokens, r.Diff.LostTokens)
	for _, c := range r.Diff.Changes {
		fmt.Fprintf(out, "  %s", c.Part)
		if c.Name != "" {
			fmt.Fprintf(out, " %s", display.Text(c.Name))
		}
		fmt.Fprintf(out, ": %s\n", display.Text(c.What))
	}
}
