package ui

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/ui/display"
)

// listingPane shows every server with what listing it costs, and below it the
// exact text the model gets.
type listingPane struct {
	theme         theme
	width, height int
	focus         bool
	snap          Snapshot
	cursor        int
	top           int // of the manifest
	text          manifestText
	order         map[string]int // a label's place among the collapses, from 1
}

func newListingPane(t theme) *listingPane { return &listingPane{theme: t} }

func (p *listingPane) Title() (name, note string) {
	a := p.snap.Assembly
	if !a.Activated {
		return "Listing by server", ""
	}
	return "Listing by server", p.theme.form(string(a.Form)).Render(string(a.Form)) +
		p.theme.muted.Render(fmt.Sprintf(" · %s of %s tokens", number(a.Listing.Tokens), number(a.Budget.Tokens)))
}

func (p *listingPane) SetSize(width, height int) {
	p.width, p.height = width, height
	p.settle()
}

func (p *listingPane) SetSnapshot(s Snapshot) {
	p.snap = s
	p.order = map[string]int{}
	for _, step := range s.Assembly.Ladder {
		if step.Collapsed != "" {
			p.order[step.Collapsed] = len(p.order) + 1
		}
	}
	p.settle()
}

func (p *listingPane) SetFocus(focus bool) { p.focus = focus }

// settle lays the manifest out anew if it has changed and keeps cursor and
// scroll inside their content.
func (p *listingPane) settle() {
	p.cursor = min(max(p.cursor, 0), max(0, len(p.snap.Servers)-1))
	p.text = p.text.laidOut(p.snap.Assembly.Listing.Text, p.snap.Before, max(1, p.width-3))
	p.top = scrolled(p.top, len(p.text.rows), p.textHeight())
}

// HandleKey moves the cursor, scrolls the manifest and switches servers.
func (p *listingPane) HandleKey(msg tea.KeyMsg) (tea.Msg, bool) {
	switch msg.String() {
	case "down", "j":
		p.cursor++
	case "up", "k":
		p.cursor--
	case "g", "home":
		p.cursor = 0
	case "G", "end":
		p.cursor = len(p.snap.Servers)
	case "J":
		p.top++
	case "K":
		p.top--
	case "pgdown":
		p.top += max(1, p.textHeight()-1)
	case "pgup":
		p.top -= max(1, p.textHeight()-1)
	case " ", "enter":
		if s, ok := p.selected(); ok {
			return toggleServerMsg{s.Name}, true
		}
	case "t":
		if s, ok := p.selected(); ok {
			return toggleToolsetMsg{s.Toolset}, true
		}
	case "r":
		if s, ok := p.selected(); ok && !s.Plugin {
			return retryServerMsg{s.Name}, true
		}
	default:
		return nil, false
	}
	p.settle()
	return nil, true
}

func (p *listingPane) selected() (Server, bool) {
	if p.cursor >= len(p.snap.Servers) {
		return Server{}, false
	}
	return p.snap.Servers[p.cursor], true
}

// HandleWheel scrolls the manifest.
func (p *listingPane) HandleWheel(n int) {
	p.top += n
	p.settle()
}

// HandleClick selects a row.
func (p *listingPane) HandleClick(_, y int) tea.Msg {
	if row := y - 1 + p.firstRow(); y >= 1 && y <= p.tableRows() && row < len(p.snap.Servers) {
		p.cursor = row
	}
	return nil
}

// tableRows is how many servers show: at most a little over half the pane.
func (p *listingPane) tableRows() int {
	most := max(1, (p.height-2)*11/20)
	if p.height < 6 {
		most = max(1, p.height-1)
	}
	return min(len(p.snap.Servers), most)
}

// firstRow keeps the cursor in view.
func (p *listingPane) firstRow() int {
	rows := p.tableRows()
	return max(0, min(p.cursor-rows/2, len(p.snap.Servers)-rows))
}

// textHeight is the lines left for the manifest under its title.
func (p *listingPane) textHeight() int {
	return max(0, p.height-p.tableRows()-2-len(p.selectedWhy()))
}

// Foot says what of the manifest is hidden above and below.
func (p *listingPane) Foot() string {
	return scrollNote(p.theme, p.top, len(p.text.rows), p.textHeight())
}

func (p *listingPane) View() string {
	c := p.columns()
	out := []string{p.head(c)}
	first := p.firstRow()
	for i := first; i < first+p.tableRows(); i++ {
		out = append(out, p.row(p.snap.Servers[i], c, i == p.cursor))
	}
	if len(p.snap.Servers) == 0 {
		out = append(out, p.theme.muted.Render("  no servers and no plugin toolsets in this configuration"))
	}
	if hidden := len(p.snap.Servers) - p.tableRows(); hidden > 0 {
		note := p.theme.accent.Render(fmt.Sprintf(" %d more ↑↓ ", hidden))
		out[0] = fit(out[0], p.width-ansi.StringWidth(note)) + note
	}
	out = append(out, p.selectedWhy()...)
	if p.textHeight() > 0 {
		out = append(out, p.textTitle())
		out = append(out, p.textLines()...)
	}
	return lines(out, 0, p.width, p.height)
}

// listingColumns is how wide each column of the table is. Zero leaves it out.
type listingColumns struct{ name, state, tools, full, names, summary, mode, order, why int }

// columns fits the table to the width: the reasons go first, then the order,
// the state's word and the summary's cost.
func (p *listingPane) columns() listingColumns {
	c := listingColumns{name: 8, state: 12, tools: 6, full: 8, names: 8, summary: 8, mode: 8, order: 6}
	for _, s := range p.snap.Servers {
		c.name = max(c.name, min(20, ansi.StringWidth(display.Clip(serverTitle(s), 20))))
	}
	used := func() int {
		return 3 + c.name + c.state + c.tools + c.full + c.names + c.summary + c.mode + c.order + 2
	}
	for _, drop := range []*int{&c.order, &c.summary, &c.full} {
		if used() <= p.width {
			break
		}
		*drop = 0
	}
	if used() > p.width {
		c.state = 2
	}
	if used() > p.width {
		c.name = max(6, c.name-(used()-p.width))
	}
	if c.why = p.width - used() - 1; c.why < 10 {
		c.why = 0
	}
	return c
}

func (p *listingPane) head(c listingColumns) string {
	right := func(s string, w int) string {
		if w == 0 {
			return ""
		}
		return fmt.Sprintf("%*s", w, s)
	}
	state := ""
	if c.state > 2 {
		state = "state"
	}
	why := ""
	if c.why > 0 {
		why = " why"
	}
	return p.theme.muted.Render("  " + fit("server", c.name) + " " + fit(state, c.state) + right("tools", c.tools) + right("full", c.full) +
		right("names", c.names) + right("summary", c.summary) + "  " + fit("now", c.mode) + right("order", c.order) + why)
}

// serverTitle is a row's name; a plugin toolset says that it is one.
func serverTitle(s Server) string {
	if s.Plugin {
		return s.Name + " (plugin)"
	}
	return s.Name
}

func (p *listingPane) row(s Server, c listingColumns, selected bool) string {
	t := p.theme
	figure := func(n, w int, known bool) string {
		switch {
		case w == 0:
			return ""
		case !known:
			return fmt.Sprintf("%*s", w, "–")
		}
		return fmt.Sprintf("%*s", w, number(n))
	}
	g := s.Group
	known := g.Tools > 0
	name := fit(display.Clip(serverTitle(s), c.name), c.name)
	if selected {
		name = t.selected.Render("› " + name)
	} else {
		name = "  " + name
	}
	state := stateMark(t, s.State, p.snap.Spinner)
	if c.state <= 2 {
		state = ansi.Truncate(state, 1, "")
	}
	if s.State != mcpconn.StateReady || !s.InScope {
		// There are no figures, so the reason takes their place.
		line := name + " " + fit(state, c.state) + "  "
		return line + p.why(s, p.width-ansi.StringWidth(line))
	}
	mode := t.muted.Render("–")
	if known {
		mode = t.form(string(g.Mode)).Render(modeWord(g.Mode))
		if changed(p.snap.Before, g) {
			mode += t.accent.Render("•")
		}
	}
	nth := ""
	if c.order > 0 {
		nth = fmt.Sprintf("%*s", c.order, "")
		if n := p.order[s.Label]; n > 0 {
			nth = t.muted.Render(fmt.Sprintf("%*d", c.order, n))
		}
	}
	line := name + " " + fit(state, c.state) + figure(s.Tools, c.tools, true) +
		figure(g.Tokens.Full, c.full, known) + figure(g.Tokens.Names, c.names, known) + figure(g.Tokens.Summary, c.summary, known) +
		"  " + fit(mode, c.mode) + nth
	if c.why > 0 {
		line += " " + p.why(s, c.why)
	}
	return line
}

// modeWord is a mode as the table says it.
func modeWord(m engine.Mode) string {
	if m == engine.ModeSummary {
		return "Σ line"
	}
	return string(m)
}

// changed reports whether a group's mode is another than before.
func changed(b Before, g engine.Group) bool {
	old, ok := b.Modes[g.Label]
	return b.Known && (!ok || old != g.Mode)
}

// why says in a few words why a row is as it is, and what would change it.
func (p *listingPane) why(s Server, width int) string {
	t, a := p.theme, p.snap.Assembly
	switch {
	case s.State == mcpconn.StateFailed:
		return t.bad.Render(display.Clip(s.Reason, width))
	case s.State == mcpconn.StateConnecting:
		return t.muted.Render(display.Clip(s.Progress, width))
	case s.State == mcpconn.StateOff:
		return t.muted.Render("space starts it")
	case !s.InScope:
		return t.warn.Render(display.Clip("outside this session (t brings it in)", width))
	case s.Group.Tools == 0 && s.Tools == 0:
		return t.muted.Render(display.Clip("no tools", width))
	case s.Group.Tools == 0:
		return t.warn.Render(display.Clip("every tool is shadowed or left out: see the warnings", width))
	}
	text := ""
	switch s.Group.Mode {
	case engine.ModeEager:
		text = "visible: tier 0"
	case engine.ModeFull:
		text = "all fit in full"
	case engine.ModeNames:
		text = "full over budget"
		if a.Form == engine.FormMixed {
			text = "names fit"
		}
	default:
		switch {
		case a.Config.Listing == engine.Off:
			text = "listing: off"
		case s.CanList:
			text = "by name again: " + needShort(a, s.Need)
		case a.Config.ContextLength <= 0 && s.Need.ListingMaxTokens != nil:
			text = "by name again: " + needText(a, s.Need)
		default:
			text = "out of reach: no setting lists its names"
		}
	}
	if s.Filtered > 0 {
		text += fmt.Sprintf(" · %d filtered", s.Filtered)
	}
	return t.muted.Render(display.Clip(text, width))
}

// selectedWhy is the reason of the row under the cursor in full, where its
// column could not hold it.
func (p *listingPane) selectedWhy() []string {
	s, ok := p.selected()
	if !ok || p.height < 10 {
		return nil
	}
	const far = 1 << 12 // wider than any reason
	full := p.why(s, far)
	room := p.columns().why
	if s.State != mcpconn.StateReady || !s.InScope {
		room = p.width - 18 - p.columns().name
	}
	if ansi.StringWidth(full) <= room {
		return nil
	}
	rows := wrapAt(display.Clip(serverTitle(s), 24)+": "+full, 4, p.width)
	rows[0] = p.theme.muted.Render("  ↳ ") + strings.TrimLeft(rows[0], " ")
	return rows[:min(2, len(rows))]
}

// needShort is [needText] for a narrow column: the legs that have to move.
func needShort(a engine.Assembly, n engine.Need) string {
	var parts []string
	if a.Budget.CapLeg < n.Tokens && n.ListingMaxTokens != nil {
		parts = append(parts, "cap "+number(*n.ListingMaxTokens))
	}
	if a.Budget.PercentLeg < n.Tokens && n.ThresholdPct != nil {
		parts = append(parts, percent(*n.ThresholdPct)+" %")
	}
	return strings.Join(parts, ", ")
}

// textTitle is the line between the table and the manifest.
func (p *listingPane) textTitle() string {
	l := p.snap.Assembly.Listing
	title := "what the model sees"
	if l.Text != "" {
		title += fmt.Sprintf(" · %s · %s", plural(l.Chars, "character"), plural(l.Tokens, "token"))
	}
	if p.text.added > 0 || p.text.removed > 0 {
		title += fmt.Sprintf(" · +%d −%d lines", p.text.added, p.text.removed)
	}
	return rule(p.theme, title, p.width)
}

// textLines is the manifest, or why there is none.
func (p *listingPane) textLines() []string {
	t, a := p.theme, p.snap.Assembly
	if a.Listing.Text == "" {
		say := "No listing fits the budget: the model knows only that tools are there, and how many, and must search for them."
		switch {
		case p.snap.connecting() > 0 && a.Tier == 0 && a.Config.Enabled != engine.Off:
			say = "No listing yet: waiting for " + plural(p.snap.connecting(), "server") + "."
		case a.Tier == 0:
			say = "No listing: nothing is deferred. The model sees every tool itself, with its whole schema."
		case a.Config.Listing == engine.Off:
			say = "No listing: listing is off. The model knows only how many tools there are and must search for them."
		}
		return append([]string{""}, indented(t.muted, say, p.width)...)
	}
	height := p.textHeight()
	var rows []string
	for i := p.top; i < len(p.text.rows) && i < p.top+height; i++ {
		r := p.text.rows[i]
		if r.added {
			rows = append(rows, t.added.Render(" + ")+r.text)
		} else {
			rows = append(rows, "   "+r.text)
		}
	}
	return rows
}

// manifestText is a manifest laid out for a width, with what changed since the
// assembly before.
type manifestText struct {
	source, before string
	width          int
	rows           []manifestRow
	added, removed int // lines of the manifest
}

type manifestRow struct {
	text  string // displayed
	added bool   // of a line that was not there before
}

// laidOut returns the layout of a manifest: the same one where nothing changed.
func (m manifestText) laidOut(source string, before Before, width int) manifestText {
	old := before.Listing
	if !before.Known {
		old = source
	}
	if m.source == source && m.before == old && m.width == width {
		return m
	}
	m = manifestText{source: source, before: old, width: width}
	was := map[string]bool{}
	for _, l := range strings.Split(old, "\n") {
		was[l] = true
	}
	now := map[string]bool{}
	for _, l := range strings.Split(source, "\n") {
		now[l] = true
		added := !was[l]
		if added {
			m.added++
		}
		for i, part := range foldLine(display.Text(l), width) {
			if i > 0 {
				part = "  " + part
			}
			m.rows = append(m.rows, manifestRow{part, added})
		}
	}
	for l := range was {
		if !now[l] && l != "" {
			m.removed++
		}
	}
	if source == "" {
		m.rows, m.added = nil, 0
	}
	return m
}

// foldLine breaks a line at blanks into pieces of at most width cells; the
// pieces after the first leave two cells for a hanging indent. The blank at a
// break is not shown. A manifest of tens of thousands of names on one line
// folds in one pass.
func foldLine(s string, width int) []string {
	if len(s) <= width {
		return []string{s}
	}
	var out []string
	var line strings.Builder
	cells, room := 0, max(width, 1)
	flush := func() {
		out = append(out, strings.TrimRight(line.String(), " "))
		line.Reset()
		cells, room = 0, max(width-2, 1)
	}
	for _, word := range strings.SplitAfter(s, " ") {
		bare := ansi.StringWidth(strings.TrimRight(word, " "))
		if cells > 0 && cells+bare > room {
			flush()
		}
		for bare > room {
			head := ansi.Truncate(word, room, "")
			if head == "" {
				break
			}
			line.WriteString(head)
			flush()
			word = word[len(head):]
			bare = ansi.StringWidth(strings.TrimRight(word, " "))
		}
		line.WriteString(word)
		cells += ansi.StringWidth(word)
	}
	if strings.TrimSpace(line.String()) != "" {
		flush()
	}
	return out
}
