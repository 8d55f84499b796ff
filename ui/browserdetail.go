package ui

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"toolscope/engine"
	"toolscope/ui/display"
)

// toolSheet is one tool whole: where it is from, how the model is told of it,
// what is to be said against it, its description and its schema. The lines are
// laid out once for a width.
type toolSheet struct {
	lines  []string
	width  int
	height int // of the lines, as last drawn
	top    int
}

// forget has the lines laid out anew.
func (d *toolSheet) forget() { d.lines = nil }

func (d *toolSheet) scroll(n int) { d.top = scrolled(d.top+n, len(d.lines), d.height) }

func (d *toolSheet) handleKey(msg tea.KeyMsg, k keyMap) {
	switch {
	case key.Matches(msg, k.Move):
		d.scroll(direction(msg))
	case key.Matches(msg, k.Page) || msg.String() == " ":
		d.scroll(direction(msg) * max(1, d.height-1))
	case key.Matches(msg, k.Ends) || msg.Type == tea.KeyHome || msg.Type == tea.KeyEnd:
		d.scroll(direction(msg) * len(d.lines))
	}
}

// view draws the tool in exactly width × height cells.
func (d *toolSheet) view(t theme, s Snapshot, r *toolRow, width, height int) string {
	inner := width - 2
	if d.lines == nil || d.width != inner {
		d.lines, d.width = toolLines(t, s, r, inner), inner
	}
	d.height = height - 2
	d.top = scrolled(d.top, len(d.lines), d.height)
	note := "↑/↓ scroll · c call · f form · e expect · y copy schema · esc back"
	if width < 110 {
		note = "esc back"
	}
	// The note goes before the end of a long name.
	title := "Tool " + clipMiddle(r.def.Name, max(8, inner-len(note)-16))
	return frame(t, 0, title, t.muted.Render(note), scrollNote(t, d.top, len(d.lines), d.height), lines(d.lines, d.top, inner, d.height), width, height, true)
}

// toolLines is all that is known of a tool, wrapped to width cells.
func toolLines(t theme, s Snapshot, r *toolRow, width int) []string {
	const column = 11
	var out []string
	field := func(name string, style lipgloss.Style, value string) {
		for i, l := range wrapAt(value, 0, width-column-1) {
			if i > 0 {
				name = ""
			}
			out = append(out, " "+t.muted.Render(fit(name, column))+style.Render(l))
		}
	}
	d := r.def
	field("wire name", t.strong, display.Clip(d.Name, 4*width))
	field("own name", t.text, display.Clip(d.Tool.Name, 4*width))
	field("from", t.text, r.whence())
	field("now", t.text, r.standing(s))
	if !r.bare {
		field("costs", t.text, plural(r.tokens, "token")+" as a definition, by the estimate")
		hint := "does not say that it only reads"
		if d.Tool.ReadOnly {
			hint = "read-only, it says"
		}
		field("hint", t.text, hint)
	}
	said := r.against(s)
	for i, c := range said {
		name := ""
		if i == 0 {
			name = "beware"
		}
		style := t.warn
		if c.bad {
			style = t.bad
		}
		field(name, style, c.text)
	}
	if r.bare {
		return append(out, "", " "+t.muted.Render(fit("Its server's filter left it out before it was read.", width-1)))
	}
	out = append(out, "", " "+t.muted.Render("description"))
	about, whole := firstBytes(strings.TrimSpace(d.Tool.Description), maxShown)
	if about == "" {
		out = append(out, " "+t.muted.Render("none"))
	}
	for l := range strings.SplitSeq(display.Block(about), "\n") {
		if strings.TrimSpace(l) != "" {
			out = append(out, wrapAt(l, 1, width)...)
		}
	}
	if !whole {
		out = append(out, cutNote(t, len(d.Tool.Description), "", width)...)
	}
	out = append(out, "", " "+t.muted.Render("schema"))
	return append(out, schemaLines(t, d.Tool.Schema, width)...)
}

// schemaLines is a schema laid out, or as it came where it is no JSON.
func schemaLines(t theme, schema json.RawMessage, width int) []string {
	text, whole := firstBytes(string(schema), maxShown)
	var out []string
	switch {
	case len(schema) == 0:
		return []string{" " + t.muted.Render("none")}
	case json.Valid(schema):
		out = jsonLines(t, text, width-2)
	default:
		out = append(wrapAt(t.bad.Render("✗ this is not JSON"), 0, width-1), breakLine(display.Text(text), max(8, width-2))...)
	}
	for i := range out {
		out[i] = " " + out[i]
	}
	if !whole {
		out = append(out, cutNote(t, len(schema), ", y copies them", width)...)
	}
	return out
}

// cutNote says that a text goes on.
func cutNote(t theme, size int, how string, width int) []string {
	return wrapAt(t.warn.Render(fmt.Sprintf("⚠ cut here: %s bytes in all%s", number(size), how)), 1, width)
}

// whence names the owner of a tool.
func (r *toolRow) whence() string {
	switch r.def.Source {
	case engine.SourceMCP:
		return "server " + display.Clip(r.def.Server, 60) + " · group " + display.Clip(r.def.Label, 60)
	case engine.SourcePlugin:
		return "plugin " + display.Clip(r.def.Toolset, 60) + " · group " + display.Clip(r.def.Label, 60)
	case engine.SourceCore:
		return "the core"
	}
	return "an unknown source"
}

// charge is one thing to be said against a tool.
type charge struct {
	bad  bool
	text string // with its mark
}

// maxCharges is how many warnings of one kind are laid out.
const maxCharges = 5

// against is the tool's warnings in words.
func (r *toolRow) against(s Snapshot) []charge {
	var all []charge
	add := func(bad bool, text string) {
		mark := "⚠ "
		if bad {
			mark = "✗ "
		}
		all = append(all, charge{bad, mark + text})
	}
	d := r.def
	if r.hidden > 0 {
		var where []string
		for _, part := range []struct{ name, text string }{{"name", d.Tool.Name}, {"description", d.Tool.Description}, {"schema", string(d.Tool.Schema)}} {
			if n := display.Hidden(part.text); n > 0 {
				where = append(where, number(n)+" in its "+part.name)
			}
		}
		add(true, plural(r.hidden, "character")+" a person would not see, and the model reads: "+strings.Join(where, ", "))
	}
	if r.place == placeBridge {
		add(true, "it has the name of a bridge tool, so the model is not given it")
	}
	names := r.collisions(s)
	for i, message := range names {
		if i == maxCharges {
			add(true, fmt.Sprintf("and %s more of this kind", number(len(names)-i)))
			break
		}
		add(true, message)
	}
	if len(names) == 0 && r.place == placeShadowed {
		add(true, "another tool has its wire name, so the model is not given it")
	}
	if r.long > 0 {
		add(false, fmt.Sprintf("its wire name has %s characters: model APIs refuse more than %d", number(r.long), engine.MaxNameLength))
	}
	if r.silent {
		add(false, "it has no description: the model has only its name and parameters to go by")
	}
	if len(r.lost) > 0 {
		add(false, "camelCase is one word to the search: no query for "+quoted(r.lost)+" finds it")
	}
	for _, status := range s.Statuses {
		if d.Source != engine.SourceMCP || status.Name != d.Server {
			continue
		}
		n := 0
		for _, w := range status.Warnings {
			if w.Key != d.Tool.Name {
				continue
			}
			if n++; n <= maxCharges {
				add(false, display.Clip(w.Message, 400))
			}
		}
	}
	return all
}

// collisions is what the engine says of tools that share this one's wire name.
func (r *toolRow) collisions(s Snapshot) []string {
	var all []string
	for _, w := range s.Assembly.Warnings {
		if w.Key == r.def.Name && w.Used != "" && w.Used != w.Key && (r.place.given() || r.place == placeShadowed) {
			all = append(all, display.Clip(w.Message, 400))
		}
	}
	return all
}

// quoted lists a few words in quotation marks and counts the others.
func quoted(words []string) string {
	const most = 6
	var shown []string
	for _, w := range words[:min(most, len(words))] {
		shown = append(shown, "“"+display.Clip(w, 30)+"”")
	}
	text := strings.Join(shown, ", ")
	if n := len(shown); n > 1 && n == len(words) {
		text = strings.Join(shown[:n-1], ", ") + " or " + shown[n-1]
	}
	if more := len(words) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %s more", number(more))
	}
	return text
}
