package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/sahilm/fuzzy"

	"toolscope/budget"
	"toolscope/ui/display"
)

// browser is the list of every tool there is, those the model is not given
// among them, with a filter and an order; a tool of it opens. Rows are made
// once for an assembly, filtered once for a text, and drawn only where they
// show.
type browser struct {
	theme theme
	keys  keyMap
	input field
	snap  Snapshot

	rows   []toolRow
	sort   toolSort
	orders [sorts][]int // of the rows, by sort; nil until asked for

	shown   []int  // rows that pass the filter, in order
	pattern string // that the filter last looked for
	passed  []int  // rows that passed it, as they are in rows
	chars   int    // of the shown rows' definitions

	cursor, top int    // in shown
	wanted      string // the tool to open on, until there are rows
	height      int    // of the list, as last drawn

	opened bool // the tool under the cursor is
	detail toolSheet
}

// toolSort is an order of the browser's rows.
type toolSort int

const (
	sortServer toolSort = iota
	sortCost
	sortName
	sortWarnings
	sorts // how many there are
)

// String names the order.
func (s toolSort) String() string {
	return [...]string{"server order", "dearest first", "by name", "warnings first"}[s]
}

// maxFilter is how many characters the filter takes.
const maxFilter = 200

func newBrowser(t theme) *browser {
	return &browser{theme: t, keys: newKeyMap(), input: newField(maxFilter)}
}

// at opens the browser on a tool, given by its wire name or its own.
func (b *browser) at(name string) *browser {
	b.wanted = name
	return b
}

// SetSnapshot gives what to list. The cursor stays on its tool.
func (b *browser) SetSnapshot(s Snapshot) {
	old := b.snap
	b.snap = s
	if b.rows != nil && sameTools(old, s) {
		return
	}
	was, had := b.selected()
	b.rows, b.orders, b.pattern, b.passed = toolRows(s), [sorts][]int{}, "", nil
	b.filter()
	b.detail.forget()
	if had {
		id := idOf(was.def)
		at := slices.IndexFunc(b.shown, func(i int) bool { return idOf(b.rows[i].def) == id && b.rows[i].place.given() })
		if at < 0 {
			at = slices.IndexFunc(b.shown, func(i int) bool { return idOf(b.rows[i].def) == id })
		}
		b.opened = b.opened && at >= 0
		if at < 0 {
			at = max(0, min(b.cursor, len(b.shown)-1))
		}
		b.cursor = at
	}
	if b.wanted != "" {
		b.openOn(b.wanted)
		b.wanted = ""
	}
}

// openOn opens a tool by its name: of several with one name, the one that the
// model is given.
func (b *browser) openOn(name string) {
	best, rank := -1, 0
	for at, i := range b.shown {
		r := &b.rows[i]
		now := 0
		switch {
		case r.def.Name == name && r.place.given():
			now = 3
		case r.def.Name == name:
			now = 2
		case r.def.Tool.Name == name:
			now = 1
		}
		if now > rank {
			best, rank = at, now
		}
	}
	if best >= 0 {
		b.cursor = best
		b.open()
	}
}

// selected is the row under the cursor.
func (b *browser) selected() (*toolRow, bool) {
	if b.cursor >= len(b.shown) {
		return nil, false
	}
	return &b.rows[b.shown[b.cursor]], true
}

// Typing reports whether the filter is being written.
func (b *browser) Typing() bool { return b.input.typing() }

// order is the rows in an order.
func (b *browser) order(by toolSort) []int {
	if b.orders[by] != nil {
		return b.orders[by]
	}
	all := make([]int, len(b.rows))
	for i := range all {
		all[i] = i
	}
	switch by {
	case sortCost:
		slices.SortStableFunc(all, func(x, y int) int { return cmp.Compare(b.rows[y].tokens, b.rows[x].tokens) })
	case sortName:
		slices.SortStableFunc(all, func(x, y int) int { return cmp.Compare(b.rows[x].def.Name, b.rows[y].def.Name) })
	case sortWarnings:
		counts := make([]int, len(b.rows))
		for i := range b.rows {
			counts[i] = b.rows[i].warnings()
		}
		slices.SortStableFunc(all, func(x, y int) int { return cmp.Compare(counts[y], counts[x]) })
	}
	b.orders[by] = all
	return all
}

// rowNames is the texts of some of the rows, for the matcher.
type rowNames struct {
	rows []toolRow
	of   []int
}

// String is the i-th text.
func (n rowNames) String(i int) string { return n.rows[n.of[i]].matched() }

// Len is how many there are.
func (n rowNames) Len() int { return len(n.of) }

// filter finds the rows to show. A text that goes on where the last one ended
// is looked for only in what the last one found. In server order the best
// matches come first.
func (b *browser) filter() {
	pattern := strings.ReplaceAll(strings.TrimSpace(b.input.text()), " ", "")
	b.shown, b.chars = b.order(b.sort), 0
	if pattern == "" {
		b.pattern, b.passed = "", nil
	} else {
		among := rowNames{b.rows, b.passed}
		if b.pattern == "" || !strings.HasPrefix(pattern, b.pattern) {
			among.of = b.order(sortServer)
		}
		found := fuzzy.FindFromNoSort(pattern, among)
		b.pattern, b.passed = pattern, make([]int, len(found))
		for i, match := range found {
			b.passed[i] = among.of[match.Index]
		}
		if b.sort == sortServer {
			b.shown = make([]int, len(found))
			slices.SortFunc(found, func(x, y fuzzy.Match) int {
				return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.Index, y.Index))
			})
			for i, match := range found {
				b.shown[i] = among.of[match.Index]
			}
		} else {
			b.shown = only(b.shown, b.passed)
		}
	}
	for _, i := range b.shown {
		b.chars += b.rows[i].chars
	}
}

// only is those of an order that are among some rows.
func only(order, some []int) []int {
	is := make([]bool, len(order))
	for _, i := range some {
		is[i] = true
	}
	kept := make([]int, 0, len(some))
	for _, i := range order {
		if is[i] {
			kept = append(kept, i)
		}
	}
	return kept
}

// HandleWheel scrolls the tool that is open, or the list: the cursor stays in
// sight.
func (b *browser) HandleWheel(n int) {
	if b.opened {
		b.detail.scroll(n)
		return
	}
	b.top = scrolled(b.top+n, len(b.shown), b.height)
	b.cursor = max(0, min(max(b.cursor, b.top), b.top+b.height-1, len(b.shown)-1))
}

// The lines of the list's sheet above its rows: border, filter, head.
const aboveRows = 3

// HandleClick selects the row under the pointer, or opens it where it is
// selected; a click on the filter writes it.
func (b *browser) HandleClick(_, y int) (tea.Msg, bool) {
	row := y - aboveRows
	switch {
	case b.opened:
	case y == 1:
		b.input.focus()
	case row < 0 || row >= b.height || b.top+row >= len(b.shown):
	case b.cursor == b.top+row:
		b.open()
	default:
		b.cursor = b.top + row
	}
	return nil, false
}

// HandleKey moves, filters, sorts, opens, and asks for what concerns the tool
// under the cursor.
func (b *browser) HandleKey(msg tea.KeyMsg) (ask tea.Msg, done bool) {
	k := b.keys
	switch {
	case b.input.typing():
		b.typeKey(msg)
		return nil, false
	case key.Matches(msg, k.Tools, k.Quit):
		return nil, true
	case b.opened && key.Matches(msg, k.Back, k.OpenTool):
		b.opened = false
		return nil, false
	case key.Matches(msg, k.Back):
		return nil, true
	case key.Matches(msg, k.CallHit, k.Form, k.Expect, k.Copy):
		return b.ask(msg)
	case b.opened:
		b.detail.handleKey(msg, k)
		return nil, false
	case key.Matches(msg, k.FilterTools):
		b.input.focus()
	case key.Matches(msg, k.SortTools):
		b.sort = (b.sort + 1) % sorts
		b.filter()
		b.cursor, b.top = 0, 0
	case key.Matches(msg, k.OpenTool):
		b.open()
	case key.Matches(msg, k.Move):
		b.move(direction(msg))
	case key.Matches(msg, k.Page):
		b.move(direction(msg) * max(1, b.height-1))
	case key.Matches(msg, k.Ends) || msg.Type == tea.KeyHome || msg.Type == tea.KeyEnd:
		b.move(direction(msg) * len(b.shown))
	}
	return nil, false
}

// ask is what a key asks for the tool under the cursor.
func (b *browser) ask(msg tea.KeyMsg) (tea.Msg, bool) {
	r, ok := b.selected()
	switch k := b.keys; {
	case !ok:
		return nil, false
	case key.Matches(msg, k.CallHit):
		return callMsg{r.def.Name}, true
	case key.Matches(msg, k.Form):
		return composeMsg{tool: r.def.Name}, true
	case key.Matches(msg, k.Expect):
		return pinMsg{r.def.Name}, true
	case r.bare:
		return statusMsg{"nothing to copy: a filtered tool is known by its name only"}, false
	}
	return copyMsg{what: "the schema of " + display.Clip(r.def.Name, 60), text: string(r.def.Tool.Schema)}, false
}

// typeKey edits the filter. The arrows walk the list meanwhile, and enter opens
// what they lead to, as in every fuzzy finder.
func (b *browser) typeKey(msg tea.KeyMsg) {
	switch msg.Type {
	case tea.KeyEsc:
		b.input.blur()
	case tea.KeyEnter:
		b.input.blur()
		b.open()
	case tea.KeyUp, tea.KeyCtrlP:
		b.move(-1)
	case tea.KeyDown, tea.KeyCtrlN:
		b.move(1)
	case tea.KeyPgUp, tea.KeyPgDown:
		b.move(direction(msg) * max(1, b.height-1))
	default:
		if b.input.handleKey(msg, " ") {
			b.filter()
			b.cursor, b.top = 0, 0
		}
	}
}

func (b *browser) move(n int) { b.cursor = max(0, min(b.cursor+n, len(b.shown)-1)) }

// open shows the tool under the cursor whole.
func (b *browser) open() {
	if _, ok := b.selected(); ok {
		b.opened = true
		b.detail.forget()
		b.detail.top = 0
	}
}

// The widest sheet that is drawn, and the least that has room for anything.
const (
	maxBrowser       = 160
	minBrowserWidth  = 12
	minBrowserHeight = 5
)

// View draws the list, or the tool that is open.
func (b *browser) View(width, height int) string {
	width = min(width, maxBrowser)
	if width < minBrowserWidth || height < minBrowserHeight {
		return lines(nil, 0, max(0, width), max(0, height))
	}
	if r, ok := b.selected(); ok && b.opened {
		return b.detail.view(b.theme, b.snap, r, width, height)
	}
	t, inner := b.theme, width-2
	preview := b.preview(inner, height-2)
	b.height = height - 2 - (aboveRows - 1) - len(preview)
	b.top = scrolled(max(min(b.top, b.cursor), b.cursor-b.height+1), len(b.shown), b.height)
	columns := toolColumnsFor(inner)
	content := append(make([]string, 0, height), b.topLine(inner), t.muted.Render(columns.head()))
	for at := b.top; at < len(b.shown) && at < b.top+b.height; at++ {
		content = append(content, b.line(&b.rows[b.shown[at]], columns, at == b.cursor))
	}
	if len(b.shown) == 0 {
		said := "no tool yet: no server has listed any"
		if len(b.rows) > 0 {
			said = "nothing matches “" + display.Clip(b.input.text(), 40) + "”"
		}
		content = append(content, t.muted.Render("  "+said))
	}
	for len(content) < height-2-len(preview) {
		content = append(content, "")
	}
	content = append(content, preview...)
	note := "/ filter · o sort · enter open · c call · e expect · y copy schema · esc"
	if width < 110 {
		note = "/ filter · o sort · enter · esc"
	}
	title := "Tools · " + b.sort.String()
	if b.sort == sortServer && b.pattern != "" {
		title = "Tools · best match first"
	}
	return frame(t, 0, title, t.muted.Render(note), scrollNote(t, b.top, len(b.shown), b.height), lines(content, 0, inner, height-2), width, height, true)
}

// topLine is the filter, and what of the tools it shows.
func (b *browser) topLine(width int) string {
	t := b.theme
	shown, all := number(len(b.shown)), number(len(b.rows))
	tokens := budget.Estimate(b.chars)
	said := shown + " of " + all + " tools · " + number(tokens) + " tokens"
	if width < 60 {
		said = shown + "/" + all + " · " + short(tokens) + " tok"
	}
	room := max(0, width-ansi.StringWidth(said)-5)
	text := b.input.view(t, room)
	if !b.input.typing() && b.input.text() == "" {
		text = fit(t.muted.Render("filter by name"), room)
	}
	return fit(" "+t.key.Render("/")+" "+text+" "+t.muted.Render(said), width)
}

// preview tells of the tool under the cursor below the list, where there is
// room for both.
func (b *browser) preview(width, height int) []string {
	const least, rows = 16, 4
	r, ok := b.selected()
	if !ok || height < least {
		return nil
	}
	t := b.theme
	about := display.Clip(strings.TrimSpace(r.def.Tool.Description), (rows-2)*max(1, width-8))
	switch {
	case r.bare:
		about = t.muted.Render("(left out before it was read: only its name is known)")
	case about == "":
		about = t.muted.Render("(no description)")
	}
	out := []string{t.faint.Render(strings.Repeat("─", width)), " " + t.muted.Render(display.Clip(r.def.Name, width/2)+" · ") + r.standing(b.snap)}
	for _, l := range wrapAt(about, 1, width) {
		if len(out) < rows {
			out = append(out, l)
		}
	}
	for len(out) < rows {
		out = append(out, "")
	}
	return out
}

// toolColumns is how wide the columns of the list are, in cells; 0 is none.
type toolColumns struct {
	name, own, source, tokens, now, readOnly, warnings int
}

// toolColumnsFor gives the columns what a line of width cells has. What has no
// column at a width is in the tool's detail.
func toolColumnsFor(width int) toolColumns {
	c := toolColumns{tokens: 5, now: 8, readOnly: 1, warnings: 2}
	switch {
	case width >= fullWidth:
		c = toolColumns{source: 16, tokens: 7, now: 10, readOnly: 9, warnings: 30}
	case width >= 96:
		c = toolColumns{source: 14, tokens: 7, now: 10, readOnly: 9, warnings: 22}
	case width >= 74:
		c = toolColumns{source: 11, tokens: 7, now: 10, readOnly: 2, warnings: 14}
	case width >= 52:
		c = toolColumns{tokens: 7, now: 10, readOnly: 2, warnings: 3}
	}
	c.name = width - 2 // the cursor's
	for _, w := range []int{c.source, c.tokens, c.now, c.readOnly, c.warnings} {
		if w > 0 {
			c.name -= w + 1
		}
	}
	if width >= fullWidth {
		c.own = c.name * 2 / 5
		c.name -= c.own + 1
	}
	c.name = max(1, c.name)
	return c
}

// head names the columns.
func (c toolColumns) head() string {
	hint, warnings := "r", "⚠"
	switch {
	case c.readOnly > 2:
		hint = "read-only"
	case c.readOnly == 2:
		hint = "ro"
	}
	if c.warnings > 3 {
		warnings = "warnings"
	}
	tokens := "tokens"
	if c.tokens < len(tokens) {
		tokens = "tok"
	}
	return c.join("  ", "tool", "own name", "from", tokens, "now", hint, warnings)
}

// join lays the cells of a line side by side; the tokens stand to the right.
func (c toolColumns) join(mark, name, own, source, tokens, now, readOnly, warnings string) string {
	var b strings.Builder
	b.WriteString(mark + fit(name, c.name))
	for _, cell := range []struct {
		text  string
		width int
	}{{own, c.own}, {source, c.source}, {strings.Repeat(" ", max(0, c.tokens-ansi.StringWidth(tokens))) + tokens, c.tokens}, {now, c.now}, {readOnly, c.readOnly}, {warnings, c.warnings}} {
		if cell.width > 0 {
			b.WriteString(" " + fit(cell.text, cell.width))
		}
	}
	return b.String()
}

// line draws one row.
func (b *browser) line(r *toolRow, c toolColumns, selected bool) string {
	t := b.theme
	tokens := number(r.tokens)
	if ansi.StringWidth(tokens) > c.tokens {
		tokens = short(r.tokens)
	}
	if r.bare {
		tokens = "–"
	}
	hint := ""
	switch {
	case !r.def.Tool.ReadOnly:
	case c.readOnly > 2:
		hint = "read-only"
	default:
		hint = "✓"
	}
	warnings := ""
	if n := r.warnings(); n > 0 {
		if warnings = fmt.Sprintf("⚠%d", n); c.warnings > 3 {
			warnings = "⚠ " + r.brief()
		}
	}
	name, own := clipMiddle(r.def.Name, c.name), display.Clip(r.def.Tool.Name, c.own)
	if selected {
		return t.selected.Render(c.join("› ", name, own, r.origin(c.source), tokens, r.now(), hint, warnings))
	}
	now, bad := t.muted, t.warn
	if r.place.given() {
		now = t.form(string(r.mode))
	} else {
		name = t.muted.Render(name)
	}
	if r.place == placeFailed || r.place == placeShadowed || r.place == placeBridge {
		now = t.bad
	}
	if r.hidden > 0 {
		bad = t.bad
	}
	return c.join("  ", name, t.muted.Render(own), r.origin(c.source), tokens, now.Render(r.now()), hint, bad.Render(warnings))
}

// clipMiddle shortens a text in its middle: the names of one server begin
// alike, and what tells them apart is at the end.
func clipMiddle(s string, cells int) string {
	const most = 1 << 10 // bytes of it that are looked at, at either end
	if cells < 12 {
		return display.Clip(s, cells)
	}
	end := s
	if len(s) > most {
		at := len(s) - most
		for at < len(s) && s[at]&0xc0 == 0x80 {
			at++
		}
		end = s[at:]
	} else if whole := display.Text(s); ansi.StringWidth(whole) <= cells {
		return whole
	}
	head := display.Clip(s, cells/3)
	room := cells - ansi.StringWidth(head)
	end = display.Text(end)
	for cut := ansi.StringWidth(end) - room; ; cut++ {
		// A wide character at the cut may stay, so one cut can be too little.
		if tail := ansi.TruncateLeft(end, cut, ""); ansi.StringWidth(tail) <= room {
			return head + tail
		}
	}
}

// standing says how the model is told of a tool, or why it is not given it.
func (r *toolRow) standing(s Snapshot) string {
	server := "server " + display.Clip(r.def.Server, 40)
	switch r.place {
	case placeDeferred:
		return "behind the bridge, " + listedAs(r.mode)
	case placeEager:
		if r.def.Source.Deferrable() {
			return "in the tool list as it is: nothing is deferred at tier 0"
		}
		return "in the tool list as it is: its source, " + r.origin(20) + ", is never deferred"
	case placeFiltered:
		return "left out by " + r.filteredBy(s)
	case placeShadowed:
		return "left out: another tool has its wire name"
	case placeBridge:
		return "left out: it has the name of a bridge tool"
	case placeOutOfScope:
		return "toolset " + display.Clip(r.def.Toolset, 40) + " is not in this session"
	case placeOff:
		return server + " is off; this is as it last listed it"
	case placeConnecting:
		return server + " is connecting; this is as it last listed it"
	}
	for _, status := range s.Statuses {
		if status.Name == r.def.Server && status.Reason != "" {
			return server + " failed: " + display.Clip(status.Reason, 200) + "; this is as it last listed it"
		}
	}
	return server + " failed; this is as it last listed it"
}

// filteredBy names the filter that leaves a tool out.
func (r *toolRow) filteredBy(s Snapshot) string {
	for _, status := range s.Statuses {
		if status.Name != r.def.Server {
			continue
		}
		if include := status.Config.Include; len(include) > 0 {
			return "tools.include of " + display.Clip(status.Name, 40) + ", which takes only " + display.Clip(strings.Join(include, ", "), 200)
		}
		return "tools.exclude of " + display.Clip(status.Name, 40) + ": " + display.Clip(strings.Join(status.Config.Exclude, ", "), 200)
	}
	return "its server's filter"
}
