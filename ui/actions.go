package ui

import (
	"cmp"
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
)

// Messages of actions that are the model's own.
type (
	focusMsg      struct{ pane paneID }
	zoomMsg       struct{}
	startQueryMsg struct{}
	quitMsg       struct{}
	pressMsg      struct { // a key of a pane's own
		pane paneID
		key  tea.KeyMsg
	}
)

// action is one thing a person can do from anywhere: by its key, or by name in
// the palette.
type action struct {
	name string
	key  key.Binding
	msg  tea.Msg
}

// actions lists everything that holds everywhere, in the palette's order.
func (m model) actions() []action {
	k := m.keys
	back := focusMsg{m.focus}
	list := []action{
		{"Query: type a search", k.Query, startQueryMsg{}},
		{"Query: run an earlier one again", k.History, pickHistoryMsg{}},
		{"Call: compose a bridged call", k.Call, m.callTarget()},
		{"Call: compose one by a form from the tool's schema", k.Form, m.formTarget()},
		{"Query: expect a tool, and see why it is found or not", k.Expect, pickToolMsg{}},
		{"Query: the set of queries, live while you tune", k.Eval, evalMsg{}},
		{"Servers: state, reasons, log", k.Servers, sheetMsg{m.servers}},
		{"Hooks: what each sees, and your consent", k.Hooks, sheetMsg{newHooksView(m.theme)}},
		{"Tools: every tool of every server", k.Tools, sheetMsg{newBrowser(m.theme)}},
		{"Pane: tier", k.Pane1, focusMsg{paneTier}},
		{"Pane: listing by server", k.Pane2, focusMsg{paneListing}},
		{"Pane: budget", k.Pane3, focusMsg{paneBudget}},
		{"Pane: query", k.Pane4, focusMsg{paneQuery}},
		{"Pane: bridged call", k.Pane5, focusMsg{paneCall}},
		{"Pane: next", k.NextPane, focusMsg{m.focus%paneCall + 1}},
		{"Pane: previous", k.PrevPane, focusMsg{(m.focus+paneCall-2)%paneCall + 1}},
		{"Pane: zoom in or out", k.Zoom, zoomMsg{}},
		{"Pane: present it alone", k.Present, presentMsg{}},
		m.tourAction(),
		{"Set threshold_pct: down", k.ThresholdDown, tuneMsg{key: "threshold_pct", steps: -1}},
		{"Set threshold_pct: up", k.ThresholdUp, tuneMsg{key: "threshold_pct", steps: 1}},
		{"Set listing_max_tokens: down", k.ListingDown, tuneMsg{key: "listing_max_tokens", steps: -1}},
		{"Set listing_max_tokens: up", k.ListingUp, tuneMsg{key: "listing_max_tokens", steps: 1}},
		{"Set listing_max_tokens: to the next threshold down", k.JumpDown, jumpMsg{up: false}},
		{"Set listing_max_tokens: to the next threshold up", k.JumpUp, jumpMsg{up: true}},
		{"Tune: the sweep, every budget as a chart", k.Sweep, sheetMsg{newSweepView(m.theme)}},
		{"Set context_length: down", k.ContextDown, tuneMsg{key: "context_length", steps: -1}},
		{"Set context_length: up", k.ContextUp, tuneMsg{key: "context_length", steps: 1}},
		{"Set tool_names: single or double", k.Names, setMsg{"tool_names", string(cycle([]engine.NameStyle{engine.NamesSingle, engine.NamesDouble}, cmp.Or(m.cfg.ToolNames, engine.NamesSingle)))}},
		{"Set listing: auto, on, off", k.CycleListing, setMsg{"listing", string(cycle(switches(), m.cfg.Listing))}},
		{"Set enabled: auto, on, off", k.CycleEnabled, setMsg{"enabled", string(cycle(switches(), m.cfg.Enabled))}},
		{"Session: the next one", k.Session, sessionMsg{}},
		{"Configuration: write the tuned settings into it", k.Write, writeMsg{}},
		{"Configuration: read it again", k.Reload, reloadMsg{}},
		{"Configuration: open your own", k.Open, m.openTarget()},
		{"Undo: the last setting", k.Undo, undoMsg{}},
		{"Redo: what was undone last", k.Redo, redoMsg{}},
		{"Tune: every setting, typed or stepped", k.Settings, sheetMsg{newSettingsView(m.theme)}},
		{"Tune: keep these settings as side A", k.KeepSide, keepSideMsg{}},
		{"Tune: compare side A with the present settings", k.Sides, sidesMsg{}},
		{"Copy: what the focused pane shows", k.Copy, m.copyTarget()},
		{"Export: the screen as a picture and text, or a report", k.Export, exportSheetMsg{}},
		{"Help: every key", k.Help, sheetMsg{newHelpView(m.theme)}},
		{"Commands", k.Palette, paletteMsg{}},
		{"Quit", k.Quit, quitMsg{}},
	}
	switch {
	case m.presenting:
		list = append(list, action{"Back: the whole workbench", k.Back, presentMsg{}})
	case m.zoom:
		list = append(list, action{"Back: all panes", k.Back, zoomMsg{}})
	default:
		list = append(list, action{"Back", k.Back, back})
	}
	for _, s := range m.snap.Servers {
		if !s.Plugin {
			list = append(list, action{name: "Server: switch " + s.Name + " on or off", msg: toggleServerMsg{s.Name}})
		}
	}
	return list
}

// commands lists every action for the palette: those that hold everywhere, then
// the keys of each pane, save the ones that only move.
func (m model) commands() []action {
	list := m.actions()
	for i, name := range tabNames() {
		id := paneID(i + 1)
		for _, b := range m.keys.pane(id) {
			answers := slices.ContainsFunc([]key.Binding{m.keys.Approve, m.keys.ApproveSession, m.keys.Deny}, func(a key.Binding) bool { return a.Help() == b.Help() })
			if k, ok := keyOf(b.Keys()[0]); ok && (!answers || m.questioned().waits()) {
				list = append(list, action{name + " pane: " + b.Help().Desc, b, pressMsg{id, k}})
			}
		}
	}
	return list
}

// keyOf is the key of a name, false for one that only moves.
func keyOf(name string) (tea.KeyMsg, bool) {
	switch {
	case name == "enter":
		return tea.KeyMsg{Type: tea.KeyEnter}, true
	case name == " ":
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune(name)}, true
	case len(name) == 1:
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name)}, true
	}
	return tea.KeyMsg{}, false
}

func switches() []engine.Switch { return []engine.Switch{engine.Auto, engine.On, engine.Off} }

// callTarget is the call that the call key composes: to the selected hit of the
// query, else whatever is in the call pane.
func (m model) callTarget() tea.Msg {
	if hit, ok := m.queryPane().Selected(); ok {
		return callMsg{hit}
	}
	return focusMsg{paneCall}
}

// formTarget is what the form key opens: the form of the selected hit, of the
// call in view while its pane has the focus, else a list of tools.
func (m model) formTarget() tea.Msg {
	if m.focus == paneCall {
		return m.callPane().formTarget()
	}
	if hit, ok := m.queryPane().Selected(); ok {
		return composeMsg{tool: hit}
	}
	return composePickMsg{}
}

// openTarget opens the configuration that is offered, if one is.
func (m model) openTarget() tea.Msg {
	if m.offer == "" {
		return statusMsg{"no configuration of Hermes is found in your home; --config FILE opens any other"}
	}
	return reloadMsg{m.offer}
}

// copyTarget is what the copy key copies for panes that have nothing of their
// own under the cursor.
func (m model) copyTarget() tea.Msg {
	a := m.snap.Assembly
	switch m.focus {
	case paneListing:
		return copyMsg{what: "the listing", text: a.Listing.Text}
	case paneQuery:
		if len(m.results) == 0 {
			return statusMsg{"nothing to copy yet: type a query with /"}
		}
		return copyMsg{what: answerName, text: string(searchAnswer(m.snap))}
	case paneCall:
		return statusMsg{"nothing to copy yet: compose a call with c or e"}
	}
	name, _ := m.panes[m.focus].Title()
	return copyMsg{what: "the pane " + name, text: plainText(m.panes[m.focus].View())}
}

// plainText is what a pane shows, without colours and trailing blanks.
func plainText(view string) string {
	var out []string
	for _, l := range strings.Split(ansi.Strip(view), "\n") {
		out = append(out, strings.TrimRight(l, " "))
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}
