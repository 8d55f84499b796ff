package ui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/ui/display"
)

// maxShown is how much of one text from a server is laid out, in bytes or
// cells: enough for any honest one, and a megabyte costs no more.
const maxShown = 16 << 10

// firstBytes cuts a text of any size to what is laid out of it.
func firstBytes(s string, most int) (first string, whole bool) {
	if len(s) <= most {
		return s, true
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most], false
}

// wrapAt breaks a line that is safe to print into lines that start at column x.
func wrapAt(s string, x, width int) []string {
	var out []string
	for _, l := range strings.Split(ansi.Wrap(s, max(8, width-x-1), ""), "\n") {
		out = append(out, strings.Repeat(" ", x)+l)
	}
	return out
}

// toolDetail is what the opened hit shows beside its score.
type toolDetail struct {
	name     string // the wire name; "" while nothing is open
	tool     engine.Definition
	required []string
	optional []string
	hidden   int // characters of the name and description that only show as marks
	document engine.Document
}

// definition looks a deferred tool up by its wire name.
func (p *queryPane) definition(name string) (engine.Definition, bool) {
	all := p.snap.Assembly.Deferred
	i, ok := slices.BinarySearchFunc(all, name, func(d engine.Definition, name string) int { return strings.Compare(d.Name, name) })
	if !ok {
		return engine.Definition{}, false
	}
	return all[i], true
}

// open shows why a hit has its score, or why the expected tool is not found; a
// tool that is neither, or that is no longer there, closes.
func (p *queryPane) open(name string) {
	d, ok := p.definition(name)
	if pin, expected := p.pinnedNow(); expected && pin.Why.Tool == name {
		ok = true
	} else if _, found := p.hit(name); !found {
		ok = false
	}
	if !ok {
		p.detail, p.detailTop = toolDetail{}, 0
		return
	}
	old := p.detail
	if old.name == name && old.tool.Label == d.Label && old.tool.Tool.Description == d.Tool.Description && bytes.Equal(old.tool.Tool.Schema, d.Tool.Schema) {
		p.detail.tool = d
		return
	}
	if old.name != name {
		p.detailTop = 0
	}
	p.detail = toolDetail{name: name, tool: d, hidden: display.Hidden(d.Name) + display.Hidden(d.Tool.Description)}
	p.detail.required, p.detail.optional = parameters(d.Tool.Schema)
	p.detail.document, _ = p.snap.Assembly.Document(name)
}

// hit finds a tool in the ranking in view.
func (p *queryPane) hit(name string) (engine.Hit, bool) {
	r, _ := p.result()
	for place := range places(r) {
		if h, _ := hitAt(r, place); h.Name == name {
			return h, true
		}
	}
	return engine.Hit{}, false
}

// parameters reads the names of a schema's top-level parameters, the required
// ones in the schema's order, the others sorted. A schema may be anything.
func parameters(schema json.RawMessage) (required, optional []string) {
	var s struct {
		Properties json.RawMessage `json:"properties"`
		Required   json.RawMessage `json:"required"`
	}
	// What is no object has no parameters to name.
	_ = json.Unmarshal(schema, &s)
	var names []any
	_ = json.Unmarshal(s.Required, &names)
	for _, n := range names {
		if name, ok := n.(string); ok {
			required = append(required, name)
		}
	}
	var properties map[string]json.RawMessage
	_ = json.Unmarshal(s.Properties, &properties)
	for name := range properties {
		if !slices.Contains(required, name) {
			optional = append(optional, name)
		}
	}
	slices.Sort(optional)
	return required, optional
}

// detailKey handles a key while a hit is open.
func (p *queryPane) detailKey(msg tea.KeyMsg) bool {
	k := p.keys
	page := max(1, p.bodyHeight()-1)
	switch {
	case key.Matches(msg, k.Back, k.Detail):
		p.detail, p.detailTop = toolDetail{}, 0
		p.settle()
	case key.Matches(msg, k.Move):
		p.scrollDetail(direction(msg))
	case key.Matches(msg, k.Page):
		p.scrollDetail(direction(msg) * page)
	case key.Matches(msg, k.Ends) || msg.Type == tea.KeyHome || msg.Type == tea.KeyEnd:
		p.detailTop = 0
		if direction(msg) > 0 {
			p.scrollDetail(len(p.detailLines()))
		}
	default:
		return false
	}
	return true
}

func (p *queryPane) scrollDetail(n int) {
	p.detailTop = scrolled(p.detailTop+n, len(p.detailLines()), p.bodyHeight())
}

// whereabouts says where a tool is from and how the model is told of it.
func (p *queryPane) whereabouts(d engine.Definition) string {
	from := "plugin " + display.Clip(d.Toolset, 40)
	if d.Source == engine.SourceMCP {
		from = "server " + display.Clip(d.Server, 40)
	}
	listed := listedAs("")
	for _, g := range p.snap.Assembly.Groups {
		if g.Label == d.Label {
			listed = listedAs(g.Mode)
		}
	}
	return from + " · group " + display.Clip(d.Label, 40) + " · " + listed
}

// listedAs says how the model is told of the tools of a group in a mode.
func listedAs(mode engine.Mode) string {
	switch mode {
	case engine.ModeFull:
		return "listed with its short description"
	case engine.ModeNames:
		return "listed by name"
	case engine.ModeSummary:
		return "not listed by name: its group is summarised"
	}
	return "not in any listing"
}

// maxListed is how many cells of a line of the listing are shown.
const maxListed = 400

// listingLine is what the model reads of a tool before it searches.
func (p *queryPane) listingLine(d engine.Definition) string {
	t := p.theme
	switch line, mode := p.snap.Assembly.ListingLine(d.Name); mode {
	case engine.ModeFull:
		return display.Clip(line, maxListed)
	case engine.ModeNames:
		return display.Clip(line, maxListed) + t.muted.Render(", in the line of its group's names")
	case engine.ModeSummary:
		return t.warn.Render("not listed: ") + "the line of its group is " + display.Clip(line, maxListed)
	}
	return t.warn.Render("not listed: ") + "there is no listing"
}

// documentSize says how long a tool's document is, which is what a search looks
// in.
func (p *queryPane) documentSize() string {
	d := p.detail.document
	return fmt.Sprintf("%s, %s; the mean of all is %.1f", plural(d.Length, "token"), plural(len(d.Tokens), "stem"), p.snap.Assembly.Index.AverageLength())
}

// maxDocument is how many stems of a document are shown.
const maxDocument = 60

// documentStems is the stems of the opened tool's document with how often each
// stands there: first those of the query, marked, then the others as they stand.
func (p *queryPane) documentStems(r engine.Result) string {
	t := p.theme
	asked := map[string]int{} // where a stem stands in the query
	for i, tok := range slices.Backward(r.Tokens) {
		asked[tok.Stem] = i
	}
	type item struct {
		at   int
		text string
	}
	var found []item
	var others []string
	all := p.detail.document.Tokens
	for _, tok := range all {
		text := display.Clip(tok.Stem, 24) + "×" + number(tok.TF)
		if at, ok := asked[tok.Stem]; ok {
			found = append(found, item{at, t.term(at).Render("●" + text)})
		} else if len(others) < maxDocument {
			others = append(others, text)
		}
	}
	slices.SortFunc(found, func(a, b item) int { return a.at - b.at })
	var shown []string
	for _, f := range found {
		shown = append(shown, f.text)
	}
	shown = append(shown, others...)
	shown = shown[:min(len(shown), maxDocument)]
	text := strings.Join(shown, "  ")
	if more := len(all) - len(shown); more > 0 {
		text += "  " + t.muted.Render(fmt.Sprintf("and %s more", number(more)))
	}
	return text
}

// detailLines is all that is to be said of the opened hit: the arithmetic of
// its score first, since that is the question.
func (p *queryPane) detailLines() []string {
	t := p.theme
	r, _ := p.result()
	h, ok := p.hit(p.detail.name)
	pin, expected := p.pinnedNow()
	if expected = expected && pin.Why.Tool == p.detail.name; expected {
		h, ok = pin.Hit, pin.Why.Rank > 0
	} else if !ok {
		return nil
	}
	place := "  not found"
	if ok {
		place = fmt.Sprintf("  rank %d", h.Rank)
		if r.Total > 0 {
			place += fmt.Sprintf(" of %s", number(r.Total))
		}
		if h.Rank > r.Limit {
			place += fmt.Sprintf(", below the limit of %d", r.Limit)
		}
	}
	title := t.selected.Render(fmt.Sprintf(" %s ", display.Clip(p.detail.name, max(8, p.width-24)))) + t.muted.Render(place)
	out := []string{spread(title, t.muted.Render("t tools · esc back "), p.width)}
	if expected {
		out = append(out, whyLines(t, pin.Why, p.pinGap(pin), " (a tries it)", p.width)...)
	}
	if ok {
		out = append(out, p.arithmetic(r, h)...)
	}
	if p.detail.tool.Name == "" {
		return out
	}
	field := func(name, value string) {
		if value == "" {
			value = t.muted.Render("none")
		}
		rows := wrapAt(value, 12, p.width)
		rows[0] = " " + t.muted.Render(fit(name, 11)) + strings.TrimPrefix(rows[0], strings.Repeat(" ", 12))
		out = append(out, rows...)
	}
	d := p.detail.tool
	field("from", p.whereabouts(d))
	field("listing", p.listingLine(d))
	field("document", p.documentSize())
	if stems := p.documentStems(r); stems != "" {
		out = append(out, wrapAt(stems, 12, p.width)...)
	}
	field("required", display.Clip(strings.Join(p.detail.required, ", "), maxShown))
	field("optional", display.Clip(strings.Join(p.detail.optional, ", "), maxShown))
	about, whole := firstBytes(strings.TrimSpace(d.Tool.Description), maxShown)
	for i, l := range strings.Split(display.Block(about), "\n") {
		switch {
		case i == 0:
			field("says", l)
		case strings.TrimSpace(l) != "":
			out = append(out, wrapAt(l, 12, p.width)...)
		}
	}
	if !whole {
		field("", t.warn.Render(fmt.Sprintf("⚠ cut here: %s bytes in all", number(len(d.Tool.Description)))))
	}
	if n := p.detail.hidden; n > 0 {
		field("beware", t.bad.Render(fmt.Sprintf("✗ %s a person would not see", plural(n, "character"))))
	}
	return out
}

// arithmetic is a score taken apart, one row for each token of the query.
func (p *queryPane) arithmetic(r engine.Result, h engine.Hit) []string {
	t := p.theme
	switch {
	case h.Exact:
		return wrapText(t.good, "✓ exact name: the query is this tool's wire name, which puts it first whatever its score.", p.width)
	case r.Fallback:
		return wrapText(t.warn, "substring: no token of the query is in any tool, so tools whose wire name contains the query are taken, each with score "+strconv.FormatFloat(h.Score, 'f', -1, 64)+".", p.width)
	}
	width := len("token")
	for _, part := range h.Terms {
		width = max(width, ansi.StringWidth(display.Clip(part.Stem, 20)))
	}
	wide := p.width >= width+64
	head := fmt.Sprintf(" %s %4s %8s", fit("token", width), "tf", "idf")
	if wide {
		head += fmt.Sprintf(" %10s %11s %6s", "× weight", "= score", "share")
	} else {
		head += fmt.Sprintf(" %9s", "score")
	}
	out := []string{t.muted.Render(head)}
	for i, part := range h.Terms {
		if i >= len(r.Tokens) {
			break
		}
		tok := r.Tokens[i]
		name := " " + t.term(i).Render(fit(display.Clip(part.Stem, 20), width))
		switch {
		case tok.DF == 0:
			out = append(out, name+t.bad.Render("    ✗ in no tool"))
			continue
		case part.TF == 0:
			out = append(out, name+t.muted.Render("    –")+fmt.Sprintf(" %8.3f", tok.IDF)+t.warn.Render("  not in this tool"))
			continue
		}
		row := fmt.Sprintf(" %4d %8.3f", part.TF, tok.IDF)
		if wide {
			share := part.Score / h.Score
			row += fmt.Sprintf(" %10s %11.4f %5.0f%%  ", fmt.Sprintf("× %.3f", part.Score/tok.IDF), part.Score, share*100) +
				t.term(i).Render(strings.Repeat("▇", max(1, scaled(share, 1, min(24, p.width-width-47)))))
		} else {
			row += fmt.Sprintf(" %9.4f", part.Score)
		}
		out = append(out, name+row)
	}
	sum := fmt.Sprintf(" %s %4s %8s", fit("sum", width), "", "")
	if wide {
		sum = t.strong.Render(sum + fmt.Sprintf(" %10s %11.4f", "", h.Score))
		note := "weight: more by tf, less by length"
		if p.width-ansi.StringWidth(sum) < len(note)+10 {
			note = ""
		}
		return append(out, sum+"         "+t.muted.Render(note))
	}
	return append(out, t.strong.Render(sum+fmt.Sprintf(" %9.4f", h.Score)))
}
