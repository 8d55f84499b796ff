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
	var explain bool
	var limit int
	var expect []string
	cmd := &cobra.Command{
		Use:   "search QUERY...",
		Short: "Run tool_search as the model would, up to ten queries at once",
		Long: `Run tool_search over the deferred tools and print what the model would get. Each
argument is one query; quote a query of several words. --explain adds each
token's stem, df and idf, and each hit's score token by token.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf(`search needs a query, such as: toolscope search "create an issue"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.search(cmd, args, limit, cmd.Flags().Changed("limit"), explain, expect)
		},
	}
	cmd.Flags().BoolVar(&explain, "explain", false, "add tokens, stems, df, idf and each score's parts")
	cmd.Flags().StringArrayVar(&expect, "expect", nil, "exit 1 unless a query finds `TOOL` within the limit; may be repeated")
	cmd.Flags().IntVar(&limit, "limit", 0, "matches per query (default: search_default_limit)")
	return cmd
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
}

// hitReport is one hit; an exact-name hit has no score.
type hitReport struct {
	Rank  int                `json:"rank"`
	Name  string             `json:"name"`
	Score *float64           `json:"score"`
	Exact bool               `json:"exact"`
	Terms []engine.TermScore `json:"terms"`
}

func (o *options) search(cmd *cobra.Command, queries []string, limit int, limited, explain bool, expect []string) error {
	w, err := o.world(cmd.Context())
	if err != nil {
		return err
	}
	a := w.assemble()
	arguments := map[string]any{"queries": queries}
	if limited {
		arguments["limit"] = limit
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
	if limited {
		limit = max(1, limit) // 0 would ask for the default
	}
	var results []engine.Result
	for _, q := range queries {
		results = append(results, a.Search(q, limit))
	}
	if explain {
		for _, r := range results {
			report.Explain = append(report.Explain, newExplainReport(r))
		}
	}
	if o.json {
		if err := printJSON(cmd.OutOrStdout(), report); err != nil {
			return err
		}
	} else {
		printSearch(cmd.OutOrStdout(), a, results, explain)
	}
	if err := expectFound(results, expect); err != nil {
		return err
	}
	return o.partial(cmd, w)
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
