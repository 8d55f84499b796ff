package ui

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/ui/display"
)

// Messages about composing a call by a form.
type (
	composeMsg struct { // open the form of a tool, filled in with arguments; none: a new one
		tool      string
		arguments json.RawMessage
	}
	composedMsg struct { // the form was left, filled in like this
		tool      string
		arguments json.RawMessage
	}
	composePickMsg struct{}                // choose the tool from a list
	runJSONMsg     struct{ bridge string } // a call from its JSON, at once to its end
)

// composer is the form of a call: a row for each place in the arguments that
// the tool's schema names, what speaks against them, and the exact JSON that
// goes through the bridge.
type composer struct {
	theme theme
	keys  keyMap
	tool  engine.Definition
	form  engine.CallForm
	past  []engine.CallForm // what undo goes back to

	path  string // of the row under the cursor
	field field
	edits composeEdit
	try   engine.CallForm // the form with what is being typed

	top, first, rows int // first row shown; where the rows lie, as last drawn
}

// composeEdit is what the text field holds.
type composeEdit int

const (
	editNothing composeEdit = iota
	editValue               // the value of the row under the cursor
	editRaw                 // all arguments as JSON
	editName                // the name of a property to add
)

func newComposer(t theme, tool engine.Definition, arguments json.RawMessage) *composer {
	c := &composer{theme: t, keys: newKeyMap(), tool: tool, field: newField(maxCallChars), form: engine.NewCallForm(tool.Tool.Schema, arguments)}
	if rows := c.form.Fields(); len(rows) > 0 {
		c.path = rows[0].Path
	}
	return c
}

// openForm lays the form of a tool over the panes.
func (m model) openForm(msg composeMsg) (tea.Model, tea.Cmd) {
	if msg.arguments == nil && m.draft.tool == msg.tool {
		msg.arguments = m.draft.arguments // as it was left
	}
	for _, d := range m.snap.Assembly.Deferred {
		if d.Name == msg.tool {
			m.lay(newComposer(m.theme, d, msg.arguments))
			return m, nil
		}
	}
	return m.say(msg.tool + " is not behind the bridge: there is no tool_call to compose")
}

// formTarget is what the form key opens: the form of the call in view, else a
// list of the tools to call.
func (p *callPane) formTarget() tea.Msg {
	f := p.snap.Call.Flow
	if len(f.Stages) == 0 {
		return composePickMsg{}
	}
	for f = engine.Begin(f.Stages[0].Input, engine.Runners{}); f.Next < 2 && !f.Done(); {
		f = f.Step(p.snap.Assembly)
	}
	if f.Tool == "" {
		return statusMsg{"the call in view names no tool that has a form: e writes it by hand"}
	}
	return composeMsg{f.Tool, f.Arguments}
}

// composeList is every tool that a call can be composed to.
func (m model) composeList() pickList {
	list := pickList{
		title: "Compose a call", hint: "a deferred tool's wire name", verb: "opens its form",
		typed: func(string) (action, bool) { return action{}, false },
	}
	for _, d := range m.snap.Assembly.Deferred {
		list.actions = append(list.actions, action{name: d.Name, msg: composeMsg{tool: d.Name}})
	}
	return list
}

// SetSnapshot changes nothing: the form stays the one of the schema it was
// opened with, and the stages hold the call against the present one.
func (c *composer) SetSnapshot(Snapshot) {}

// Typing reports whether every character is text.
func (c *composer) Typing() bool { return c.edits != editNothing }

// HandleWheel moves the cursor.
func (c *composer) HandleWheel(n int) {
	if !c.Typing() {
		c.move(n)
	}
}

// HandleClick goes to the row under the pointer, and into it where it is there.
func (c *composer) HandleClick(_, y int) (tea.Msg, bool) {
	rows := c.form.Fields()
	row := y - c.first
	if c.Typing() || row < 0 || row >= c.rows || c.top+row >= len(rows) {
		return nil, false
	}
	if at := rows[c.top+row].Path; at != c.path {
		c.path = at
		return nil, false
	}
	return c.enter(), false
}

// bridge is the exact JSON of the call, as the model would send it.
func (c *composer) bridge(form engine.CallForm) json.RawMessage {
	return engine.CallJSON(c.tool.Name, form.Arguments())
}

// HandleKey fills the form in.
func (c *composer) HandleKey(msg tea.KeyMsg) (ask tea.Msg, done bool) {
	if c.Typing() {
		c.typeKey(msg)
		return nil, false
	}
	k := c.keys
	row, ok := c.form.Field(c.path)
	switch {
	case key.Matches(msg, k.Back, k.Quit):
		return composedMsg{c.tool.Name, c.form.Arguments()}, true
	case key.Matches(msg, k.Move):
		c.move(direction(msg))
	case key.Matches(msg, k.Page):
		c.move(direction(msg) * max(1, c.rows-1))
	case key.Matches(msg, k.Ends) || msg.Type == tea.KeyHome || msg.Type == tea.KeyEnd:
		c.move(direction(msg) << 16)
	case key.Matches(msg, k.FormRaw):
		c.edit(editRaw, string(c.form.Arguments()))
	case key.Matches(msg, k.FormSend):
		return callJSONMsg{string(c.bridge(c.form))}, true
	case key.Matches(msg, k.FormRun):
		return runJSONMsg{string(c.bridge(c.form))}, true
	case key.Matches(msg, k.Enqueue):
		return queueMsg{engine.ModelCall{Name: engine.BridgeCall, Arguments: c.bridge(c.form)}}, true
	case key.Matches(msg, k.Copy):
		return copyMsg{"the call", string(c.bridge(c.form))}, false
	case key.Matches(msg, k.Undo):
		if n := len(c.past); n > 0 {
			c.form, c.past = c.past[n-1], c.past[:n-1]
			c.settle()
			return nil, false
		}
		return statusMsg{"nothing to undo in this form"}, false
	case !ok:
	case msg.Type == tea.KeyEnter:
		return c.enter(), false
	case key.Matches(msg, k.FormChoose):
		return c.cycle(row, map[bool]int{true: -1, false: 1}[msg.String() == "left" || msg.String() == "h"]), false
	case key.Matches(msg, k.FormAdd):
		return c.add(row), false
	case key.Matches(msg, k.FormClear) || msg.Type == tea.KeyDelete || msg.Type == tea.KeyBackspace:
		c.change(c.form.Remove(c.path))
	}
	return nil, false
}

// enter opens what is under the cursor: a choice goes one on, an object or list
// gets something inside, any other value is typed.
func (c *composer) enter() tea.Msg {
	row, ok := c.form.Field(c.path)
	switch {
	case !ok:
		return nil
	case chosen(row):
		return c.cycle(row, 1)
	case holds(row, "array") || holds(row, "object"):
		return c.add(row)
	}
	c.edit(editValue, row.Text)
	return nil
}

// chosen reports whether a row's value is chosen and not typed.
func chosen(row engine.CallField) bool {
	if len(row.Enum) > 0 || row.Const != nil || len(row.Choices) > 1 && !scalar(row) {
		return true
	}
	return len(row.Types) == 1 && row.Types[0] == "boolean"
}

// scalar reports whether a value can be typed.
func scalar(row engine.CallField) bool { return !holds(row, "object") && !holds(row, "array") }

// holds reports whether the row is, or without a value only can be, of a type.
func holds(row engine.CallField, kind string) bool {
	if row.Set && len(row.Value) > 0 {
		return kind == "object" && row.Value[0] == '{' || kind == "array" && row.Value[0] == '['
	}
	return len(row.Types) == 1 && row.Types[0] == kind
}

func (c *composer) cycle(row engine.CallField, step int) tea.Msg {
	next := c.form.Cycle(row.Path, step)
	if string(next.Arguments()) == string(c.form.Arguments()) && len(row.Enum) == 0 && len(row.Choices) == 0 && row.Const == nil {
		if len(row.Types) != 1 || row.Types[0] != "boolean" {
			return statusMsg{"there is nothing to choose from here: enter types a value"}
		}
	}
	c.change(next)
	return nil
}

// add adds an item to a list, opens an object, or a property that the schema
// does not name to one that is open.
func (c *composer) add(row engine.CallField) tea.Msg {
	next := c.form.Add(row.Path)
	if string(next.Arguments()) != string(c.form.Arguments()) {
		c.change(next)
		return nil
	}
	if row.More || row.Path == "" {
		c.edit(editName, "")
		return nil
	}
	return statusMsg{"nothing can be added here: enter types a value"}
}

// change puts another form in place of the present one.
func (c *composer) change(next engine.CallForm) {
	if string(next.Arguments()) == string(c.form.Arguments()) {
		c.form = next // another alternative may be chosen
		c.settle()
		return
	}
	const most = 200
	c.past = append(c.past, c.form)
	c.past = c.past[max(0, len(c.past)-most):]
	c.form = next
	c.settle()
}

// settle keeps the cursor on a row that is there: the one it was on, the item
// before, or what it was in.
func (c *composer) settle() {
	for {
		if _, ok := c.form.Field(c.path); ok {
			return
		}
		at := strings.LastIndexByte(c.path, '/')
		if at < 0 {
			break
		}
		c.path = c.path[:at]
	}
	if rows := c.form.Fields(); len(rows) > 0 {
		c.path = rows[0].Path
	}
}

// at is the index of the row under the cursor.
func (c *composer) at(rows []engine.CallField) int {
	for i, r := range rows {
		if r.Path == c.path {
			return i
		}
	}
	return 0
}

func (c *composer) move(n int) {
	rows := c.form.Fields()
	if len(rows) > 0 {
		c.path = rows[max(0, min(c.at(rows)+n, len(rows)-1))].Path
	}
}

// edit opens the text field.
func (c *composer) edit(what composeEdit, text string) {
	c.edits, c.try = what, c.form
	c.field.set(text)
	c.field.focus()
}

// typeKey edits the text and tries what it would make of the form.
func (c *composer) typeKey(msg tea.KeyMsg) {
	switch msg.Type {
	case tea.KeyEsc:
		c.edits = editNothing
		c.field.blur()
		return
	case tea.KeyEnter, tea.KeyTab:
		if c.edits == editRaw && !isObject(c.field.text()) {
			return // what is wrong stands below the text
		}
		c.attempt()
		what := c.edits
		c.edits = editNothing
		c.field.blur()
		c.change(c.try)
		if what == editValue && msg.Type == tea.KeyTab {
			c.move(1)
			if next, ok := c.form.Field(c.path); ok && !chosen(next) && scalar(next) {
				c.edit(editValue, next.Text) // who goes on typing types a value, not commands
			}
		}
		return
	}
	if c.field.handleKey(msg, " ") {
		c.attempt()
	}
}

// attempt is the form with what is typed.
func (c *composer) attempt() {
	switch c.edits {
	case editValue:
		c.try = c.form.Set(c.path, c.field.text())
	case editRaw:
		if isObject(c.field.text()) {
			c.try = engine.NewCallForm(c.tool.Tool.Schema, json.RawMessage(c.field.text()))
		}
	case editName:
		if name := strings.TrimSpace(c.field.text()); name != "" {
			c.try = c.form.Set(c.path+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), "")
		}
	}
}

func isObject(text string) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &o) == nil && o != nil
}

// View draws the rows, the description of the one under the cursor, what speaks
// against the call, and the call itself.
func (c *composer) View(width, height int) string {
	t := c.theme
	inner := min(width, 120) - 2
	form := c.form
	if c.Typing() {
		form = c.try
	}
	rows := form.Fields()
	foot := c.foot(form, inner, height)
	room := max(1, height-2-len(foot))
	at := c.at(rows)
	c.rows, c.first = min(room, max(1, len(rows))), 1
	c.top = scrolled(at-c.rows/2, len(rows), c.rows)
	var out []string
	for i, r := range window(rows, c.top, c.rows) {
		out = append(out, c.row(r, inner, c.top+i == at))
	}
	if len(rows) == 0 {
		out = append(out, t.muted.Render(" The schema names no parameters: the call has none. + adds one, ctrl+e writes JSON."))
	}
	out = append(out, foot...)
	state := t.good.Render("✓ nothing speaks against it")
	if n := len(form.Problems()); n > 0 {
		state = t.bad.Render("✗ " + plural(n, "problem"))
	}
	h := min(height, len(out)+2)
	return frame(t, 0, "Call "+display.Clip(c.tool.Name, max(8, inner-44)), state, scrollNote(t, c.top, len(rows), c.rows), lines(out, 0, inner, h-2), inner+2, h, true)
}

// row is one place in the arguments: its name, what may stand there, its value
// and what is wrong with it.
func (c *composer) row(r engine.CallField, width int, here bool) string {
	t := c.theme
	name := r.Name
	switch {
	case r.Path == "":
		name = "(all arguments)"
	case r.Item:
		name = "[" + r.Name + "]"
	}
	name = strings.Repeat("  ", min(r.Depth, 12)) + display.Clip(name, 60)
	if r.Required {
		name += " *"
	}
	mark, style := "  ", t.text
	if here {
		mark, style = "› ", t.selected
	}
	first := min(34, width/3)
	second := min(18, width/6)
	line := style.Render(fit(mark+name, first)) + " " + t.muted.Render(fit(display.Clip(kindOf(r), second), second)) + " "
	room := width - first - second - 2
	if here && c.edits == editValue {
		typed := c.field.view(t, max(8, room*3/5))
		return fit(line+typed+" "+c.problem(r, room-ansi.StringWidth(typed)-1), width)
	}
	value := t.faint.Render("–")
	switch {
	case r.Set && (holds(r, "object") || holds(r, "array")):
		value = t.muted.Render(display.Clip(string(r.Value), max(8, room*3/5)))
	case r.Set:
		value = display.Clip(string(r.Value), max(8, room*3/5))
	case r.Default != nil:
		value = t.muted.Render("– default " + display.Clip(string(r.Default), max(8, room/2)))
	}
	return fit(line+value+" "+c.problem(r, room-ansi.StringWidth(value)-1), width)
}

// problem says what is wrong with a row.
func (c *composer) problem(r engine.CallField, room int) string {
	if r.Problem == "" {
		return ""
	}
	return c.theme.bad.Render(display.Clip("✗ "+r.Problem, max(0, room)))
}

// kindOf is what may stand in a row.
func kindOf(r engine.CallField) string {
	switch {
	case len(r.Choices) > 1:
		return fmt.Sprintf("%d of %d: %s", r.Choice+1, len(r.Choices), r.Choices[max(0, min(r.Choice, len(r.Choices)-1))])
	case r.Const != nil:
		return "constant"
	case len(r.Enum) > 0:
		return fmt.Sprintf("one of %d", len(r.Enum))
	case len(r.Types) == 0:
		return "any"
	}
	return strings.Join(r.Types, "|")
}

// foot is what stands below the rows.
func (c *composer) foot(form engine.CallForm, width, height int) []string {
	t := c.theme
	out := []string{t.border.Render(strings.Repeat("─", max(0, width)))}
	if r, ok := form.Field(c.path); ok && c.edits != editRaw && height >= 12 {
		about, _ := firstBytes(r.Description, maxShown)
		if about == "" {
			about = "(no description)"
		}
		var more []string
		if len(r.Enum) > 0 {
			var values []string
			for _, v := range r.Enum[:min(20, len(r.Enum))] {
				values = append(values, string(v))
			}
			more = append(more, "one of "+strings.Join(values, " "))
		}
		if r.Format != "" {
			more = append(more, "format "+r.Format)
		}
		if len(more) > 0 {
			about += " · " + strings.Join(more, " · ")
		}
		out = append(out, window(wrapText(t.muted, display.Text(about), width), 0, max(1, min(3, height/8)))...)
	}
	for _, n := range form.Notes()[:min(2, len(form.Notes()))] {
		out = append(out, t.warn.Render(" ⚠ "+display.Clip(n, width-4)))
	}
	most := max(1, min(6, height/5))
	switch c.edits {
	case editRaw:
		out = append(out, t.accent.Render(" arguments as JSON")+t.muted.Render("  enter: take them · esc: leave"))
		rows, at := c.field.wrapped(t, width-2)
		for _, r := range window(rows, scrolled(at-most/2, len(rows), most), most) {
			out = append(out, " "+r)
		}
		if !isObject(c.field.text()) {
			out = append(out, t.bad.Render(" ✗ no JSON object yet"))
		}
	case editName:
		out = append(out, " "+t.accent.Render("name of the property to add ")+c.field.view(t, max(8, width-32)))
	default:
		out = append(out, t.muted.Render(" through the bridge goes tool_call"))
		text, _ := firstBytes(string(c.bridge(form)), maxShown)
		for _, r := range window(breakLine(display.Text(text), width-2), 0, most) {
			out = append(out, " "+r)
		}
	}
	keys := []string{"enter type", "space choose", "+ add", "d clear", "^e JSON", "c compose", "^r run", "b queue", "y copy", "esc close"}
	if c.Typing() {
		keys = []string{"enter set", "tab set, next", "esc leave"}
	}
	return append(out, t.muted.Render(" "+display.Clip(strings.Join(keys, " · "), width-2)))
}
