package main

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"toolscope/engine"
	"toolscope/ui/display"
)

func newSweep(o *options) *cobra.Command {
	return &cobra.Command{
		Use:   "sweep",
		Short: "Print the least budget at which each form and each collapse happens",
		Long: `Print every step of the ladder with the least listing budget at which it is the
answer, and what listing_max_tokens and threshold_pct must be for that. A step
that can never be the answer, since an earlier one costs no more, has no
threshold; neither has one beyond 60,000 tokens or 100 % of the context.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w, err := o.world(cmd.Context())
			if err != nil {
				return err
			}
			a := w.assemble()
			report := newSweepReport(a)
			if o.json {
				if err := printJSON(cmd.OutOrStdout(), report); err != nil {
					return err
				}
			} else {
				report.print(cmd.OutOrStdout(), a)
			}
			return o.partial(cmd, w)
		},
	}
}

// sweepReport is what `sweep --json` prints.
type sweepReport struct {
	Thresholds []thresholdReport `json:"thresholds"`
}

// thresholdReport is one step of the ladder; nil is no threshold.
type thresholdReport struct {
	Tokens           *int        `json:"tokens"`
	Form             engine.Form `json:"form"`
	Collapsed        string      `json:"collapsed"`
	ListingMaxTokens *int        `json:"listing_max_tokens"` // the least value, the other leg allowing it
	ThresholdPct     *float64    `json:"threshold_pct"`      // nil too where the context is unknown
}

func newSweepReport(a engine.Assembly) sweepReport {
	r := sweepReport{Thresholds: []thresholdReport{}}
	for _, t := range a.Thresholds() {
		row := thresholdReport{Form: t.Form, Collapsed: t.Collapsed}
		if need, ok := a.NeedForStep(t); ok {
			row.Tokens, row.ListingMaxTokens, row.ThresholdPct = &t.Tokens, need.ListingMaxTokens, need.ThresholdPct
		}
		r.Thresholds = append(r.Thresholds, row)
	}
	return r
}

// print writes the thresholds for a person, the richest form first.
func (r sweepReport) print(out io.Writer, a engine.Assembly) {
	if len(r.Thresholds) == 0 {
		why := "tier 0: nothing is deferred, so there is no listing to fit"
		if a.Activated {
			why = "listing: off, so there is no ladder"
		}
		fmt.Fprintln(out, why)
		return
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "form\tfrom tokens\tlisting_max_tokens\tthreshold_pct\t  collapse")
	for i, row := range r.Thresholds {
		tokens, limit, pct, note := "never", "–", "–", ""
		if row.Tokens != nil {
			tokens = strconv.Itoa(*row.Tokens)
			limit = strconv.Itoa(*row.ListingMaxTokens)
		}
		if row.ThresholdPct != nil {
			pct = strconv.FormatFloat(*row.ThresholdPct, 'f', 2, 64)
		}
		if row.Collapsed != "" {
			note = display.Text(row.Collapsed) + " → one line"
		}
		if i == a.Chosen() {
			note += "  ← now"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t  %s\n", row.Form, tokens, limit, pct, note)
	}
	t.Flush()
}
