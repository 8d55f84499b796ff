package ui

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"toolscope/budget"
	"toolscope/engine"
	"toolscope/ui/display"
)

// tierPane shows the decision: tier and form, the budget and which leg binds,
// the ladder, and what the next better and worse form would take.
type tierPane struct {
	theme         theme
	width, height int
	focus         bool
	snap          Snapshot
	top           int
	content       []string
	tracks        []track // where the sliders lie
}

// track is where a slider lies among the content, for the pointer.
type track struct {
	key          string
	line, x, len int
	value        func(at float64) string // the value at a place in its range, 0–1
}

func newTierPane(t theme) *tierPane { return &tierPane{theme: t} }

func (p *tierPane) Title() (name, note string) {
	if n := len(p.snap.Warnings); n > 0 {
		note = p.theme.warn.Render("⚠ " + plural(n, "warning"))
	}
	return "Tier", note
}

func (p *tierPane) SetSize(width, height int) {
	p.width, p.height = width, height
	p.build()
}

func (p *tierPane) SetSnapshot(s Snapshot) {
	p.snap = s
	p.build()
}

func (p *tierPane) SetFocus(focus bool) {
	p.focus = focus
	p.build()
}

// HandleKey tunes with the arrow keys, as nowhere else, and scrolls.
func (p *tierPane) HandleKey(msg tea.KeyMsg) (tea.Msg, bool) {
	switch k := msg.String(); k {
	case "left", "h", "shift+left", "right", "l", "shift+right":
		steps := 1
		if strings.HasSuffix(k, "left") || k == "h" {
			steps = -1
		}
		return tuneMsg{key: engine.KeyThresholdPct, steps: steps, coarse: strings.HasPrefix(k, "shift")}, true
	case "down", "j", "shift+down", "up", "k", "shift+up":
		steps := 1
		if strings.HasSuffix(k, "down") || k == "j" {
			steps = -1
		}
		return tuneMsg{key: engine.KeyListingMaxTokens, steps: steps, coarse: strings.HasPrefix(k, "shift")}, true
	case "pgdown":
		p.scroll(p.height - 1)
	case "pgup":
		p.scroll(1 - p.height)
	case "g", "home":
		p.scroll(-len(p.content))
	case "G", "end":
		p.scroll(len(p.content))
	default:
		return nil, false
	}
	return nil, true
}

func (p *tierPane) HandleWheel(n int) { p.scroll(n) }

// HandleClick moves a slider to the pointer.
func (p *tierPane) HandleClick(x, y int) tea.Msg {
	for _, t := range p.tracks {
		if t.line == y+p.top && x >= t.x && x < t.x+t.len {
			return setMsg{t.key, t.value(float64(x-t.x) / float64(max(1, t.len-1)))}
		}
	}
	return nil
}

func (p *tierPane) scroll(n int) { p.top = scrolled(p.top+n, len(p.content), p.height) }

// Foot says what is hidden above and below.
func (p *tierPane) Foot() string { return scrollNote(p.theme, p.top, len(p.content), p.height) }

func (p *tierPane) View() string {
	return lines(window(p.content, p.top, p.height), 0, p.width, p.height)
}

// build makes the pane's lines: what matters most first.
func (p *tierPane) build() {
	a := p.snap.Assembly
	var out []string
	out = append(out, p.headline(a)...)
	out = append(out, p.budgetLines(a)...)
	p.tracks = nil
	out = append(out, p.settings(a, len(out))...)
	if len(a.Ladder) > 0 {
		distances := p.distances(a)
		out = append(out, p.rule("ladder"))
		out = append(out, p.ladder(a, max(5, p.height-len(out)-len(distances)))...)
		out = append(out, distances...)
	}
	out = append(out, p.warnings()...)
	p.content = out
	p.top = scrolled(p.top, len(out), p.height)
}

// roomy is the height, in lines, from which each setting has a line of its own.
const roomy = 18

func (p *tierPane) rule(title string) string { return rule(p.theme, title, p.width) }

// rule is a titled line between two parts of a pane.
func rule(t theme, title string, width int) string {
	return t.faint.Render("── ") + t.muted.Render(title) + t.faint.Render(" "+strings.Repeat("─", max(0, width-ansi.StringWidth(title)-4)))
}

func (p *tierPane) headline(a engine.Assembly) []string {
	t := p.theme
	head := " " + badge(t.tiers[min(max(a.Tier, 0), 2)], fmt.Sprintf("TIER %d", a.Tier)) + " "
	if a.Tier > 0 {
		head += t.form(string(a.Form)).Bold(true).Render(string(a.Form)) + "  "
	}
	if a.OverBudget {
		head += t.bad.Render("over budget") + "  "
	}
	said := situation(p.snap)
	if ansi.StringWidth(head)+ansi.StringWidth(said) <= p.width {
		return []string{head + t.muted.Render(said)}
	}
	if p.height < roomy {
		return []string{head}
	}
	out := []string{head}
	return append(out, indented(t.muted, said, p.width)...)
}

// indented wraps a text under a margin of one cell. Each line is styled by
// itself, since a line on a screen carries no style over to the next.
func indented(style lipgloss.Style, s string, width int) []string {
	var out []string
	for _, l := range strings.Split(ansi.Wrap(s, max(1, width-2), ""), "\n") {
		out = append(out, " "+style.Render(l))
	}
	return out
}

// bulleted wraps a text behind a mark, with a hanging indent.
func bulleted(mark, s string, width int) []string {
	var out []string
	for i, l := range strings.Split(ansi.Wrap(s, max(1, width-4), ""), "\n") {
		if i > 0 {
			mark = " "
		}
		out = append(out, " "+mark+" "+l)
	}
	return out
}

// situation is [sentence], or what is waited for.
func situation(s Snapshot) string {
	if n := s.connecting(); n > 0 && s.Assembly.Tier == 0 && s.Assembly.Config.Enabled != engine.Off {
		return "waiting for " + plural(n, "server") + ": nothing to defer yet"
	}
	return sentence(s.Assembly)
}

// sentence says what the model sees, in words.
func sentence(a engine.Assembly) string {
	summarised := 0
	for _, g := range a.Groups {
		if g.Mode == engine.ModeSummary {
			summarised++
		}
	}
	switch {
	case a.Tier == 0 && a.Config.Enabled == engine.Off:
		return "enabled: off, so every schema goes to the model"
	case a.Tier == 0:
		return "nothing to defer: no tool of a server or plugin"
	case a.Config.Listing == engine.Off:
		return "listing: off, so the model must search"
	}
	switch a.Form {
	case engine.FormFull:
		return "every tool listed with a short description"
	case engine.FormNames:
		return "every tool listed, by name alone"
	case engine.FormMixed:
		return fmt.Sprintf("%d of %d groups summarised, the others by name", summarised, len(a.Groups))
	case engine.FormGroups:
		if a.OverBudget {
			return "one line a group, over budget (listing: on)"
		}
		return "one line a group: the model must search"
	}
	return "no listing fits: the model must search"
}

// budgetLines shows both legs of the budget and which one binds.
func (p *tierPane) budgetLines(a engine.Assembly) []string {
	t, b := p.theme, a.Budget
	leg := fmt.Sprintf("%s %% of %s = %s", percent(a.Config.ThresholdPct), contextName(a.Config.ContextLength), number(b.PercentLeg))
	if a.Config.ContextLength <= 0 {
		leg = fmt.Sprintf("%s, context unknown", number(b.PercentLeg))
	}
	bold := func(on bool, s string) string {
		if on {
			return t.strong.Render(s)
		}
		return t.muted.Render(s)
	}
	line := " budget " + t.strong.Render(number(b.Tokens)) + t.muted.Render(" = min(") +
		bold(b.BoundBy == budget.LegCap, number(b.CapLeg)+" cap") + t.muted.Render(", ") +
		bold(b.BoundBy == budget.LegPercent, leg) + t.muted.Render(")")
	out := []string{line}
	// Told by the width alone: with the values the lines would jump while one
	// tunes.
	if p.width < 60 {
		out = []string{
			" budget " + t.strong.Render(number(b.Tokens)) + t.muted.Render(" = min(") + bold(b.BoundBy == budget.LegCap, number(b.CapLeg)+" cap") + t.muted.Render(","),
			"         " + bold(b.BoundBy == budget.LegPercent, leg) + t.muted.Render(")"),
		}
	}
	binds := " bound by " + string(b.BoundBy)
	if a.Activated && a.Form != engine.FormNone && !a.OverBudget {
		binds += fmt.Sprintf(" · %s unused", number(a.UnusedBudget()))
	}
	return append(out, t.muted.Render(binds))
}

// settings shows the tuned settings: as sliders, each with its keys and a mark
// at the value as configured, or where there is little room on one line. line is
// where the first of its lines comes to stand.
func (p *tierPane) settings(a engine.Assembly, line int) []string {
	c, o := a.Config, p.snap.Original
	keys := [3]string{"[ ]", "{ }", "< >"}
	if p.focus {
		keys[0], keys[1] = "←/→", "↑/↓"
	}
	if p.height < roomy {
		return p.settingsBrief(keys, c, o)
	}
	out := []string{p.rule("settings")}
	for i, s := range sliders() {
		drawn, x, length := p.slider(keys[i], s.name, s.shown(c), s.shown(o), s.place(c), s.place(o))
		if length > 0 {
			p.tracks = append(p.tracks, track{s.key, line + len(out), x, length, s.at})
		}
		out = append(out, drawn)
	}
	return append(out, p.words(c, o))
}

// slider is a setting on a track that is not to scale: small values, where
// things change, get more room.
type slider struct {
	key, name string
	shown     func(engine.Config) string
	place     func(engine.Config) float64 // in its range, 0–1
	at        func(place float64) string  // the value there, as typed
}

func sliders() []slider {
	last := float64(contextSizes[len(contextSizes)-1]) / 8000
	return []slider{
		{
			engine.KeyThresholdPct, "threshold_pct", func(c engine.Config) string { return percent(c.ThresholdPct) + " %" },
			func(c engine.Config) float64 { return math.Sqrt(c.ThresholdPct / 100) },
			func(at float64) string {
				step := 10.0
				if at < 0.1 { // below one percent
					step = 100
				}
				return percent(math.Round(at*at*100*step) / step)
			},
		},
		{
			engine.KeyListingMaxTokens, "listing_max_tokens", func(c engine.Config) string { return number(c.ListingMaxTokens) },
			func(c engine.Config) float64 {
				return math.Log(float64(c.ListingMaxTokens)/minListingTokens) / math.Log(float64(maxListingTokens)/minListingTokens)
			},
			func(at float64) string {
				tokens := minListingTokens * math.Pow(float64(maxListingTokens)/minListingTokens, at)
				return strconv.Itoa(int(math.Round(tokens/stepListingTokens)) * stepListingTokens)
			},
		},
		{
			keyContextLength, "context", func(c engine.Config) string { return contextName(c.ContextLength) },
			func(c engine.Config) float64 { return math.Log1p(float64(c.ContextLength)/8000) / math.Log1p(last) },
			func(at float64) string {
				want, nearest := math.Expm1(at*math.Log1p(last))*8000, 0
				for _, size := range contextSizes {
					if math.Abs(float64(size)-want) < math.Abs(float64(nearest)-want) {
						nearest = size
					}
				}
				return strconv.Itoa(nearest)
			},
		},
	}
}

// settingsBrief is the settings on one line, or two.
func (p *tierPane) settingsBrief(keys [3]string, c, o engine.Config) []string {
	t := p.theme
	item := func(keys, value string, tuned bool) string {
		if tuned {
			value = t.warn.Render(value)
		} else {
			value = t.strong.Render(value)
		}
		return t.key.Render(keys) + " " + value
	}
	items := []string{
		item(keys[0], percent(c.ThresholdPct)+" %", c.ThresholdPct != o.ThresholdPct),
		item(keys[1], number(c.ListingMaxTokens), c.ListingMaxTokens != o.ListingMaxTokens),
		item(keys[2], contextName(c.ContextLength), c.ContextLength != o.ContextLength),
	}
	out, _ := flow(items, "  ", p.width, 2)
	return append(append([]string{p.rule("settings")}, out...), p.words(c, o))
}

// words are the settings that are words, each with its key.
func (p *tierPane) words(c, o engine.Config) string {
	t := p.theme
	item := func(key, name, value, original string) string {
		style := t.strong
		if value != original {
			style = t.warn
		}
		if name != "" {
			name += " "
		}
		return t.key.Render(key) + " " + t.muted.Render(name) + style.Render(value)
	}
	style := func(s engine.NameStyle) string { return string(cmp.Or(s, engine.NamesSingle)) }
	items := []string{
		item("E", "enabled", string(c.Enabled), string(o.Enabled)),
		item("L", "listing", string(c.Listing), string(o.Listing)),
		item("N", "", style(c.ToolNames), style(o.ToolNames)),
	}
	return " " + strings.Join(items, "  ")
}

// slider draws one setting and says where its track lies; at and was are the
// places in its range of the value and of the value as configured.
func (p *tierPane) slider(keys, name, value, original string, at, was float64) (line string, x, length int) {
	t := p.theme
	tuned := value != original
	line = " " + t.key.Render(keys) + " " + fit(name, 19)
	if tuned {
		line += t.warn.Render(fmt.Sprintf("%8s", value))
	} else {
		line += t.strong.Render(fmt.Sprintf("%8s", value))
	}
	const noteWidth = 14
	room := p.width - ansi.StringWidth(line) - 3
	note := ""
	if room >= 6+noteWidth {
		room -= noteWidth // also while there is no note: the track keeps its scale
		if tuned {
			note = "  was " + original
		}
	}
	if room < 6 {
		return line, 0, 0
	}
	place := func(v float64) int { return min(max(int(v*float64(room-1)+0.5), 0), room-1) }
	dot, mark := place(at), place(was)
	track := t.accent.Render(strings.Repeat("━", dot)+"●") + t.track.Render(strings.Repeat("─", room-1-dot))
	if tuned && mark != dot {
		if mark < dot {
			track = t.accent.Render(strings.Repeat("━", mark)) + t.warn.Render("○") + t.accent.Render(strings.Repeat("━", dot-mark-1)+"●") + t.track.Render(strings.Repeat("─", room-1-dot))
		} else {
			track = t.accent.Render(strings.Repeat("━", dot)+"●") + t.track.Render(strings.Repeat("─", mark-dot-1)) + t.warn.Render("○") + t.track.Render(strings.Repeat("─", room-1-mark))
		}
	}
	return line + "  " + track + t.warn.Render(note), ansi.StringWidth(line) + 2, room
}

// ladder shows the steps around the one that was chosen, at most so many rows.
func (p *tierPane) ladder(a engine.Assembly, rows int) []string {
	chosen := a.Chosen()
	anchor := chosen
	if anchor < 0 {
		anchor = len(a.Ladder) - 1
	}
	first, last := 0, len(a.Ladder)
	if last > rows {
		first = min(max(anchor-rows/2, 0), last-rows)
		last = first + rows
	}
	width := 1
	for _, s := range a.Ladder {
		width = max(width, len(number(s.Tokens)))
	}
	var out []string
	for i := first; i < last; i++ {
		if i == first && first > 0 {
			out = append(out, p.theme.muted.Render(fmt.Sprintf("   ↑ %s above, the largest %s tokens", plural(first+1, "step"), number(a.Ladder[0].Tokens))))
			continue
		}
		if i == last-1 && last < len(a.Ladder) {
			out = append(out, p.theme.muted.Render(fmt.Sprintf("   ↓ %s below", plural(len(a.Ladder)-last+1, "step"))))
			continue
		}
		out = append(out, p.step(a, i, chosen, width))
	}
	return out
}

func (p *tierPane) step(a engine.Assembly, i, chosen, width int) string {
	t, s := p.theme, a.Ladder[i]
	mark, ratio := t.bad.Render("✗"), "–"
	if a.Budget.Tokens > 0 {
		r := float64(s.Tokens) / float64(a.Budget.Tokens)
		switch {
		case s.Fits:
			ratio = fmt.Sprintf("%.0f %% of it", r*100)
		case r < 10:
			ratio = fmt.Sprintf("%.2f× budget", r)
		default:
			ratio = fmt.Sprintf("%.1f× budget", r)
		}
	}
	if s.Fits {
		mark = t.good.Render("✓")
	}
	note := ""
	if s.Collapsed != "" {
		note = display.Clip(s.Collapsed, 24) + " → Σ"
	}
	body := fmt.Sprintf("%-6s %*s  %-13s", s.Form, width, number(s.Tokens), ratio)
	switch {
	case i == chosen:
		return t.accent.Render(" ›") + mark + " " + t.selected.Render(fit(body+note, p.width-5))
	case chosen >= 0 && i > chosen:
		return "  " + t.faint.Render("·") + " " + t.muted.Render(body+note)
	}
	return "  " + mark + " " + body + t.muted.Render(note)
}

// distances says what the next better and the next worse listing would take.
func (p *tierPane) distances(a engine.Assembly) []string {
	t := p.theme
	better, next := neighbours(a)
	var out []string
	if better != nil {
		out = append(out, bulleted(t.good.Render("▲"), stepName(*better)+" needs "+needText(a, a.NeedFor(better.Tokens)), p.width)...)
	}
	if chosen := a.Chosen(); chosen >= 0 {
		worse := "no listing"
		switch {
		case next != nil:
			worse = stepName(*next)
		case a.Config.Listing == engine.On:
			worse = "over budget"
		}
		out = append(out, bulleted(t.deferred.Render("▼"), fmt.Sprintf("below %s tokens: %s", number(a.Ladder[chosen].Tokens), worse), p.width)...)
	}
	return out
}

// neighbours are the steps of the ladder that come next where the budget grows
// and where it shrinks; nil for none.
func neighbours(a engine.Assembly) (better, worse *engine.Threshold) {
	steps := a.Thresholds()
	chosen := a.Chosen()
	if chosen < 0 {
		chosen = len(steps)
	}
	for i := range steps {
		switch {
		case !steps[i].Reachable:
		case i < chosen:
			better = &steps[i]
		case i > chosen && worse == nil:
			worse = &steps[i]
		}
	}
	return better, worse
}

// stepName is a step of the ladder in a few words.
func stepName(s engine.Threshold) string {
	if s.Collapsed != "" {
		return string(s.Form) + " (" + display.Clip(s.Collapsed, 24) + " → Σ)"
	}
	return string(s.Form)
}

// needText names the settings that have to move for the budget to reach a
// number of tokens.
func needText(a engine.Assembly, n engine.Need) string {
	var parts []string
	if a.Budget.CapLeg < n.Tokens {
		if n.ListingMaxTokens == nil {
			return number(n.Tokens) + " tokens: out of reach"
		}
		parts = append(parts, "listing_max_tokens ≥ "+number(*n.ListingMaxTokens))
	}
	if a.Budget.PercentLeg < n.Tokens {
		switch {
		case a.Config.ContextLength <= 0:
			parts = append(parts, "a known context (unknown caps at 10,000)")
		case n.ThresholdPct == nil:
			return number(n.Tokens) + " tokens: more than the context"
		default:
			parts = append(parts, "threshold_pct ≥ "+percent(*n.ThresholdPct))
		}
	}
	if len(parts) == 0 {
		return number(n.Tokens) + " tokens"
	}
	return strings.Join(parts, " and ")
}

func (p *tierPane) warnings() []string {
	if len(p.snap.Warnings) == 0 {
		return nil
	}
	out := []string{p.rule("warnings")}
	for _, w := range p.snap.Warnings {
		out = append(out, bulleted(p.theme.warn.Render("⚠"), display.Clip(w.String(), 4*max(p.width, 20)), p.width)...)
	}
	return slices.Clip(out)
}
