package engine

import (
	"cmp"
	"slices"
	"strconv"
)

// Evaluation is how well a set of queries finds what it should. Only what is
// within the limit counts, since the model sees no more.
type Evaluation struct {
	Limit  int // matches per query, save for cases with a limit of their own
	Cases  []CaseResult
	At1    int     // cases with a wanted tool in the first place
	At3    int     // in the first three places, or the first Limit where that is less
	Hits   int     // within the limit
	MRR    float64 // the mean over all cases of 1 ÷ rank, 0 for a miss; from 0 to 1, 0 where there is no case
	Absent int     // cases that want a name no search can find
}

// CaseResult is what became of one case.
type CaseResult struct {
	Case
	Found  bool   `json:"found"`  // a wanted tool is within the limit
	Rank   int    `json:"rank"`   // of the best wanted tool, from 1, also beyond the limit; 0 where the query finds none
	Tool   string `json:"tool"`   // its wire name; "" where the query finds none
	Misses []Why  `json:"misses"` // of a miss: why not, for each wanted tool that is deferred, the best placed first; empty for a hit
	Absent []Why  `json:"absent"` // wanted names that are no deferred tool, and why; of a hit too

	Labels []string `json:"-"` // of the groups that the wanted tools are listed in, each once
}

// AtLimit is what Hits is called: hit@5 with a limit of 5, hit@limit where a
// case has a limit of its own.
func (e Evaluation) AtLimit() string {
	for _, c := range e.Cases {
		if c.Limit > 0 {
			return "hit@limit"
		}
	}
	return "hit@" + strconv.Itoa(e.Limit)
}

// Share returns how much of all cases a number of them is, from 0 to 1; 0 where
// there is no case.
func (e Evaluation) Share(cases int) float64 {
	if len(e.Cases) == 0 {
		return 0
	}
	return float64(cases) / float64(len(e.Cases))
}

// Evaluate searches for every case and says where the wanted tools stand, as
// [Assembly.EvaluateCase] and [Assembly.Measure] do.
func (a Assembly) Evaluate(cases []Case, limit int, session Session, absent []AbsentTools) Evaluation {
	results := make([]CaseResult, len(cases))
	for i, c := range cases {
		results[i] = a.EvaluateCase(c, limit, session, absent)
	}
	return a.Measure(results, limit)
}

// Measure sums up the results of cases that were evaluated with this limit; 0
// is search_default_limit. Cases that were only placed are not counted in
// Absent.
func (a Assembly) Measure(results []CaseResult, limit int) Evaluation {
	e := Evaluation{Limit: a.searchLimit(limit), Cases: results}
	sum := 0.0
	for _, r := range results {
		if len(r.Absent) > 0 {
			e.Absent++
		}
		if !r.Found {
			continue
		}
		sum += 1 / float64(r.Rank)
		e.Hits++
		if r.Rank <= 3 {
			e.At3++
		}
		if r.Rank == 1 {
			e.At1++
		}
	}
	if len(results) > 0 {
		e.MRR = sum / float64(len(results))
	}
	return e
}

// EvaluateCase searches for one case and says where the wanted tools stand. A
// name that several servers give a tool of theirs stands for each of these
// tools. A case with a limit of its own is held to that one. The limit, the
// session and absent are as for [Assembly.Why]. A miss costs as much as Why does
// for each wanted tool, a hit a search.
func (a Assembly) EvaluateCase(c Case, limit int, session Session, absent []AbsentTools) CaseResult {
	limit = c.limit(limit)
	r, wanted := a.place(c, limit)
	for _, name := range c.Want {
		if len(a.meant(name)) == 0 {
			r.Absent = append(r.Absent, a.Why(c.Query, name, limit, session, absent))
		}
	}
	if r.Found {
		return r
	}
	for _, tool := range wanted {
		r.Misses = append(r.Misses, a.Why(c.Query, tool, limit, session, absent))
	}
	slices.SortStableFunc(r.Misses, func(x, y Why) int {
		// Rank 0 is not found, which is behind every rank.
		return cmp.Compare(uint(x.Rank)-1, uint(y.Rank)-1)
	})
	return r
}

// PlaceCase says where the wanted tools of a case stand, as
// [Assembly.EvaluateCase] does, but not why: Misses and Absent are empty. It
// costs a search, hit or miss.
func (a Assembly) PlaceCase(c Case, limit int) CaseResult {
	r, _ := a.place(c, c.limit(limit))
	return r
}

// ExplainCase answers why that wanted tool of a case stands where it does which
// stands best; where the query finds none, the first that is deferred, else the
// first. The arguments are as for [Assembly.EvaluateCase].
func (a Assembly) ExplainCase(c Case, limit int, session Session, absent []AbsentTools) Why {
	limit = c.limit(limit)
	r, wanted := a.place(c, limit)
	tool := r.Tool
	for _, names := range [][]string{wanted, c.Want} {
		if tool == "" && len(names) > 0 {
			tool = names[0]
		}
	}
	return a.Why(c.Query, tool, limit, session, absent)
}

// limit is the limit of the case itself, where it has one, else the common one.
func (c Case) limit(common int) int { return cmp.Or(c.Limit, common) }

// place searches for a case, and returns the wire names of the deferred tools
// that it wants.
func (a Assembly) place(c Case, limit int) (r CaseResult, wanted []string) {
	r = CaseResult{Case: c, Misses: []Why{}, Absent: []Why{}}
	for _, name := range c.Want {
		for _, tool := range a.meant(name) {
			if !slices.Contains(wanted, tool) {
				wanted = append(wanted, tool)
			}
		}
	}
	if len(wanted) == 0 {
		return r, nil
	}
	ranking := a.index().rank(c.Query)
	for _, tool := range wanted {
		doc := a.index().names.find(tool)
		if place := ranking.place(doc); place > 0 && (r.Rank == 0 || place < r.Rank) {
			r.Rank, r.Tool = place, tool
		}
		if label := a.Deferred[doc].Label; !slices.Contains(r.Labels, label) {
			r.Labels = append(r.Labels, label)
		}
	}
	r.Found = r.Rank > 0 && r.Rank <= a.searchLimit(limit)
	return r, wanted
}

// meant returns the wire names of the deferred tools that a name stands for:
// the one with that wire name, else all that their servers call so, else those
// that would have that wire name under the other style of tool_names, so that a
// set of cases holds under both.
func (a Assembly) meant(name string) []string {
	if a.index().names.find(name) >= 0 {
		return []string{name}
	}
	var tools []string
	for i := range a.Deferred {
		if a.Deferred[i].Tool.Name == name {
			tools = append(tools, a.Deferred[i].Name)
		}
	}
	if len(tools) > 0 {
		return tools
	}
	other, longer := NamesDouble, len("__")
	if a.Config.ToolNames == NamesDouble {
		other, longer = NamesSingle, -longer
	}
	for i := range a.Deferred {
		// Most names are told apart by their lengths alone.
		if d := &a.Deferred[i]; d.named && len(name) == len(d.Name)+longer && WireName(other, d.prefix, d.Tool.Name) == name {
			tools = append(tools, d.Name)
		}
	}
	return tools
}
