package ui

import (
	"cmp"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

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
	p.build()
}

func (p *budgetPane) SetFocus(bool) {}

// HandleKey scrolls.
func (p *budgetPane) HandleKey(msg tea.KeyMsg) (tea.Msg, bool) {
	switch msg.String() {
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

func (p *budgetPane) View() string {
	return lines(window(p.theme, p.content, p.top, p.height, p.width), 0, p.width, p.height)
}

func (p *budgetPane) build() {
	t, a := p.theme, p.snap.Assembly
	core, listing := a.VisibleTokens, a.Listing.Tokens
	bridge := max(0, a.BridgeTokens-listing)
	without, with := core+a.DeferredTokens, core+a.BridgeTokens
	scale := float64(a.Config.ContextLength)
	if scale < float64(max(without, with)) {
		scale = float64(max(without, with)) // unknown, or too small for the tools
	}

	var out []string
	out = append(out, p.row("without", without, scale, []segment{t.part(partCore, core), t.part(partDeferred, a.DeferredTokens)}))
	if a.Tier == 0 {
		out = append(out, indented(t.muted, "Tier 0: no bridge. Every schema stands in the tools array, every turn.", p.width)...)
	} else {
		out = append(out, p.row("with", with, scale, []segment{t.part(partCore, core), t.part(partBridge, bridge), t.part(partListing, listing)}))
	}
	out = append(out, p.scaleNote(a, without), "")
	if a.Tier > 0 {
		out = append(out, p.saving(without, with), "")
	}
	total := max(1, without)
	out = append(out, p.legend(partCore, "core", len(a.Visible), core, total))
	if a.Tier > 0 {
		out = append(out,
			p.legend(partBridge, "bridge", len(a.Bridges), bridge, total),
			p.legend(partListing, "listing", 0, listing, total),
			p.legend(partDeferred, "deferred", len(a.Deferred), a.DeferredTokens, total))
		out = append(out, p.listingGauge(a))
		out = append(out, p.breakEven(a, without-with)...)
	}
	p.content = out
	p.top = scrolled(p.top, len(out), p.height)
}

// row is one bar of the context with its figure.
func (p *budgetPane) row(name string, tokens int, scale float64, parts []segment) string {
	t := p.theme
	figure := fmt.Sprintf("%6s", short(tokens))
	if n := p.snap.Assembly.Config.ContextLength; n > 0 {
		figure += fmt.Sprintf(" %5.1f %%", float64(tokens)/float64(n)*100)
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

func (p *budgetPane) saving(without, with int) string {
	t := p.theme
	if without < with {
		return " " + t.warn.Render(fmt.Sprintf("the bridge costs %s tokens a turn more than it saves", number(with-without)))
	}
	share := 0.0
	if without > 0 {
		share = float64(without-with) / float64(without) * 100
	}
	return " saves " + t.good.Bold(true).Render(number(without-with)) + fmt.Sprintf(" tokens a turn, %.1f %%", share)
}

// legend is one line of what a part of the bars stands for, how many tools it
// is, and what it costs.
func (p *budgetPane) legend(which budgetPart, name string, tools, tokens, total int) string {
	count := ""
	if tools > 0 {
		count = plural(tools, "tool")
	}
	s := p.theme.part(which, tokens)
	line := fmt.Sprintf(" %s %-9s%10s", s.style.Render(strings.Repeat(cmp.Or(s.glyph, "█"), 2)), name, number(tokens))
	if p.width >= 44 {
		line += p.theme.muted.Render(fmt.Sprintf("  %5.1f %%  %s", float64(tokens)/float64(total)*100, count))
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

// breakEven says how many cold calls a turn eat the saving: each needs a
// tool_describe first, whose answer stays in the history.
func (p *budgetPane) breakEven(a engine.Assembly, saving int) []string {
	if len(a.Deferred) == 0 || saving <= 0 {
		return nil
	}
	mean := max(1, a.DeferredTokens/len(a.Deferred))
	calls := float64(saving) / float64(mean)
	figure := fmt.Sprintf("%.1f", calls)
	if calls >= 100 {
		figure = number(int(calls))
	}
	text := fmt.Sprintf("break-even: %s cold calls a turn, at %s tokens the mean tool_describe answer (which stays in the history)", figure, number(mean))
	return indented(p.theme.muted, text, p.width)
}
