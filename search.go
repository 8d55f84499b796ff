package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"toolscope/engine"
	"toolscope/ui/display"
)

func newSearch(o *options) *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Run tool_search as the model would, up to ten queries at once",
		Long: `Run tool_search over the deferred tools and print what the model would get. Each
argument is one query; quote a query of several words. --explain adds each
token's stem, df and idf, and each hit's score token by token. --why says for one
tool where it stands for each query, why it is not higher or not there at all,
and the smallest change of the query that would find it.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf(`search needs a query, such as: toolscope search "create an issue"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f.limited = cmd.Flags().Changed("limit")
			return o.search(cmd, args, f)
		},
	}
	cmd.Flags().BoolVar(&f.explain, "explain", false, "add tokens, stems, df, idf and each score's parts")
	cmd.Flags().StringVar(&f.why, "why", "", "say why each query finds `TOOL` or does not")
	cmd.Flags().StringArrayVar(&f.expect, "expect", nil, "exit 1 unless a query finds `TOOL` within the limit; may be repeated")
	cmd.Flags().IntVar(&f.limit, "limit", 0, "matches per query (default: search_default_limit)")
	return cmd
}

// searchFlags is what is asked of a search.
type searchFlags struct {
	explain bool
	why     string // a tool's name; "" for none
	expect  []string
	limit   int
	limited bool // a limit was given
}

// searchReport is what `search --json` prints.
type searchReport struct {
	Answer  json.RawMessage `json:"answer"`
	Explain []explainReport `json:"explain,omitempty"`
}

type explainReport struct {
	Query    string              `json:"query"`
	Tokens   []engine.QueryToken `json:"tokens"`
	Fallback bool                `json:"fallback"`
	Results  []hitReport         `json:"results"`
	Why      *engine.Why         `json:"why,omitempty"`
}

// hitReport is one hit; an exact-name hit has no score.
type hitReport struct {
	Rank  int                `json:"rank"`
	Name  string             `json:"name"`
	Score *float64           `json:"score"`
	Exact bool               `json:"exact"`
	Terms []engine.TermScore `json:"terms"`
}

func (o *options) search(cmd *cobra.Command, queries []string, f searchFlags) error {
	w, err := o.world(cmd.Context())
	if err != nil {
		return err
	}
	a := w.assemble()
	arguments := map[string]any{"queries": queries}
	if f.limited {
		arguments["limit"] = f.limit
		f.limit = max(1, f.limit) // 0 would ask for the default
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		return fmt.Errorf("the queries: %w", err)
	}
	report := searchReport{Answer: a.ToolSearch(raw)}
	var refused struct{ Error string }
	if err := json.Unmarshal(report.Answer, &refused); err == nil && refused.Error != "" {
		return fmt.Errorf("search: %s", refused.Error)
	}
	var results []engine.Result
	for _, q := range queries {
		r := a.Search(q, f.limit)
		results = append(results, r)
		e := newExplainReport(r)
		if f.why != "" {
			why := a.Why(q, f.why, f.limit, w.session(), w.absent)
			e.Why = &why
		}
		if f.explain || f.why != "" {
			report.Explain = append(report.Explain, e)
		}
	}
	if o.json {
		err = printJSON(cmd.OutOrStdout(), report)
	} else {
		printSearch(cmd.OutOrStdout(), a, results, f.explain)
		printWhys(cmd.OutOrStdout(), report.Explain)
	}
	if err != nil {
		return err
	}
	if err := expectFound(results, f.expect); err != nil {
		return err
	}
	if err := unknownWhy(report.Explain); err != nil {
		return err
	}
	return o.partial(cmd, w)
}

// printWhys writes for a person why a tool is found or not.
func printWhys(out io.Writer, explained []explainReport) {
	for _, e := range explained {
		w := e.Why
		if w == nil {
			continue
		}
		fmt.Fprintf(out, "\nwhy %s for “%s”: ", display.Text(w.Tool), display.Text(w.Query))
		switch {
		case w.Found:
			fmt.Fprintf(out, "found, number %d of at most %d\n", w.Rank, w.Limit)
		case w.Rank > 0:
			fmt.Fprintf(out, "not within the limit of %d: number %d\n", w.Limit, w.Rank)
		default:
			fmt.Fprintln(out, "not found")
		}
		for _, r := range w.Reasons {
			fmt.Fprintf(out, "  - %s: %s\n", r.Kind, display.Text(r.Message))
		}
		for _, c := range w.Changes {
			fmt.Fprintf(out, "  → %s: “%s” finds it as number %d\n", display.Text(c.String()), display.Text(c.Query), c.Rank)
		}
	}
}

// unknownWhy is the "no" of a name that no tool has.
func unknownWhy(reports []explainReport) error {
	for _, e := range reports {
		if e.Why == nil {
			continue
		}
		for _, r := range e.Why.Reasons {
			if r.Kind == engine.ReasonUnknown {
				return no("--why: %s", display.Text(r.Message))
			}
		}
	}
	return nil
}

// expectFound is the "no" of an expected tool that no query found.
func expectFound(results []engine.Result, expect []string) error {
	found := map[string]bool{}
	for _, r := range results {
		for _, h := range r.Hits {
			found[h.Name] = true
		}
	}
	for _, name := range expect {
		if !found[name] {
			return no("expected %s among the matches; it is not", name)
		}
	}
	return nil
}

func newExplainReport(r engine.Result) explainReport {
	e := explainReport{
		Query: r.Query, Fallback: r.Fallback,
		Tokens: append([]engine.QueryToken{}, r.Tokens...), Results: []hitReport{},
	}
	for _, h := range r.Hits {
		hit := hitReport{Rank: h.Rank, Name: h.Name, Exact: h.Exact, Terms: append([]engine.TermScore{}, h.Terms...)}
		if !h.Exact {
			hit.Score = &h.Score
		}
		e.Results = append(e.Results, hit)
	}
	return e
}

// printSearch writes the results for a person.
func printSearch(out io.Writer, a engine.Assembly, results []engine.Result, explain bool) {
	if !a.Activated {
		fmt.Fprintln(out, "tier 0: no tool is deferred, so there is no tool_search; every tool is visible to the model")
	}
	for i, r := range results {
		if i > 0 {
			fmt.Fprintln(out)
		}
		fmt.Fprintf(out, "%s\n", display.Text(r.Query))
		if explain {
			for _, t := range r.Tokens {
				fmt.Fprintf(out, "  token %s → %s  df %d  idf %.4f\n", display.Text(t.Raw), display.Text(t.Stem), t.DF, t.IDF)
			}
		}
		switch {
		case len(r.Hits) == 0 && len(r.Tokens) == 0:
			fmt.Fprintln(out, "  no match: the query has no token (letters A–Z and digits make tokens)")
		case len(r.Hits) == 0:
			fmt.Fprintln(out, "  no match")
		case r.Fallback:
			fmt.Fprintln(out, "  no token of the query is in any tool; these wire names contain the query:")
		}
		for _, h := range r.Hits {
			score := fmt.Sprintf("%.4f", h.Score)
			if h.Exact {
				score = "exact name"
			}
			fmt.Fprintf(out, "  %2d  %-10s  %s\n", h.Rank, score, display.Text(h.Name))
			if !explain {
				continue
			}
			for _, t := range h.Terms {
				if t.TF > 0 {
					fmt.Fprintf(out, "        %s  tf %d  %+.4f\n", display.Text(t.Stem), t.TF, t.Score)
				}
			}
		}
		if r.Total > len(r.Hits) {
			fmt.Fprintf(out, "  %d more below the limit of %d\n", r.Total-len(r.Hits), r.Limit)
		}
	}
}
