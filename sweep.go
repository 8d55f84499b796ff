package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"toolscope/engine"
	"toolscope/ui"
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
			if o.json {
				if err := printJSON(cmd.OutOrStdout(), newSweepReport(a)); err != nil {
					return err
				}
			} else {
				fmt.Fprint(cmd.OutOrStdout(), ui.SweepText(a))
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
