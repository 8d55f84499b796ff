package ui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/ui/display"
)

// evalSheet shows how well a set of queries finds the tools it should, while
// settings are tuned: the measures and what a change did to them, a row a case,
// and why the case under the cursor stands where it does.
type evalSheet struct {
	theme   theme
	keys    keyMap
	eval    Eval
	a       engine.Assembly
	modes   map[string]engine.Mode // of the listing's groups, by label
	waiting int                    // servers that have yet to answer
	widest  int                    // cells of the longest query, as far as any is shown

	top         int // the first row shown
	first, rows int // the line of the first row, and how many there are, as last drawn
}

func newEvalSheet(t theme) *evalSheet { return &evalSheet{theme: t, keys: newKeyMap()} }

// SetSnapshot gives what to render.
func (v *evalSheet) SetSnapshot(s Snapshot) {
	v.eval, v.a, v.modes, v.waiting = s.Eval, s.Assembly, modesOf(s.Assembly), s.connecting()
	if v.widest > 0 {
		return // the set stays the same
	}
	for _, c := range s.Eval.Cases {
		v.widest = max(v.widest, ansi.StringWidth(display.Clip(c.Query, 100)))
	}
}

// Typing is never so.
func (v *evalSheet) Typing() bool { return false }

// HandleWheel scrolls the rows.
func (v *evalSheet) HandleWheel(n int) { v.top = max(0, v.top+n) }

// HandleClick brings the case under the pointer into view.
func (v *evalSheet) HandleClick(_, y int) (tea.Msg, bool) {
	if row := y - v.first; row >= 0 && row < v.rows {
		return evalAtMsg{v.top + row}, false
	}
	return nil, false
}

// HandleKey moves the cursor, puts a case into the query pane, or leaves the key
// to what tunes everywhere.
func (v *evalSheet) HandleKey(msg tea.KeyMsg) (ask tea.Msg, done bool) {
	k := v.keys
	switch {
	case key.Matches(msg, k.Back, k.Eval, k.Quit):
		return nil, true
	case key.Matches(msg, k.Palette):
		return paletteMsg{}, false
	case len(v.eval.Cases) == 0:
		return declinedMsg{}, false
	case key.Matches(msg, k.Move):
		return v.move(direction(msg)), false
	case key.Matches(msg, k.Page):
		return v.move(direction(msg) * max(1, v.rows-1)), false
	case key.Matches(msg, k.Ends) || msg.Type == tea.KeyHome || msg.Type == tea.KeyEnd:
		return v.move(direction(msg) * len(v.eval.Cases)), false
	case key.Matches(msg, k.EvalAsk):
		c := v.eval.Cases[v.eval.At]
		return askMsg{c.Query, v.eval.Why.Tool}, true
	case key.Matches(msg, k.EvalLimit):
		now := v.a.Config.ToolSearch
		limit := now.SearchDefaultLimit + signed(msg.String() == "+")
		return setMsg{engine.KeySearchDefaultLimit, fmt.Sprint(max(1, min(limit, now.MaxSearchLimit)))}, false
	case key.Matches(msg, k.Copy):
		return copyMsg{what: "the evaluation", text: evalText(v.eval)}, false
	}
	return declinedMsg{}, false
}

// move asks for another case, and keeps it among the rows.
func (v *evalSheet) move(by int) tea.Msg {
	at := max(0, min(v.eval.At+by, len(v.eval.Cases)-1))
	v.top = max(min(v.top, at), at-max(1, v.rows)+1)
	return evalAtMsg{at}
}

// View draws the measures over the rows over the reasons.
func (v *evalSheet) View(width, height int) string {
	t := v.theme
	inner := max(0, width-2)
	if len(v.eval.Cases) == 0 {
		content := v.nothing(inner)
		h := min(height, len(content)+2)
		return frame(t, 0, "Set of queries", t.muted.Render("esc closes"), "", lines(content, 0, inner, h-2), width, h, true)
	}
	room := max(0, height-2)
	content := v.head(inner, room)
	reasons := 0
	if room >= 8 {
		reasons = min(12, max(2, room/3))
	}
	c := v.columns(inner)
	if room >= 12 {
		content = append(content, c.header(t, v.eval))
	}
	v.first = len(content) + 1
	v.rows = max(1, min(len(v.eval.Cases), room-len(content)-min(1, reasons)-reasons))
	v.top = scrolled(v.top, len(v.eval.Cases), v.rows)
	for i := v.top; i < v.top+v.rows && i < len(v.eval.Cases); i++ {
		content = append(content, v.row(i, c))
	}
	if reasons > 0 {
		content = append(content, rule(t, "at the cursor", inner))
		content = append(content, window(v.reasons(inner), 0, reasons)...)
	}
	note := t.muted.Render("enter asks it · [ ] { } N S tune · + - limit · esc")
	if width < 90 {
		note = t.muted.Render("enter · esc")
	}
	h := min(height, v.first+v.rows+min(1, reasons)+reasons+1)
	title := "Set of queries, " + sourceName(v.eval.File)
	return frame(t, 0, title, note, scrollNote(t, v.top, len(v.eval.Cases), v.rows), lines(content, 0, inner, h-2), width, h, true)
}

// head is the measures, and what there is to know of them.
func (v *evalSheet) head(width, room int) []string {
	t := v.theme
	most := 1
	if room >= 12 {
		most = 3
	}
	items := v.measures(width < 50)
	switch {
	case v.waiting > 0:
		items = append(items, t.warn.Render(plural(v.waiting, "server")+" yet to answer"))
	case v.eval.Busy:
		items = append(items, t.muted.Render("evaluating"))
	case !v.a.Activated:
		items = append(items, t.warn.Render("tier 0: nothing is searched, every tool is in the model's list"))
	}
	out, _ := flow(items, t.faint.Render(" │ "), width-1, most)
	return out
}

// measures are the set's measures, each with what it was before; brief ones
// leave out what the limit does not decide.
func (v *evalSheet) measures(brief bool) []string {
	t, e := v.theme, v.eval
	if !e.Known {
		return []string{t.muted.Render(plural(len(e.Cases), "case") + ", not evaluated yet")}
	}
	of := len(e.Cases)
	share := func(name string, before, now int) string {
		text := fmt.Sprintf("%d/%d %.1f %%", now, of, 100*e.Now.Share(now))
		return t.muted.Render(name+" ") + wasNow(t, before != now, now > before, fmt.Sprint(before), text)
	}
	var items []string
	if e.Before.Limit != e.Now.Limit {
		items = append(items, t.muted.Render("limit ")+fmt.Sprintf("%d → %d", e.Before.Limit, e.Now.Limit))
	}
	own := e.Now.AtLimit() == "hit@limit"
	if !brief && (own || e.Now.Limit > 1) {
		items = append(items, share("hit@1", e.Before.At1, e.Now.At1))
	}
	if !brief && (own || e.Now.Limit > 3) {
		items = append(items, share("hit@3", e.Before.At3, e.Now.At3))
	}
	items = append(items, share(e.Now.AtLimit(), e.Before.Hits, e.Now.Hits))
	before, now := fmt.Sprintf("%.3f", e.Before.MRR), fmt.Sprintf("%.3f", e.Now.MRR)
	items = append(items, t.muted.Render("MRR ")+wasNow(t, before != now, e.Now.MRR > e.Before.MRR, before, now))
	if v.a.Activated {
		listed := listedCases(v.a, e.Now)
		items = append(items, t.muted.Render("listed by name ")+wasNow(t, listed != e.Listed, listed > e.Listed, fmt.Sprint(e.Listed), fmt.Sprintf("%d/%d", listed, of)))
	}
	return items
}

// wasNow is a figure, with what it was before where that was another.
func wasNow(t theme, is, better bool, before, now string) string {
	switch {
	case !is:
		return t.strong.Render(now)
	case better:
		return t.good.Render(before + " → " + now + " ▲")
	}
	return t.bad.Render(before + " → " + now + " ▼")
}

// evalColumns are the widths of the columns of the rows, 0 for one that there is
// no room for.
type evalColumns struct{ rank, limit, query, tool, listed int }

// columns shares out a width.
func (v *evalSheet) columns(width int) evalColumns {
	c := evalColumns{rank: 10}
	if width < 50 {
		c.rank = 6
	}
	if v.eval.Known && v.eval.Now.AtLimit() == "hit@limit" {
		c.limit = 7
	}
	if width >= 60 {
		c.listed = 9
	}
	rest := max(0, width-4-c.rank-2-c.limit-c.listed)
	if c.query = rest; width >= 50 {
		c.query = min(rest*9/20, max(v.widest, len("query")))
		c.tool = rest - c.query - 2
	}
	return c
}

// header names the columns.
func (c evalColumns) header(t theme, e Eval) string {
	line := fmt.Sprintf("    %*s  ", c.rank, "rank")
	if c.limit > 0 {
		line += fit("limit", c.limit)
	}
	line += fit("query", c.query)
	if c.tool > 0 {
		line += "  " + fit("tool", c.tool)
	}
	if c.listed > 0 {
		line += " " + fit("listed", c.listed-1)
	}
	return t.muted.Render(line)
}

// row is one case.
func (v *evalSheet) row(i int, c evalColumns) string {
	t := v.theme
	r := engine.CaseResult{Case: v.eval.Cases[i]}
	mark, rank, tool := "·", "", strings.Join(r.Want, " or ")
	style, moved := t.muted, t.text
	if v.eval.Known {
		r = v.eval.Now.Cases[i]
		mark, style = "✗", t.bad
		if r.Found {
			mark, style = "✓", t.good
		}
		if r.Rank > 0 {
			tool = r.Tool
		}
		rank = rankText(r.Rank)
		if was := v.eval.Before.Cases[i].Rank; was != r.Rank {
			rank = rankText(was) + "→" + rank
			moved = t.bad
			if r.Rank > 0 && (was == 0 || r.Rank < was) {
				moved = t.good
			}
		}
	}
	limit := ""
	if c.limit > 0 && r.Limit > 0 {
		limit = fmt.Sprintf("≤%d", r.Limit)
	}
	query := fit(display.Clip(r.Query, c.query), c.query)
	if c.tool > 0 {
		tool = "  " + fit(display.Clip(tool, c.tool), c.tool)
	} else {
		tool = ""
	}
	listed := bestMode(v.modes, r)
	rank = fmt.Sprintf("%*s", c.rank, rank)
	if i == v.eval.At {
		line := "› " + mark + " " + rank + "  " + fit(limit, c.limit) + query + tool
		if c.listed > 0 {
			line += " " + string(listed)
		}
		return t.selected.Render(fit(line, c.width()))
	}
	line := "  " + style.Render(mark) + " " + moved.Render(rank) + "  " + t.muted.Render(fit(limit, c.limit)) + query + t.muted.Render(tool)
	if c.listed > 0 && listed != "" {
		line += " " + t.form(string(listed)).Render(string(listed))
	}
	return line
}

// width is what a row takes.
func (c evalColumns) width() int {
	w := 4 + c.rank + 2 + c.limit + c.query + c.listed
	if c.tool > 0 {
		w += 2 + c.tool
	}
	return w
}

// rankText is a rank as a row has it.
func rankText(rank int) string {
	if rank == 0 {
		return "–"
	}
	return fmt.Sprint(rank)
}

// reasons say why the case under the cursor stands where it does.
func (v *evalSheet) reasons(width int) []string {
	t, w := v.theme, v.eval.Why
	c := v.eval.Cases[v.eval.At]
	if len(w.Reasons) == 0 {
		return nil
	}
	said := fmt.Sprintf("number %d, limit %d", w.Rank, w.Limit)
	style := t.good
	switch {
	case w.Rank == 0:
		said, style = "not found", t.bad
	case !w.Found:
		style = t.bad
	}
	if n := len(c.Want) - 1; n > 0 {
		said += fmt.Sprintf("; %d more would count", n)
	}
	tool := display.Clip(w.Tool, max(8, width/2-4))
	if c.Line > 0 {
		said += fmt.Sprintf(" · line %d", c.Line)
	}
	out := []string{" " + t.strong.Render(tool) + "  " + style.Render(said)}
	if q := display.Clip(c.Query, max(8, width-4)); width < 50 || len(c.Query) > v.columns(width).query {
		out = append(out, " “"+q+"”")
	}
	return append(out, whyLines(t, w, "", "", width)...)
}

// nothing says how to give a set.
func (v *evalSheet) nothing(width int) []string {
	t := v.theme
	out := indented(t.text, "No set of queries is open. Start toolscope with one to see here how well they find the tools they should, while you tune:", width)
	out = append(out, "", "   "+t.key.Render("toolscope --eval queries.yaml"), "")
	out = append(out, indented(t.text, "It is YAML, a case for each query; the limit may be left out:", width)...)
	out = append(out, "")
	for _, l := range []string{"- query: open a ticket", "  expect: create_issue     # or a list", "  limit: 3"} {
		out = append(out, "   "+t.muted.Render(l))
	}
	out = append(out, "")
	return append(out, indented(t.muted, "Text does too, a line a case (open a ticket => create_issue), or JSON. toolscope eval FILE prints the same without a screen.", width)...)
}

// evalText is an evaluation as plain text: a line a case, then the measures.
func evalText(e Eval) string {
	if !e.Known {
		return ""
	}
	var b strings.Builder
	for _, c := range e.Now.Cases {
		mark, tool := "✗", strings.Join(c.Want, " or ")
		if c.Found {
			mark = "✓"
		}
		if c.Rank > 0 {
			tool = c.Tool
		}
		fmt.Fprintf(&b, "%s %5s  %s => %s\n", mark, rankText(c.Rank), display.Text(c.Query), display.Text(tool))
	}
	fmt.Fprintf(&b, "limit %d: hit@1 %d, hit@3 %d, %s %d of %d, MRR %.3f\n", e.Now.Limit, e.Now.At1, e.Now.At3, e.Now.AtLimit(), e.Now.Hits, len(e.Now.Cases), e.Now.MRR)
	return b.String()
}
