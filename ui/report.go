package ui

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"toolscope/budget/tokenizer"
	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/mcpconn/config"
)

// about is what a report tells beside the snapshot.
type about struct {
	version string // toolscope's own
	source  string // the configuration's path, or several joined by " + "
	session string // "" where there is only one
	at      time.Time
	redact  config.Redactor
}

// How much a report says at most.
const (
	nameCells   = 120 // of a name
	reasonCells = 400 // of a sentence
	maxRows     = 50  // of a table or a list
)

// report is the present state as Markdown, for an issue or a chat. It holds no
// environment, header, argument or address of a server.
func report(s Snapshot, is about) string {
	r := reporter{markdown: &markdown{redact: is.redact}, snap: s}
	r.opening(is)
	r.decision()
	r.settings()
	r.ladder()
	r.servers()
	r.warnings()
	r.queries()
	r.call()
	r.bill()
	if r.altered {
		r.line("\nIn code, ¦ ˋ ‹ › stand for the characters they look like.")
	}
	return r.out.String()
}

// reporter writes the parts of a report.
type reporter struct {
	*markdown
	snap Snapshot
}

// rest says how many more of something there are than a report tells.
func (r reporter) rest(n int, of string) {
	if n > maxRows {
		r.line("\n…and ", number(n-maxRows), " more ", of)
	}
}

func (r reporter) opening(is about) {
	r.line("# toolscope report\n")
	r.line("- toolscope ", r.code(is.version, nameCells), ", ", is.at.Format("2006-01-02 15:04:05 MST"))
	// The folders above would tell who the person is.
	var names []string
	for _, path := range strings.Split(is.source, " + ") {
		names = append(names, filepath.Base(path))
	}
	r.line("- configuration ", r.code(strings.Join(names, " + "), nameCells))
	if is.session != "" {
		r.line("- session ", r.code(is.session, nameCells))
	}
}

func (r reporter) decision() {
	a := r.snap.Assembly
	r.head(2, "Decision")
	line := fmt.Sprintf("**Tier %d, %s**: %s.", a.Tier, tierWord(a), sentence(a))
	if n := r.snap.connecting(); n > 0 {
		line += " " + plural(n, "server") + " still connecting."
	}
	r.line(line, "\n")
	b := a.Budget
	leg := fmt.Sprintf("threshold_pct %s %% of %s = %s", percent(a.Config.ThresholdPct), number(a.Config.ContextLength), number(b.PercentLeg))
	if a.Config.ContextLength <= 0 {
		leg = number(b.PercentLeg) + " since the context is unknown"
	}
	budget := fmt.Sprintf("- budget %s tokens = min(listing_max_tokens %s, %s), bound by %s", number(b.Tokens), number(b.CapLeg), leg, b.BoundBy)
	if a.Activated && a.Form != engine.FormNone && !a.OverBudget {
		budget += ", " + number(a.UnusedBudget()) + " unused"
	}
	r.line(budget)
	r.line(fmt.Sprintf("- %s visible, %s deferred, listing %s tokens", plural(len(a.Visible), "tool"), plural(len(a.Deferred), "tool"), number(a.Listing.Tokens)))
	r.line("- tools array ", r.code(r.snap.Cache.Hash, nameCells))
}

func (r reporter) settings() {
	r.head(2, "Settings")
	var rows [][]string
	was := settings(r.snap.Original)
	for i, s := range settings(r.snap.Assembly.Config) {
		row := []string{s.Keys[len(s.Keys)-1], s.Text, "the same"}
		if was[i].Text != s.Text {
			row[2] = "**" + was[i].Text + "**"
		}
		rows = append(rows, row)
	}
	r.table([]string{"setting", "in force", "configured"}, rows)
}

// ladder tells the steps around the one that was chosen.
func (r reporter) ladder() {
	a := r.snap.Assembly
	if len(a.Ladder) == 0 {
		return
	}
	r.head(2, "Ladder")
	chosen := a.Chosen()
	first := max(0, min(chosen-maxRows/2, len(a.Ladder)-maxRows))
	var rows [][]string
	for i, s := range a.Ladder[first:min(first+maxRows, len(a.Ladder))] {
		fits := map[bool]string{true: "✓", false: "✗"}[s.Fits]
		if first+i == chosen {
			fits += " **chosen**"
		}
		summarises := ""
		if s.Collapsed != "" {
			summarises = r.code(s.Collapsed, nameCells)
		}
		rows = append(rows, []string{strconv.Itoa(s.Step), string(s.Form), number(s.Tokens), fits, summarises})
	}
	r.table([]string{"step:", "form", "tokens:", "fits", "summarises"}, rows)
	if first > 0 {
		r.line("\n…and ", plural(first, "step"), " above")
	}
	if below := len(a.Ladder) - first - len(rows); below > 0 {
		r.line("\n…and ", plural(below, "step"), " below")
	}
}

func (r reporter) servers() {
	r.head(2, "Servers")
	if len(r.snap.Servers) == 0 {
		r.line("None.")
		return
	}
	var rows [][]string
	for _, s := range r.snap.Servers[:min(maxRows, len(r.snap.Servers))] {
		name := r.code(s.Name, nameCells)
		if s.Plugin {
			name += " (plugin)"
		}
		row := []string{name, string(s.State), "", "", "", "", "", r.why(s)}
		if s.State == mcpconn.StateReady {
			row[2] = number(s.Tools)
		}
		if g := s.Group; g.Tools > 0 {
			row[3], row[4], row[5], row[6] = number(g.Tokens.Full), number(g.Tokens.Names), number(g.Tokens.Summary), string(g.Mode)
		}
		rows = append(rows, row)
	}
	r.table([]string{"server", "state", "tools:", "full:", "names:", "summary:", "now", "why"}, rows)
	r.rest(len(r.snap.Servers), "servers")
}

// why is what there is to say of a server's state and mode.
func (r reporter) why(s Server) string {
	var said []string
	switch {
	case s.State == mcpconn.StateFailed:
		said = append(said, r.code(s.Reason, reasonCells))
	case s.State == mcpconn.StateConnecting && s.Progress != "":
		said = append(said, r.code(s.Progress, reasonCells))
	case !s.InScope:
		said = append(said, "out of the session")
	case s.CanList && (s.Group.Mode == engine.ModeSummary || s.Group.Mode == engine.ModeNone):
		said = append(said, "by name needs "+needText(r.snap.Assembly, s.Need))
	}
	if s.Filtered > 0 {
		said = append(said, number(s.Filtered)+" filtered out")
	}
	if s.Warnings > 0 {
		said = append(said, plural(s.Warnings, "warning"))
	}
	return strings.Join(said, "; ")
}

func (r reporter) warnings() {
	all := r.snap.Warnings
	if len(all) == 0 {
		return
	}
	r.head(2, "Warnings")
	for _, w := range all[:min(maxRows, len(all))] {
		r.line("- ", r.code(w.String(), reasonCells))
	}
	r.rest(len(all), "warnings")
}

func (r reporter) queries() {
	all := r.snap.Queries
	for i, q := range all[:min(engine.MaxQueries, len(all))] {
		r.head(2, "Query "+r.code(q.Query, reasonCells))
		r.query(q)
		if i < len(r.snap.Pinned) {
			r.expected(r.snap.Pinned[i])
		}
	}
	if n := len(all) - engine.MaxQueries; n > 0 {
		r.line("\n…and ", number(n), " more than a model may send at once")
	}
}

func (r reporter) query(q engine.Result) {
	found := fmt.Sprintf("%s found, limit %d.", plural(q.Total, "tool"), q.Limit)
	if q.Fallback {
		found += " No token is in any tool; these are wire names that contain the query."
	}
	r.line(found)
	var tokens, hits [][]string
	for _, t := range q.Tokens[:min(maxRows, len(q.Tokens))] {
		tokens = append(tokens, []string{r.code(t.Raw, nameCells), r.code(t.Stem, nameCells), number(t.DF), fmt.Sprintf("%.2f", t.IDF)})
	}
	if len(tokens) > 0 {
		r.line()
		r.table([]string{"token", "stem", "df:", "idf:"}, tokens)
		r.rest(len(q.Tokens), "tokens")
	}
	for _, h := range q.Hits {
		score := fmt.Sprintf("%.3f", h.Score)
		if h.Exact {
			score = "exact name"
		}
		hits = append(hits, []string{strconv.Itoa(h.Rank), r.code(h.Name, nameCells), score})
	}
	if len(hits) > 0 {
		r.line()
		r.table([]string{"rank:", "tool", "score:"}, hits)
	}
}

// expected tells why a query finds the expected tool where it does, or not.
func (r reporter) expected(p Pinned) {
	w := p.Why
	place := "not found"
	switch {
	case w.Found:
		place = fmt.Sprintf("found as number %d", w.Rank)
	case w.Rank > 0:
		place = fmt.Sprintf("number %d, beyond the limit of %d", w.Rank, w.Limit)
	}
	r.line("\nExpected ", r.code(w.Tool, nameCells), ": ", place, "\n")
	for _, reason := range w.Reasons[:min(maxRows, len(w.Reasons))] {
		r.line("- ", r.code(reason.Message, reasonCells))
	}
	for _, c := range w.Changes[:min(maxRows, len(w.Changes))] {
		r.line("- would find it as number ", strconv.Itoa(c.Rank), ": ", r.code(c.Query, reasonCells))
	}
}

// call tells how far the call in view came. Its arguments and its result stay
// out, save for what a stage says of them.
func (r reporter) call() {
	f := r.snap.Call.Flow
	if len(f.Stages) == 0 {
		return
	}
	r.head(2, "Bridged call")
	kind, state := "simulated", "under way"
	if f.Runners.Live {
		kind = "live"
	}
	blocked := blockedAt(f)
	switch {
	case blocked >= 0:
		state = "blocked at " + string(f.Stages[blocked].Name)
	case f.Done() && f.Status == engine.StatusError:
		state = "failed"
	case f.Done():
		state = "done"
	case r.snap.Call.waits():
		state = "waiting for the person"
	}
	r.line(r.code(f.Tool, nameCells), ", ", kind, ": ", state, "\n")
	var rows [][]string
	for i, s := range f.Stages {
		took := ""
		if s.Duration > 0 {
			took = spent(s.Duration)
		}
		reason := ""
		if s.Reason != "" {
			reason = r.code(s.Reason, reasonCells)
		}
		rows = append(rows, []string{string(s.Name), outcome(theme{}, s, i == f.Next).word, took, reason})
	}
	r.table([]string{"stage", "outcome", "took:", "reason"}, rows)
}

func (r reporter) bill() {
	a := r.snap.Assembly
	bill, exact := billOf(a), r.snap.Exact
	r.head(2, "Bill")
	columns := []string{"tokens a turn", "estimated:", "of the context:"}
	if exact.Known {
		columns = append(columns, tokenizer.Name+":")
	}
	var rows [][]string
	add := func(name string, tokens, counted int) {
		row := []string{name, number(tokens), "–"}
		if share, known := bill.Share(tokens); known {
			row[2] = fmt.Sprintf("%.1f %%", share)
		}
		if exact.Known {
			row = append(row, number(counted))
		}
		rows = append(rows, row)
	}
	add("every schema eager", bill.Eager, exact.Bill.Eager)
	if a.Tier > 0 {
		add("bridge and listing", bill.WithBridge, exact.Bill.WithBridge)
		add("saved", bill.Saving, exact.Bill.Saving)
		add("one tool_describe, on average", bill.DescribeMean, exact.Bill.DescribeMean)
	}
	r.table(columns, rows)
	if calls, ok := bill.BreakEven(); ok && a.Tier > 0 {
		r.line("\nBreak-even at ", callsText(calls), " cold calls a turn.")
	}
	if exact.Counting {
		r.line("\nThe counted figures are of the assembly before this one.")
	}
}
