package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
)

// Eval is a set of queries and how well they find the tools they should.
type Eval struct {
	File   string // that the set is from; "" where none was given
	Cases  []engine.Case
	Known  bool              // Now is there
	Busy   bool              // Now is of earlier tools or settings, or not there yet
	Now    engine.Evaluation // placed, without reasons
	Before engine.Evaluation // as it was before the last change, or when its sheet was opened
	Listed int               // cases with a wanted tool in the listing by its name, as it was then

	At  int        // the case in view in its sheet
	Why engine.Why // of the case in view, while its sheet is open
}

// Messages about the set of queries.
type (
	evalMsg      struct{}                     // open its sheet
	evalAtMsg    struct{ at int }             // bring a case into view
	evalTickMsg  struct{}                     // begin to evaluate, where that is due
	askMsg       struct{ query, tool string } // put one query and the tool expected of it into the query pane
	evaluatedMsg struct {
		of      evalOf
		results []engine.CaseResult
	}
)

// evalOf is what an evaluation depends on: which tools there are, and how many
// matches a query has. No other setting moves a tool in a ranking.
type evalOf struct {
	index      *engine.Index
	limit, max int
}

// evaluation is the set's evaluation as it is under way.
type evaluation struct {
	of     evalOf // that Now is of, or will be
	cancel context.CancelFunc
	marked bool // Before is the state before the change that Now does not show yet
	whole  bool // Now is of the tools of all servers: what they bring at start-up is no change

	why   evalOf // that Why is of
	whyAt int
}

// evalOfNow is what an evaluation of the present assembly depends on.
func (m *model) evalOfNow() evalOf {
	a := m.snap.Assembly
	return evalOf{a.Index, a.Config.SearchDefaultLimit, a.Config.MaxSearchLimit}
}

// evaluate begins to place the cases in the present assembly, unless it is done
// or under way. One of an earlier assembly gives way.
func (m *model) evaluate() tea.Cmd {
	of := m.evalOfNow()
	if len(m.snap.Eval.Cases) == 0 || m.evaluation.of == of {
		return nil
	}
	if m.evaluation.cancel != nil {
		m.evaluation.cancel()
	}
	m.evaluation.of, m.snap.Eval.Busy = of, true
	a, cases := m.snap.Assembly, m.snap.Eval.Cases
	var cmd tea.Cmd
	cmd, m.evaluation.cancel = m.work.start(func(ctx context.Context) tea.Msg {
		results := make([]engine.CaseResult, len(cases))
		for i, c := range cases {
			if ctx.Err() != nil {
				return nil
			}
			results[i] = a.PlaceCase(c, 0)
		}
		return evaluatedMsg{of, results}
	})
	m.publish()
	return cmd
}

// evaluated takes an evaluation in, unless another has taken its place.
func (m model) evaluated(msg evaluatedMsg) (tea.Model, tea.Cmd) {
	if msg.of != m.evaluation.of {
		return m, nil
	}
	e := &m.snap.Eval
	now := m.snap.Assembly.Measure(msg.results, 0)
	switch {
	case !m.evaluation.whole:
		e.Before, e.Listed = now, listedCases(m.snap.Assembly, now)
	case !m.evaluation.marked && !samePlaces(e.Now, now):
		e.Before, e.Listed = e.Now, listedCases(m.snap.Assembly, now)
	}
	m.evaluation.cancel, m.evaluation.marked, m.evaluation.whole = nil, false, m.settled
	e.Now, e.Known, e.Busy = now, true, false
	m.publish()
	return m, nil
}

// samePlaces reports whether every case stands where it did, within its limit
// or not as before.
func samePlaces(a, b engine.Evaluation) bool {
	for i := range a.Cases {
		if x, y := a.Cases[i], b.Cases[i]; x.Rank != y.Rank || x.Tool != y.Tool || x.Found != y.Found {
			return false
		}
	}
	return a.Limit == b.Limit
}

// listedCases counts the cases of which the listing names a wanted tool, so that
// a model need not search for it.
func listedCases(a engine.Assembly, e engine.Evaluation) int {
	modes := modesOf(a)
	n := 0
	for _, c := range e.Cases {
		if m := bestMode(modes, c); m == engine.ModeFull || m == engine.ModeNames {
			n++
		}
	}
	return n
}

// modesOf are the modes of an assembly's groups, by label.
func modesOf(a engine.Assembly) map[string]engine.Mode {
	modes := make(map[string]engine.Mode, len(a.Groups))
	for _, g := range a.Groups {
		modes[g.Label] = g.Mode
	}
	return modes
}

// bestMode is the richest mode that a wanted tool of a case is listed in; "" for
// a case that wants no tool there is.
func bestMode(modes map[string]engine.Mode, c engine.CaseResult) engine.Mode {
	best := engine.Mode("")
	richness := []engine.Mode{"", engine.ModeNone, engine.ModeSummary, engine.ModeNames, engine.ModeFull}
	for _, label := range c.Labels {
		if m := modes[label]; slices.Index(richness, m) > slices.Index(richness, best) {
			best = m
		}
	}
	return best
}

// markEval keeps the evaluation before a change. A change that is one with the
// change before, as by a key held down, keeps what was before both.
func (m *model) markEval(same bool) {
	if !same {
		e := &m.snap.Eval
		e.Before, e.Listed = e.Now, listedCases(m.snap.Assembly, e.Now)
	}
	m.evaluation.marked = true
}

// openEval opens the set's sheet; from here on it shows what changes.
func (m model) openEval() (tea.Model, tea.Cmd) {
	m.markEval(false)
	m.lay(newEvalSheet(m.theme))
	return m, nil
}

// explainCase says why the case in view stands where it does. Only one is
// explained, and only while the sheet shows it: it takes far longer than to
// place one.
func (m *model) explainCase() {
	e := &m.snap.Eval
	v, open := m.sheet.(*evalSheet)
	if !open || len(e.Cases) == 0 {
		return
	}
	of := m.evalOfNow()
	if e.Why.Tool != "" && m.evaluation.why == of && m.evaluation.whyAt == e.At {
		return
	}
	m.evaluation.why, m.evaluation.whyAt = of, e.At
	e.Why = m.snap.Assembly.ExplainCase(e.Cases[e.At], 0, m.session, m.roster.Absent())
	v.SetSnapshot(m.snap)
}

// ask puts a query and the tool that is expected of it into the query pane.
func (m model) ask(msg askMsg) (tea.Model, tea.Cmd) {
	m.query = m.queryPane().fill(msg.query)
	return m.expect(msg.tool)
}

// fill puts one query on the query line. What parts queries there parts words
// in any search, as a comma does.
func (p *queryPane) fill(query string) string {
	p.StopTyping()
	p.field.set(strings.ReplaceAll(query, ";", ","))
	p.query, p.cursor, p.top = 0, 0, 0
	p.detail = toolDetail{}
	return p.field.text()
}

// evalNote is the set's outcome in a few words, "" where there is none.
func evalNote(t theme, e Eval) string {
	if !e.Known {
		return ""
	}
	return t.muted.Render(fmt.Sprintf("eval %d/%d %s", e.Now.Hits, len(e.Now.Cases), e.Now.AtLimit()))
}
