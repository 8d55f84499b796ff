package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"toolscope/engine"
	"toolscope/mcpconn/config"
	"toolscope/ui/display"
)

func newEval(o *options) *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval FILE",
		Short: "Run a set of queries and print how well they find the tools they should",
		Long: `Run every query of FILE (- is standard input) through tool_search and print where
the tools it should find stand, why those are missed that are, the share of
queries with a wanted tool in the first place, the first three and the limit
(hit@k), and the mean of 1 ÷ rank (MRR), where a miss counts 0.

FILE is YAML: a list of cases, at the top or under the key queries.

  - query: open a ticket
    expect: create_issue   # or a list, of which any one counts
    limit: 3               # where it is not the common one

A tool goes by its wire name, under either style of tool_names, or by its server's
own name for it. Or FILE is text, a line a case: a query, => or a tab, and a tool,
or several with commas between them. Or JSON: the same objects, one a line or a
list of them. Lines that begin with # are left out.`,
		Example: `  toolscope eval queries.yaml
  toolscope eval queries.yaml --min-hit 0.9 --limit 3
  echo 'open a ticket => create_issue' | toolscope eval -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("eval needs one file of queries, such as: toolscope eval queries.yaml (- is standard input)")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.limited = cmd.Flags().Changed("limit")
			f.gated = cmd.Flags().Changed("min-hit")
			return o.eval(cmd, args[0], f)
		},
	}
	cmd.Flags().IntVar(&f.limit, "limit", 0, "matches per query, but for those with a limit of their own (default: search_default_limit)")
	cmd.Flags().StringVar(&f.minHit, "min-hit", "", "exit 1 where less than this `SHARE` of the queries, from 0 to 1, finds a wanted tool within the limit")
	return cmd
}

// evalFlags is what is asked of an evaluation.
type evalFlags struct {
	limit   int
	limited bool   // a limit was given
	minHit  string // a share from 0 to 1
	gated   bool   // a least share was given
}

// share returns the least share of hits, 0 where none is asked for.
func (f evalFlags) share() (float64, error) {
	if !f.gated {
		return 0, nil
	}
	share, err := strconv.ParseFloat(strings.TrimSpace(f.minHit), 64)
	if err != nil || !(share >= 0 && share <= 1) {
		return 0, fmt.Errorf("--min-hit %s: a share from 0 to 1 is needed, such as 0.9", f.minHit)
	}
	return share, nil
}

// evalReport is what `eval --json` prints. The shares are of all cases, from 0
// to 1.
type evalReport struct {
	Limit      int                 `json:"limit"`
	Count      int                 `json:"count"`
	Hits       int                 `json:"hits"` // cases within the limit
	HitAt1     float64             `json:"hit_at_1"`
	HitAt3     float64             `json:"hit_at_3"` // at the limit, where that is less
	HitAtLimit float64             `json:"hit_at_limit"`
	MRR        float64             `json:"mrr"`
	Absent     int                 `json:"absent"` // cases that want a name no search can find
	Cases      []engine.CaseResult `json:"cases"`
}

func (o *options) eval(cmd *cobra.Command, path string, f evalFlags) error {
	least, err := f.share()
	if err != nil {
		return err
	}
	if path == "-" && o.snapshot == "-" {
		return errors.New("the queries and --snapshot cannot both be standard input: give one of them as a file")
	}
	cases, err := o.readCases(path)
	if err != nil {
		return err
	}
	w, err := o.world(cmd.Context())
	if err != nil {
		return err
	}
	if f.limited {
		f.limit = max(1, f.limit) // 0 would ask for the default
	}
	a := w.assemble()
	var results []engine.CaseResult
	for _, c := range cases {
		// Thousands of misses in a giant catalog take a while.
		if err := cmd.Context().Err(); err != nil {
			return exitError{exitNo, err}
		}
		results = append(results, a.EvaluateCase(c, f.limit, w.session(), w.absent))
	}
	e := a.Measure(results, f.limit)
	if o.json {
		err = printJSON(cmd.OutOrStdout(), evalReport{
			Limit: e.Limit, Count: len(e.Cases), Hits: e.Hits, HitAt1: e.Share(e.At1), HitAt3: e.Share(e.At3),
			HitAtLimit: e.Share(e.Hits), MRR: e.MRR, Absent: e.Absent, Cases: e.Cases,
		})
	} else {
		printEval(cmd.OutOrStdout(), a, e)
	}
	if err != nil {
		return err
	}
	// A server that failed is told of even where the gate is the answer.
	failed := o.partial(cmd, w)
	if f.gated && e.Share(e.Hits) < least {
		return no("%d of %d queries find a wanted tool within the limit of %d; --min-hit %s asks for more", e.Hits, len(e.Cases), e.Limit, f.minHit)
	}
	return failed
}

// maxCases bounds a file of queries, in bytes.
const maxCases = 16 << 20

// readCases reads a file of queries; "-" is standard input.
func (o *options) readCases(path string) ([]engine.Case, error) {
	in, name := o.in, "standard input"
	if path != "-" {
		name = path
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxCases+1))
	if err != nil {
		var at *os.PathError
		if errors.As(err, &at) {
			err = at.Err
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) > maxCases {
		return nil, fmt.Errorf("%s: over %d MB; a set of queries is far smaller", name, maxCases>>20)
	}
	return config.ParseCases(name, data)
}

// queryCells is the width of the column of queries.
const queryCells = 36

// printEval writes an evaluation for a person: a row a case, the reasons of a
// miss below it, then the measures.
func printEval(out io.Writer, a engine.Assembly, e engine.Evaluation) {
	if !a.Activated {
		fmt.Fprintln(out, "tier 0: no tool is deferred, so there is no tool_search; every tool is visible to the model")
	}
	fmt.Fprintf(out, "   rank  %s  tool\n", display.Pad("query", queryCells))
	for _, c := range e.Cases {
		mark, rank, tool := "✓", "–", c.Tool
		if !c.Found {
			mark = "✗"
		}
		if c.Rank > 0 {
			rank = strconv.Itoa(c.Rank)
		} else {
			tool = strings.Join(c.Want, " or ")
		}
		fmt.Fprintf(out, "%s %5s  %s  %s\n", mark, rank, display.Pad(c.Query, queryCells), display.Text(tool))
		if len(c.Misses) > 0 {
			printMiss(out, c.Misses[0])
		}
		if n := len(c.Misses) - 1; n > 0 {
			fmt.Fprintf(out, "         %d more would count, and stand no better\n", n)
		}
		for _, w := range c.Absent {
			printMiss(out, w)
		}
	}
	own := 0
	for _, c := range e.Cases {
		if c.Limit > 0 {
			own++
		}
	}
	fmt.Fprintf(out, "\n%s, limit %d", counted(len(e.Cases), "query", "queries"), e.Limit)
	if own > 0 {
		fmt.Fprintf(out, " (%s)", counted(own, "query has its own", "queries have their own"))
	}
	fmt.Fprintln(out)
	wide := max(len("hit@25"), len(e.AtLimit())) + 1
	row := func(name string, hits int) {
		fmt.Fprintf(out, "%-*s %5.1f %%  %d of %d\n", wide, name, 100*e.Share(hits), hits, len(e.Cases))
	}
	if e.Limit > 1 || own > 0 {
		row("hit@1", e.At1)
	}
	if e.Limit > 3 || own > 0 {
		row("hit@3", e.At3)
	}
	row(e.AtLimit(), e.Hits)
	fmt.Fprintf(out, "%-*s %.3f\n", wide, "MRR", e.MRR)
	if e.Absent > 0 {
		fmt.Fprintf(out, "%s a name that no search can find: see above\n", counted(e.Absent, "query wants", "queries want"))
	}
}

// printMiss writes the reasons why a query misses a tool, and the changes that
// would find it.
func printMiss(out io.Writer, w engine.Why) {
	for _, r := range w.Reasons {
		fmt.Fprintf(out, "         - %s: %s\n", r.Kind, display.Text(r.Message))
	}
	for _, c := range w.Changes {
		fmt.Fprintf(out, "         → %s: “%s” finds it as number %d\n", display.Text(c.String()), display.Text(c.Query), c.Rank)
	}
}

// counted is a number of things with their word.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
