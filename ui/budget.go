package ui

import (
	"cmp"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"toolscope/budget"
	"toolscope/budget/tokenizer"
	"toolscope/engine"
)

// budgetPane shows what the tools cost of the context: with every schema
// eager, and with the bridge and the listing.
type budgetPane struct {
	theme         theme
	width, height int
	snap          Snapshot
	top           int
	content       []string

	// The bill takes a look at every tool, so it is kept while they and the
	// settings stay.
	bill   budget.Bill
	billed struct {
		index  *engine.Index
		config engine.Config
	}
}

func newBudgetPane(t theme) *budgetPane { return &budgetPane{theme: t} }

func (p *budgetPane) Title() (name, note string) {
	return "Budget", p.theme.muted.Render("tokens a turn, estimated")
}

func (p *budgetPane) SetSize(width, height int) {
	p.width, p.height = width, height
	p.build()
}

func (p *budgetPane) SetSnapshot(s Snapshot) {
	p.snap = s
	if a := s.Assembly; a.Index == nil || p.billed.index != a.Index || p.billed.config != a.Config {
		p.bill = billOf(a)
		p.billed.index, p.billed.config = a.Index, a.Config
	}
	p.build()
}

func (p *budgetPane) SetFocus(bool) {}

// HandleKey scrolls.
func (p *budgetPane) HandleKey(msg tea.KeyMsg) (tea.Msg, bool) {
	switch msg.String() {
	case "o":
		return toggleExactMsg{}, true
	case "down", "j":
		p.HandleWheel(1)
	case "up", "k":
		p.HandleWheel(-1)
	case "pgdown":
		p.HandleWheel(p.height - 1)
	case "pgup":
		p.HandleWheel(1 - p.height)
	case "g", "home":
		p.top = 0
	case "G", "end":
		p.HandleWheel(len(p.content))
	default:
		return nil, false
	}
	return nil, true
}

func (p *budgetPane) HandleWheel(n int)            { p.top = scrolled(p.top+n, len(p.content), p.height) }
func (p *budgetPane) HandleClick(_, _ int) tea.Msg { return nil }

// Foot says what is hidden above and below.
func (p *budgetPane) Foot() string {
	return scrollNote(p.theme, p.top, len(p.content), p.height)
}

func (p *budgetPane) View() string {
	return lines(window(p.content, p.top, p.height), 0, p.width, p.height)
}

func (p *budgetPane) build() {
	t, a := p.theme, p.snap.Assembly
	bill := p.bill
	core, eager := parts(a)
	listing := a.Listing.Tokens
	bridge := max(0, a.BridgeTokens-listing)
	scale := float64(a.Config.ContextLength)
	if scale < float64(max(bill.Eager, bill.WithBridge)) {
		scale = float64(max(bill.Eager, bill.WithBridge)) // unknown, or too small for the tools
	}

	out := []string{p.row("without", bill.Eager, bill, scale, []segment{t.part(partCore, core), t.part(partDeferred, eager)})}
	if a.Tier > 0 {
		out = append(out, p.row("with", bill.WithBridge, bill, scale, []segment{t.part(partCore, core), t.part(partBridge, bridge), t.part(partListing, listing)}))
	}
	out = append(out, p.scaleNote(a, bill.Eager), "")
	if a.Tier == 0 {
		out = append(out, indented(t.muted, "Tier 0: no bridge. Every schema stands in the tools array, every turn.", p.width)...)
	} else {
		out = append(out, p.saving(bill)...)
	}
	out = append(out, "", p.legend(partCore, "core", len(a.Visible)-eagerTools(a), core, bill))
	if a.Tier > 0 {
		out = append(out,
			p.legend(partBridge, "bridge", len(a.Bridges), bridge, bill),
			p.legend(partListing, "listing", 0, listing, bill),
			p.legend(partDeferred, "deferred", len(a.Deferred), a.DeferredTokens, bill),
			p.listingGauge(a))
		out = append(out, p.breakEven(bill)...)
	} else if eager > 0 {
		out = append(out, p.legend(partDeferred, "servers'", eagerTools(a), eager, bill))
	}
	out = append(out, p.exact()...)
	out = append(out, p.snap.Cache.lines(t, p.width, 5)...)
	p.content = out
	p.top = scrolled(p.top, len(out), p.height)
}

// billOf is the bill of an assembly by the engine's estimate.
func billOf(a engine.Assembly) budget.Bill {
	return budget.NewBill(a.VisibleTokens, a.DeferredTokens, a.BridgeTokens, a.DescribeTokens(), a.Config.ContextLength)
}

// parts are the tokens of what is never deferred, and of what is or could be.
func parts(a engine.Assembly) (core, deferrable int) {
	if a.Tier > 0 {
		return a.VisibleTokens, a.DeferredTokens
	}
	chars := 0
	for _, d := range a.Visible {
		if !d.Source.Deferrable() {
			chars += d.Chars()
		}
	}
	core = budget.Estimate(chars)
	return core, a.VisibleTokens - core
}

// eagerTools counts the visible tools of servers and plugins.
func eagerTools(a engine.Assembly) int {
	n := 0
	for _, d := range a.Visible {
		if d.Source.Deferrable() {
			n++
		}
	}
	return n
}

// row is one bar of the context with its figure.
func (p *budgetPane) row(name string, tokens int, bill budget.Bill, scale float64, parts []segment) string {
	t := p.theme
	figure := fmt.Sprintf("%6s", short(tokens))
	if share, known := bill.Share(tokens); known {
		figure += fmt.Sprintf(" %5.1f %%", share)
	}
	width := p.width - 11 - ansi.StringWidth(figure)
	return " " + fit(name, 8) + bar(parts, scale, width, t.track) + " " + t.strong.Render(figure)
}

func (p *budgetPane) scaleNote(a engine.Assembly, without int) string {
	t := p.theme
	indent := " " + strings.Repeat(" ", 8)
	switch n := a.Config.ContextLength; {
	case n <= 0:
		return indent + t.warn.Render("context unknown: set it with < >")
	case without > n:
		return indent + t.bad.Render(fmt.Sprintf("all schemas are %.1f× the context of %s", float64(without)/float64(n), contextName(n)))
	}
	return indent + t.muted.Render("of a context of "+contextName(a.Config.ContextLength))
}

func (p *budgetPane) saving(bill budget.Bill) []string {
	t := p.theme
	if bill.Saving < 0 {
		return indented(t.warn, fmt.Sprintf("the bridge costs %s tokens a turn more than it saves", number(-bill.Saving)), p.width)
	}
	return []string{" saves " + t.good.Bold(true).Render(number(bill.Saving)) + fmt.Sprintf(" tokens a turn, %.1f %%", bill.SavingShare())}
}

// legend is one line of what a part of the bars stands for: what it costs, its
// share of the context, and how many tools it is.
func (p *budgetPane) legend(which budgetPart, name string, tools, tokens int, bill budget.Bill) string {
	s := p.theme.part(which, tokens)
	line := fmt.Sprintf(" %s %-9s%10s", s.style.Render(strings.Repeat(cmp.Or(s.glyph, "█"), 2)), name, number(tokens))
	if share, known := bill.Share(tokens); known && p.width >= 44 {
		line += p.theme.muted.Render(fmt.Sprintf("  %5.1f %%", share))
	}
	if tools > 0 && p.width >= 44 {
		line += p.theme.muted.Render("  " + plural(tools, "tool"))
	}
	return line
}

// listingGauge is how much of its budget the listing takes.
func (p *budgetPane) listingGauge(a engine.Assembly) string {
	t := p.theme
	figure := number(a.Listing.Tokens) + " of " + number(a.Budget.Tokens)
	style := t.listing
	if a.OverBudget {
		style = t.bad
		figure += " over"
	}
	width := p.width - 20 - ansi.StringWidth(figure)
	if width < 4 {
		return " listing budget " + figure
	}
	return " listing budget   " + bar([]segment{{value: float64(a.Listing.Tokens), style: style}}, float64(max(1, a.Budget.Tokens)), width, t.track) + " " + figure
}

// breakEven says how many cold calls a turn use up the saving.
func (p *budgetPane) breakEven(bill budget.Bill) []string {
	calls, ok := bill.BreakEven()
	if !ok {
		return nil
	}
	text := fmt.Sprintf("break-even: %s cold calls a turn. A cold call, the first of a tool, needs a tool_describe: %s tokens on average, which stay in the history",
		callsText(calls), number(bill.DescribeMean))
	return indented(p.theme.muted, text, p.width)
}

func callsText(calls float64) string {
	if calls >= 100 {
		return number(int(calls))
	}
	return fmt.Sprintf("%.1f", calls)
}

// exact is the bill as a real tokenizer counts it.
func (p *budgetPane) exact() []string {
	t, e := p.theme, p.snap.Exact
	switch {
	case !e.On:
		return []string{" " + t.key.Render("o") + t.muted.Render(" counts with a real tokenizer ("+tokenizer.Name+") beside it")}
	case e.Failed != "":
		return indented(t.bad, e.Failed, p.width)
	case !e.Known:
		return []string{" " + t.muted.Render(tokenizer.Name+": counting…")}
	}
	text := fmt.Sprintf("%s: without %s, with %s, saves %s (%.1f %%)", tokenizer.Name, number(e.Bill.Eager), number(e.Bill.WithBridge), number(e.Bill.Saving), e.Bill.SavingShare())
	if calls, ok := e.Bill.BreakEven(); ok {
		text += fmt.Sprintf(", break-even %s cold calls at %s", callsText(calls), number(e.Bill.DescribeMean))
	}
	if e.Counting {
		text += " · counting anew…"
	}
	return indented(t.accent, text, p.width)
}
