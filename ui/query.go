package ui

import (
	"fmt"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/ui/display"
)

const (
	maxQueryChars  = 4096 // of the query line
	querySeparator = " ; "
	onInput        = -1 // the cursor's place on the query line
)

// queryPane searches as the model would: the query line, its tokens with what
// each weighs, and the ranking with the share of the score each token gave. It
// never searches itself; the results come with the snapshot.
type queryPane struct {
	theme         theme
	keys          keyMap
	field         field
	snap          Snapshot
	width, height int

	query  int  // the query whose ranking is shown
	cursor int  // row of the ranking or of the examples; onInput: the query line
	top    int  // first line shown of the ranking
	echo   bool // the expected tool's row is below the limit and out of sight
	walk   walk

	detail    toolDetail // the hit that is opened, zero if none
	detailTop int
}

func newQueryPane(t theme) *queryPane {
	return &queryPane{theme: t, keys: newKeyMap(), field: newField(maxQueryChars), cursor: onInput}
}

// Title is the pane's name; the note says how many tools the query found.
func (p *queryPane) Title() (name, note string) {
	r, ok := p.result()
	if !ok || r.Total == 0 {
		return "Query", ""
	}
	if r.Total > len(r.Hits) {
		return "Query", p.theme.muted.Render(fmt.Sprintf("first %d of %s found", len(r.Hits), plural(r.Total, "tool")))
	}
	return "Query", p.theme.muted.Render(plural(r.Total, "tool") + " found")
}

// SetSize gives the cells inside the frame.
func (p *queryPane) SetSize(width, height int) {
	p.width, p.height = width, height
	p.settle()
}

// SetSnapshot gives what to render.
func (p *queryPane) SetSnapshot(s Snapshot) {
	before, had := p.result()
	p.snap = s
	if p.Typing() {
		p.followCaret()
	}
	p.query = max(0, min(p.query, len(s.Queries)-1))
	if now, ok := p.result(); ok && (!had || now.Query != before.Query) {
		p.cursor, p.top = 0, 0
		p.detail = toolDetail{}
	}
	if p.detail.name != "" {
		p.open(p.detail.name)
	}
	p.settle()
}

// SetFocus ends typing when keys go elsewhere.
func (p *queryPane) SetFocus(focus bool) {
	if !focus {
		p.StopTyping()
	}
}

// Typing reports whether every character is text.
func (p *queryPane) Typing() bool { return p.field.typing() }

// StartTyping gives the keys to the query line.
func (p *queryPane) StartTyping() {
	p.detail = toolDetail{}
	p.field.focus()
	p.field.stale = p.field.text() != ""
	p.walk.begin(p.snap.History, p.field.text())
	p.followCaret()
	if _, ok := p.result(); !ok {
		p.cursor = onInput
	}
	p.settle()
}

// StopTyping gives the keys back to the ranking.
func (p *queryPane) StopTyping() { p.field.blur() }

// Selected is the wire name of the hit under the cursor.
func (p *queryPane) Selected() (name string, ok bool) {
	if p.detail.name != "" {
		return p.detail.name, true
	}
	r, found := p.result()
	if !found || p.cursor < 0 {
		return "", false
	}
	if h, ok := hitAt(r, p.cursor); ok {
		return h.Name, true
	}
	if p.cursor == places(r) && p.pinRows() > 0 {
		return p.snap.Pinned[p.query].Why.Tool, true
	}
	return "", false
}

// result is what the query in view found.
func (p *queryPane) result() (engine.Result, bool) {
	if p.query >= len(p.snap.Queries) {
		return engine.Result{}, false
	}
	return p.snap.Queries[p.query], true
}

// HandleKey takes a key: as text while typing, else as a command.
func (p *queryPane) HandleKey(msg tea.KeyMsg) (tea.Msg, bool) {
	if p.Typing() {
		return p.typeKey(msg), true
	}
	k := p.keys
	switch {
	case key.Matches(msg, k.Query):
		p.StartTyping()
		return nil, true
	case key.Matches(msg, k.SwitchQuery):
		return nil, p.switchQuery(direction(msg))
	case key.Matches(msg, k.Expect):
		return pickToolMsg{}, true
	case key.Matches(msg, k.Suggested):
		return p.trySuggested()
	case key.Matches(msg, k.Enqueue):
		return p.queueKey()
	case key.Matches(msg, k.Answer):
		if len(p.snap.Queries) == 0 {
			return statusMsg{"nothing is answered yet: type a query with /"}, true
		}
		return sheetMsg{newAnswerSheet(p.theme)}, true
	}
	if name, ok := p.Selected(); ok {
		switch {
		case key.Matches(msg, k.CallHit):
			return callMsg{name}, true
		case key.Matches(msg, k.Copy):
			return copyMsg{what: "wire name", text: name}, true
		case key.Matches(msg, k.ShowTool):
			return sheetMsg{newBrowser(p.theme).at(name)}, true
		}
	}
	if p.detail.name != "" {
		return nil, p.detailKey(msg)
	}
	switch {
	case key.Matches(msg, k.Detail):
		return p.enter(), true
	case key.Matches(msg, k.Move):
		p.move(direction(msg))
	case key.Matches(msg, k.Page):
		p.move(direction(msg) * max(1, p.listHeight()-1))
	case key.Matches(msg, k.Ends) || msg.Type == tea.KeyHome || msg.Type == tea.KeyEnd:
		p.move(direction(msg) * (p.rows() + 1))
	default:
		return nil, false
	}
	return nil, true
}

// direction is -1 for the key of a two-way binding that goes up, left or to the
// start, 1 for the other.
func direction(msg tea.KeyMsg) int {
	switch msg.String() {
	case "up", "k", "left", "h", ",", "pgup", "g", "home":
		return -1
	}
	return 1
}

// typeKey edits the query line. The arrows walk through earlier lines, as in a
// shell.
func (p *queryPane) typeKey(msg tea.KeyMsg) tea.Msg {
	switch msg.Type {
	case tea.KeyEsc, tea.KeyEnter:
		p.StopTyping()
		return nil
	case tea.KeyUp, tea.KeyDown:
		text, ok := p.walk.step(p.snap.History, p.field.text(), direction(msg))
		if !ok {
			return nil
		}
		p.field.set(text)
		p.followCaret()
		return queryMsg{p.field.text()}
	}
	switch k := p.keys; {
	case key.Matches(msg, k.History):
		return pickHistoryMsg{}
	case key.Matches(msg, k.NewQuery):
		return p.oneMore()
	}
	changed := p.field.handleKey(msg, querySeparator)
	p.followCaret()
	if !changed {
		return nil
	}
	p.walk.begin(p.snap.History, p.field.text())
	return queryMsg{p.field.text()}
}

// oneMore makes room for another query at the end of the line, where there is
// one already.
func (p *queryPane) oneMore() tea.Msg {
	line := strings.TrimRight(p.field.text(), " ;")
	if strings.Trim(line, " ;") == "" {
		return nil
	}
	line += querySeparator
	if p.field.full = len([]rune(line)) > maxQueryChars; p.field.full {
		return nil
	}
	p.field.set(line)
	p.walk.begin(p.snap.History, p.field.text())
	p.followCaret()
	return queryMsg{p.field.text()}
}

// Recall puts a line that was run before into the query line and asks for its
// search.
func (p *queryPane) Recall(line string) tea.Msg {
	p.field.set(line)
	p.walk.begin(p.snap.History, p.field.text())
	p.query, p.cursor, p.top, p.detail = 0, 0, 0, toolDetail{}
	return queryMsg{p.field.text()}
}

// followCaret brings the query into view that the caret stands in.
func (p *queryPane) followCaret() {
	before, _ := p.field.parts()
	earlier := splitQueries(before[:strings.LastIndexByte(before, ';')+1])
	p.show(max(0, min(len(earlier), len(p.snap.Queries)-1)))
}

// show brings the ranking of one query into view.
func (p *queryPane) show(query int) {
	if query == p.query {
		return
	}
	p.query, p.cursor, p.top = query, 0, 0
	p.detail = toolDetail{}
	p.settle()
}

// switchQuery goes to the query before or after; it is false where there is
// only one.
func (p *queryPane) switchQuery(by int) bool {
	last := len(p.snap.Queries) - 1
	if last < 1 {
		return false
	}
	p.show(max(0, min(p.query+by, last)))
	return true
}

// enter does what the row under the cursor is for: a hit opens, an example is
// searched, the query line is typed in.
func (p *queryPane) enter() tea.Msg {
	if name, ok := p.Selected(); ok {
		p.open(name)
		return nil
	}
	if _, searched := p.result(); !searched && p.cursor >= 0 {
		return p.try(p.cursor)
	}
	p.StartTyping()
	return nil
}

// try searches an example.
func (p *queryPane) try(i int) tea.Msg {
	all := p.examples()
	if i < 0 || i >= len(all) {
		return nil
	}
	p.field.set(all[i].query)
	p.query, p.cursor = 0, 0
	return queryMsg{p.field.text()}
}

// put writes a text into the query line, as if it had been typed.
func (p *queryPane) put(text string) {
	if p.field.text() != text {
		p.field.set(text)
		p.query, p.cursor = 0, 0
	}
}

// rows is how many rows the cursor can stand on below the query line.
func (p *queryPane) rows() int {
	if r, ok := p.result(); ok {
		return places(r) + p.pinRows()
	}
	return len(p.examples())
}

func (p *queryPane) move(by int) {
	p.cursor += by
	p.settle()
}

// settle keeps the cursor on a row and the row in view.
func (p *queryPane) settle() {
	p.cursor = max(onInput, min(p.cursor, p.rows()-1))
	p.echo = false
	top := p.topFor(p.listHeight())
	if pin, ok := p.pinnedNow(); ok && !pin.Why.Found && p.pinPlace() >= 0 {
		r, _ := p.result()
		at := lineOf(r, p.pinPlace())
		// The row takes a line of the ranking, which cannot bring it into sight.
		if p.echo = at < top || at >= top+p.listHeight(); p.echo {
			top = p.topFor(p.listHeight())
		}
	}
	p.top = top
	p.detailTop = max(0, p.detailTop)
}

// topFor is the first line to show of a list of so many lines: the one shown
// now, unless the cursor would be out of sight.
func (p *queryPane) topFor(height int) int {
	at, all := p.cursor, p.rows()
	if r, ok := p.result(); ok {
		at, all = lineOf(r, p.cursor), rankLines(r)
	}
	top := p.top
	if at >= top+height {
		top = at - height + 1
	}
	return scrolled(min(top, max(0, at)), all, height)
}

// HandleWheel scrolls the opened hit, or moves the cursor.
func (p *queryPane) HandleWheel(n int) {
	if p.detail.name != "" {
		p.scrollDetail(n)
		return
	}
	if n < 0 && p.cursor+n < 0 {
		n = -max(0, p.cursor) // the wheel does not climb into the query line
	}
	p.move(n)
}

// HandleClick types in the query line, switches to a query's tab, or selects a
// row.
func (p *queryPane) HandleClick(x, y int) tea.Msg {
	head := p.head()
	switch {
	case y < 0 || y >= p.height:
	case y == 0:
		p.StartTyping()
	case p.showTabs() && y == 1:
		for _, tab := range p.tabs() {
			if x >= tab.x && x < tab.x+ansi.StringWidth(tab.label) {
				p.show(tab.query)
			}
		}
	case y < len(head) || p.detail.name != "":
	default:
		row := y - len(head)
		if r, searched := p.result(); searched {
			if y >= p.height-p.pinHeight() {
				if _, ok := p.pinnedNow(); ok {
					p.cursor = places(r)
					if at := p.pinPlace(); at >= 0 {
						p.cursor = at
					}
				}
			} else if at, ok := placeOn(r, row+p.top); ok && row < p.listHeight() {
				p.cursor = at
			}
			p.settle()
			return nil
		}
		return p.try(row - p.exampleTop())
	}
	return nil
}

// Foot says what is hidden above and below, and how the set of queries does.
func (p *queryPane) Foot() string {
	if p.detail.name != "" {
		all, room := len(p.detailLines()), p.height-len(p.head())
		return scrollNote(p.theme, scrolled(p.detailTop, all, room), all, room)
	}
	note, scroll := evalNote(p.theme, p.snap.Eval), ""
	if r, ok := p.result(); ok {
		scroll = scrollNote(p.theme, p.top, rankLines(r), p.listHeight())
	}
	if note != "" && scroll != "" {
		note = scroll + p.theme.muted.Render(" · ") + note
	}
	if note == "" || ansi.StringWidth(note)+4 > p.width {
		return scroll
	}
	return note
}

// View is exactly the given size.
func (p *queryPane) View() string {
	if p.width <= 0 || p.height <= 0 {
		return ""
	}
	content := p.head()
	room := p.height - len(content)
	r, searched := p.result()
	switch {
	case p.detail.name != "":
		all := p.detailLines()
		top := scrolled(p.detailTop, len(all), room)
		content = append(content, window(all, top, room)...)
	case !searched:
		content = append(content, p.emptyLines()...)
	default:
		room = max(0, room-p.pinHeight())
		content = append(content, p.ranking(r, room)...)
		for len(content) < p.height-p.pinHeight() {
			content = append(content, "")
		}
		content = append(content, p.pinLines(r, p.rankColumns(r), p.best(r))...)
	}
	return lines(content, 0, p.width, p.height)
}

// ranking is what the query found, in at most so many lines.
func (p *queryPane) ranking(r engine.Result, room int) []string {
	if len(r.Hits) == 0 {
		none := p.noHits(r)
		return none[:min(room, len(none))]
	}
	hits := p.hitLines(r, min(room, p.listHeight()))
	return append(hits, p.preview(room-len(hits))...)
}

// head is the lines above the ranking: the query line, the tabs where there
// are several queries, the tokens.
func (p *queryPane) head() []string {
	head := []string{p.inputLine()}
	if p.showTabs() {
		head = append(head, p.tabLine())
	}
	if r, ok := p.result(); ok && p.height >= 3 && p.detail.name == "" && p.nothingToSearch() == "" {
		head = append(head, p.tokenLines(r)...)
	}
	return head
}

func (p *queryPane) showTabs() bool { return len(p.snap.Queries) > 1 && p.height >= 4 }

// bodyHeight is how many lines there are below the head, save those of the
// expected tool.
func (p *queryPane) bodyHeight() int {
	h := p.height - len(p.head())
	if p.detail.name == "" {
		h -= p.pinHeight()
	}
	return max(1, h)
}

// inputLine is the query line with what the search took at its right end.
func (p *queryPane) inputLine() string {
	t := p.theme
	prompt := t.muted.Render(" > ")
	switch {
	case p.Typing():
		prompt = t.accent.Render(" > ")
	case p.cursor == onInput:
		prompt = t.accent.Render("›> ")
	}
	note := p.searchNote()
	room := p.width - 3
	if w := ansi.StringWidth(note); w > 0 && room-w-2 >= 24 {
		room -= w + 2
	} else {
		note = ""
	}
	text := p.field.view(t, room)
	if p.field.text() == "" {
		hint := "what the model would search for; \" ; \" between several queries"
		if p.Typing() {
			text = t.accent.Render(caret) + t.faint.Render(display.Clip(hint, room-1))
		} else {
			text = t.muted.Render(display.Clip("/ types: "+hint, room))
		}
	}
	if note == "" {
		return fit(prompt+text, p.width)
	}
	return prompt + fit(text, room) + " " + note + " "
}

// searchNote says how many queries ran under which limit, and how long it took.
func (p *queryPane) searchNote() string {
	t := p.theme
	n := len(p.snap.Queries)
	switch {
	case p.field.full:
		return t.warn.Render(fmt.Sprintf("⚠ cut at %s characters", number(maxQueryChars)))
	case n == 0:
		return ""
	case n > engine.MaxQueries:
		return t.warn.Render(fmt.Sprintf("⚠ %d queries: the model may send %d", n, engine.MaxQueries))
	}
	word := "1 query"
	if n > 1 {
		word = fmt.Sprintf("%d queries", n)
	}
	return t.muted.Render(fmt.Sprintf("%s · limit %d · %s", word, p.snap.Queries[0].Limit, spent(p.snap.Took)))
}

// spent writes a duration in at most six cells: 41 µs, 1.2 ms, 3.4 s.
func spent(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// queryTab is one query on the line of tabs.
type queryTab struct {
	query, x int
	label    string
}

// tabs are as many tabs as fit, the present query's among them.
func (p *queryPane) tabs() []queryTab {
	all := p.snap.Queries
	label := func(i int) string {
		// The query is cut and the count is not.
		clip := max(4, min(28, (p.width-4)/min(len(all), 4)-8))
		found := fmt.Sprint(len(all[i].Hits))
		if len(all[i].Hits) == 0 {
			found = "✗ 0"
		}
		s := display.Clip(all[i].Query, clip) + " " + found
		if i == p.query {
			return "[" + s + "]"
		}
		return " " + s + " "
	}
	fits := func(from int) (tabs []queryTab) {
		x := 1
		for i := from; i < len(all); i++ {
			s := label(i)
			w := ansi.StringWidth(s)
			if x+w > p.width-5 && i > from {
				break
			}
			tabs = append(tabs, queryTab{i, x, s})
			x += w + 1
		}
		return tabs
	}
	from := 0
	tabs := fits(from)
	for len(tabs) > 0 && tabs[len(tabs)-1].query < p.query {
		from++
		tabs = fits(from)
	}
	return tabs
}

func (p *queryPane) tabLine() string {
	t := p.theme
	var b strings.Builder
	b.WriteString(" ")
	tabs := p.tabs()
	for _, tab := range tabs {
		style := t.muted
		if tab.query == p.query {
			style = t.selected
		}
		b.WriteString(style.Render(tab.label) + " ")
	}
	hidden := ""
	if n := len(p.snap.Queries) - len(tabs); n > 0 {
		hidden = t.muted.Render(fmt.Sprintf("+%d ", n))
	}
	return spread(b.String(), hidden, p.width)
}

// tokenLines are the tokens of a query, each with the number of tools it is in
// and what it weighs, over as many lines as the pane can spare.
func (p *queryPane) tokenLines(r engine.Result) []string {
	t := p.theme
	if len(r.Tokens) == 0 {
		return nil
	}
	most := 1
	switch {
	case p.height >= 16:
		most = 4
	case p.height >= 9:
		most = 2
	}
	var out []string
	for form := tokenWhole; form <= tokenStem; form++ {
		items := make([]string, len(r.Tokens))
		for i, tok := range r.Tokens {
			items[i] = tokenItem(t, i, tok, form)
		}
		var left int
		if out, left = flow(items, t.faint.Render(" │ "), p.width-1, most); left == 0 {
			return out
		}
		if form == tokenStem {
			more := t.muted.Render(fmt.Sprintf(" … %d more", left))
			last := len(out) - 1
			out[last] = fit(out[last], min(ansi.StringWidth(out[last]), p.width-ansi.StringWidth(more))) + more
		}
	}
	return out
}

// flow sets items side by side over at most so many lines of width cells, and
// returns how many are left over.
func flow(items []string, sep string, width, most int) (out []string, left int) {
	gap := ansi.StringWidth(sep)
	used := 0
	for i, item := range items {
		w := ansi.StringWidth(item)
		switch {
		case len(out) > 0 && used+gap+w <= width:
			out[len(out)-1] += sep + item
			used += gap + w
		case len(out) < most:
			out = append(out, " "+item)
			used = 1 + w
		default:
			return out, len(items) - i
		}
	}
	return out, 0
}

// How much is said of a token, from the most down.
const (
	tokenWhole  = iota // raw → stem, df, idf
	tokenWeight        // stem, df, idf
	tokenStem          // stem, df
)

// tokenItem is one token: how it was read, and its weight.
func tokenItem(t theme, i int, tok engine.QueryToken, form int) string {
	const most = 24
	name := t.term(i).Render(display.Clip(tok.Stem, most))
	if form == tokenWhole && !strings.EqualFold(tok.Raw, tok.Stem) {
		name = t.muted.Render(display.Clip(tok.Raw, most)+" → ") + name
	}
	switch {
	case tok.DF == 0:
		return name + t.bad.Render(" ✗ in no tool")
	case form == tokenStem:
		return name + t.muted.Render(" df "+number(tok.DF))
	}
	return name + t.muted.Render(fmt.Sprintf(" df %s idf %.2f", number(tok.DF), tok.IDF))
}

// emptyLines invite to a first query.
func (p *queryPane) emptyLines() []string {
	t := p.theme
	var out []string
	if why := p.nothingToSearch(); why != "" {
		out = append(out, wrapText(t.warn, why, p.width)...)
	}
	if p.exampleTop() > len(out) {
		out = append(out, t.muted.Render(" for example"))
	}
	width := 0
	for _, e := range p.examples() {
		width = max(width, ansi.StringWidth(e.query))
	}
	for i, e := range p.examples() {
		name := fit(display.Text(e.query), width)
		if i == p.cursor {
			out = append(out, t.selected.Render(" › "+name)+"  "+t.muted.Render("enter: "+e.shows))
			continue
		}
		out = append(out, "   "+name+"  "+t.muted.Render(e.shows))
	}
	return out
}

// exampleTop is the line of the body on which the first example stands.
func (p *queryPane) exampleTop() int {
	n := 0
	if why := p.nothingToSearch(); why != "" {
		n = len(wrapText(p.theme.warn, why, p.width))
	}
	if p.height-1-n > len(p.examples()) {
		n++ // the word that introduces them
	}
	return n
}

// example is a query to begin with and what it shows.
type example struct{ query, shows string }

func (p *queryPane) examples() []example {
	exact := "mcp_github_create_issue"
	for _, d := range p.snap.Assembly.Deferred {
		if len(d.Name) <= 40 && display.Text(d.Name) == d.Name {
			exact = d.Name
			break
		}
	}
	return []example{
		{"create an issue", "how each word counts"},
		{"send a message ; list channels", "two queries at once"},
		{exact, "a wire name comes first"},
	}
}

// nothingToSearch says why no query can find anything, "" where one can.
func (p *queryPane) nothingToSearch() string {
	a := p.snap.Assembly
	if len(a.Deferred) > 0 {
		return ""
	}
	servers, connecting, failed := 0, 0, 0
	for _, s := range p.snap.Servers {
		if s.Plugin {
			continue
		}
		servers++
		switch s.State {
		case mcpconn.StateConnecting:
			connecting++
		case mcpconn.StateFailed:
			failed++
		}
	}
	switch {
	case a.Config.Enabled == engine.Off:
		return "Tier 0: tool search is off, so the model sees every tool and there is nothing to search."
	case connecting > 0:
		return fmt.Sprintf("No tools to search yet: %d of %s still connecting. %s", connecting, plural(servers, "server"), p.snap.Spinner)
	case failed > 0:
		return fmt.Sprintf("Tier 0: nothing to search. %d of %s failed; s says why.", failed, plural(servers, "server"))
	}
	return "Tier 0: no tool is deferred (core tools never are), so there is nothing to search."
}

// noHits says why a query found nothing.
func (p *queryPane) noHits(r engine.Result) []string {
	t := p.theme
	query := "“" + display.Clip(r.Query, 40) + "”"
	why := fmt.Sprintf("Nothing found: no tool has any word of %s.", query)
	known := 0
	for _, tok := range r.Tokens {
		known += min(tok.DF, 1)
	}
	switch nothing := p.nothingToSearch(); {
	case nothing != "":
		return wrapText(t.warn, nothing, p.width)
	case len(r.Tokens) == 0 && strings.ContainsFunc(r.Query, isLetter):
		why = fmt.Sprintf("Nothing found: %s has no token. Tokens are made of A–Z, a–z and 0–9 alone; text in other scripts has none, so it finds no tool, whatever they are called.", query)
	case len(r.Tokens) == 0:
		why = fmt.Sprintf("Nothing found: %s has no token. Tokens are made of letters A–Z, a–z and digits.", query)
	case known == 0:
		why = fmt.Sprintf("Nothing found: none of its tokens is in any of the %s behind the bridge, and no wire name contains %s.", plural(len(p.snap.Assembly.Deferred), "tool"), query)
	}
	return wrapText(t.warn, why, p.width)
}

// isLetter reports whether r is something a person takes for part of a word.
func isLetter(r rune) bool { return r > 0x7f }

// wrapText breaks a sentence of the pane's own into styled lines with a margin
// of one cell.
func wrapText(style interface{ Render(...string) string }, s string, width int) []string {
	var out []string
	for _, l := range strings.Split(ansi.Wrap(strings.TrimSpace(s), max(1, width-2), ""), "\n") {
		out = append(out, " "+style.Render(l))
	}
	return out
}

// window is the lines of content from top on that fit in height.
func window[T any](content []T, top, height int) []T {
	end := min(top+height, len(content))
	if height <= 0 || top >= end {
		return nil
	}
	return content[top:end]
}

// scrollNote says how many lines are hidden above and below a window, for the
// foot of a frame.
func scrollNote(t theme, top, total, height int) string {
	above, below := min(top, total), max(0, total-top-height)
	var parts []string
	if above > 0 {
		parts = append(parts, "↑ "+number(above)+" more")
	}
	if below > 0 {
		parts = append(parts, "↓ "+number(below)+" more")
	}
	if len(parts) == 0 {
		return ""
	}
	return t.accent.Render(strings.Join(parts, " · "))
}
