package ui

import (
	"github.com/charmbracelet/bubbles/key"
)

// keyMap holds every binding of the workbench. The help, the footer and the
// command palette are made from it.
type keyMap struct {
	Quit, Interrupt, Help, Palette, Back  key.Binding
	NextPane, PrevPane, Zoom              key.Binding
	Pane1, Pane2, Pane3, Pane4, Pane5     key.Binding
	Query, Call, Servers, Copy, Undo      key.Binding
	Tools, FilterTools, SortTools         key.Binding
	OpenTool                              key.Binding
	ThresholdDown, ThresholdUp            key.Binding
	ListingDown, ListingUp                key.Binding
	ContextDown, ContextUp                key.Binding
	Threshold, Listing, Context           key.Binding // both directions, for the footer
	JumpDown, JumpUp, Sweep               key.Binding
	Redo, Settings, SettingStep           key.Binding
	SettingOriginal, KeepSide             key.Binding
	Sides, Swap                           key.Binding
	SweepWalk, SweepColumns, SweepEnds    key.Binding
	SweepServers, SweepApply              key.Binding
	Names, CycleListing, CycleEnabled     key.Binding
	TierLeftRight, TierUpDown, TierCoarse key.Binding
	Move, Page, Ends                      key.Binding
	Toggle, Retry, Manifest, Toolset      key.Binding
	Ping, Messages, SignIn                key.Binding
	Session, Reload, Open, Write          key.Binding
	Detail, SwitchQuery, CallHit          key.Binding
	Earlier, History, NewQuery            key.Binding
	Answer, ShowTool                      key.Binding
	Expect, Suggested, Exact              key.Binding
	Eval, EvalAsk, EvalLimit              key.Binding
	Step, Run, EditCall, StageMove        key.Binding
	Approve, Deny, Enqueue, Plan, Unqueue key.Binding
	Live, CancelCall, Again, RunBatch     key.Binding
	Activity, Compare, ApproveSession     key.Binding
	Hooks, Consent                        key.Binding
	Form, FormChoose, FormAdd, FormClear  key.Binding
	FormRaw, FormSend, FormRun            key.Binding
	Export, ExportScreen                  key.Binding
	ExportReport, ExportCopy              key.Binding
	TypeLeave                             key.Binding
	Present                               key.Binding
	TourNext, TourBack                    key.Binding
	TourPause, TourEnd                    key.Binding
}

// newKeyMap returns the bindings.
func newKeyMap() keyMap {
	bind := func(help, desc string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc))
	}
	return keyMap{
		Quit:      bind("q", "quit", "q"),
		Interrupt: bind("ctrl+c", "quit, also while typing", "ctrl+c"),
		Help:      bind("?", "help", "?"),
		Palette:   bind(": ctrl+p", "commands, and settings by name", ":", "ctrl+p"),
		Back:      bind("esc", "back", "esc"),

		NextPane: bind("tab", "next pane (or click it)", "tab"),
		PrevPane: bind("shift+tab", "previous pane", "shift+tab"),
		Zoom:     bind("z", "zoom", "z"),
		Pane1:    bind("1", "tier", "1"),
		Pane2:    bind("2", "listing by server", "2"),
		Pane3:    bind("3", "budget", "3"),
		Pane4:    bind("4", "query", "4"),
		Pane5:    bind("5", "bridged call", "5"),

		Query:   bind("/ i", "query", "/", "i"),
		Call:    bind("c", "call", "c"),
		Servers: bind("s", "servers", "s"),
		Tools:   bind("T", "tools of every server", "T"),
		Copy:    bind("y", "copy", "y"),
		Undo:    bind("u", "undo", "u"),

		FilterTools: bind("/", "filter by name", "/"),
		SortTools:   bind("o", "next order of the list", "o"),
		OpenTool:    bind("enter", "description and schema", "enter"),

		ThresholdDown:   bind("[", "threshold_pct down", "["),
		ThresholdUp:     bind("]", "threshold_pct up", "]"),
		ListingDown:     bind("{", "listing_max_tokens down", "{"),
		ListingUp:       bind("}", "listing_max_tokens up", "}"),
		ContextDown:     bind("<", "context length down", "<"),
		ContextUp:       bind(">", "context length up", ">"),
		Threshold:       bind("[ ]", "threshold_pct", "[", "]"),
		Listing:         bind("{ }", "listing_max_tokens", "{", "}"),
		Context:         bind("< >", "context", "<", ">"),
		Redo:            bind("U", "redo", "U"),
		Settings:        bind("=", "settings: every one, typed or stepped", "="),
		SettingStep:     bind("←/→", "step it, with shift ten times", "left", "right", "h", "l", "shift+left", "shift+right"),
		SettingOriginal: bind("o O", "as configured: this one, all", "o", "O"),
		KeepSide:        bind("A", "keep the settings as side A", "A"),
		Sides:           bind("B", "compare side A with the present", "B"),
		Swap:            bind("space", "swap the sides", " "),
		JumpDown:        bind("(", "next threshold down", "("),
		JumpUp:          bind(")", "next threshold up", ")"),
		Sweep:           bind("v", "sweep: every budget as a chart", "v"),
		SweepWalk:       bind("←/→ click", "threshold to threshold", "left", "right"),
		SweepColumns:    bind("h/l shift+←", "column by column", "h", "l", "shift+left", "shift+right"),
		SweepEnds:       bind("home/end", "lowest, highest", "home", "end", "g", "G"),
		SweepServers:    bind("↑/↓ j/k", "scroll the servers", "up", "down", "k", "j", "pgup", "pgdown"),
		SweepApply:      bind("enter", "set this budget", "enter"),
		Names:           bind("N", "tool_names: single or double", "N"),
		CycleListing:    bind("L", "listing: auto, on, off", "L"),
		CycleEnabled:    bind("E", "enabled: auto, on, off", "E"),

		TierLeftRight: bind("←/→ h/l", "threshold_pct", "left", "right", "h", "l"),
		TierUpDown:    bind("↑/↓ j/k", "listing_max_tokens", "up", "down", "k", "j"),
		TierCoarse:    bind("shift+arrow", "the same, ten times as far", "shift+left", "shift+right", "shift+up", "shift+down"),

		Move:     bind("↑/↓ j/k", "move; the wheel scrolls", "up", "down", "k", "j"),
		Page:     bind("pgup/pgdn", "scroll", "pgup", "pgdown"),
		Ends:     bind("g/G", "start, end", "g", "G"),
		Toolset:  bind("t", "toolset in or out of the session", "t"),
		Write:    bind("w", "write the settings into the file", "w"),
		Reload:   bind("R", "read the configuration again", "R"),
		Open:     bind("O", "open your own configuration", "O"),
		Session:  bind("S", "next session", "S"),
		Toggle:   bind("space", "server on or off", " "),
		Retry:    bind("r", "retry a failed server", "r"),
		SignIn:   bind("i", "sign in, where the server asks for it", "i"),
		Ping:     bind("p", "ping", "p"),
		Messages: bind("m", "messages of the protocol: all, sent, received, errors", "m"),
		Manifest: bind("J/K", "scroll the manifest", "J", "K"),

		Detail:      bind("enter", "why this score", "enter"),
		SwitchQuery: bind("←/→ , .", "other query", "left", "right", "h", "l", ",", "."),
		CallHit:     bind("c", "call this tool", "c"),
		Expect:      bind("e", "expect a tool: why (not) found", "e"),
		Exact:       bind("o", "count with o200k too", "o"),
		Suggested:   bind("a", "try the suggested query", "a"),
		Earlier:     bind("↑/↓", "typing: earlier queries", "up", "down"),
		History:     bind("ctrl+r", "list of earlier queries", "ctrl+r"),
		NewQuery:    bind("ctrl+o", "typing: one more query, after ;", "ctrl+o"),
		Answer:      bind("J", "the answer as the model gets it", "J"),
		ShowTool:    bind("t", "this tool in the tools browser", "t"),

		Eval:      bind("Q", "set of queries, live", "Q"),
		EvalAsk:   bind("enter", "ask it in pane 4", "enter"),
		EvalLimit: bind("+ -", "search_default_limit", "+", "-"),

		Step:           bind("space n", "next stage", " ", "n"),
		Run:            bind("enter r", "run to the end", "enter", "r"),
		EditCall:       bind("e", "write the call", "e"),
		StageMove:      bind("←/→ , .", "other stage", "left", "right", ",", "."),
		Hooks:          bind("H", "hooks of calls", "H"),
		Consent:        bind("space", "consent to the command, or revoke", " "),
		Live:           bind("l", "live or simulated", "l"),
		CancelCall:     bind("C", "cancel a call under way, or the batch", "C"),
		Again:          bind("a", "the same call again", "a"),
		Activity:       bind("h", "activity: every call made", "h"),
		Compare:        bind("m", "compare with the call before", "m"),
		Approve:        bind("y", "approve once, when asked", "y"),
		ApproveSession: bind("Y", "approve for this session", "Y"),
		Deny:           bind("n", "deny, when asked", "n"),
		Enqueue:        bind("b", "queue a call for the batch", "b"),
		Plan:           bind("p", "plan of the batch", "p"),
		RunBatch:       bind("r", "run the batch, in the plan", "r"),
		Unqueue:        bind("d D", "take a call out, or all", "d", "D"),
		Form:           bind("f", "compose by a form", "f"),
		FormChoose:     bind("space ←/→", "choose a value or an alternative", " ", "left", "right", "h", "l"),
		FormAdd:        bind("+", "add an item, open an object", "+", "a"),
		FormClear:      bind("d", "take the value out", "d", "x"),
		FormRaw:        bind("ctrl+e", "all arguments as JSON", "ctrl+e"),
		FormSend:       bind("c", "into pane 5, before its first stage", "c"),
		FormRun:        bind("ctrl+r", "run it at once", "ctrl+r"),
		Export:         bind("x", "export the screen, or a report", "x"),
		ExportScreen:   bind("s", "save the screen: picture and text", "s"),
		ExportReport:   bind("r", "save a report of the state", "r"),
		ExportCopy:     bind("y", "copy the report", "y"),
		TypeLeave:      bind("esc", "stop typing", "esc"),

		Present:   bind("P", "present a pane alone", "P"),
		TourNext:  bind("space → pgdn", "next step", " ", "right", "pgdown"),
		TourBack:  bind("← pgup", "back a step", "left", "pgup"),
		TourPause: bind("p", "timer: go on by itself, or pause", "p"),
		TourEnd:   bind("esc", "end the tour", "esc"),
	}
}

// section is one group of the help.
type section struct {
	title string
	keys  []key.Binding
}

// sections is the whole help, in reading order.
func (k keyMap) sections() []section {
	return []section{
		{"Everywhere", []key.Binding{k.Query, k.Eval, k.Call, k.Servers, k.Tools, k.Hooks, k.Palette, k.Help, k.Copy, k.Export, k.Reload, k.Open, k.Back, k.Quit, k.Interrupt}},
		{"Panes", []key.Binding{k.Pane1, k.Pane2, k.Pane3, k.Pane4, k.Pane5, k.NextPane, k.PrevPane, k.Zoom, k.Present, k.Page, k.Ends}},
		{"Tune from any pane", []key.Binding{k.ThresholdDown, k.ThresholdUp, k.ListingDown, k.ListingUp, k.ContextDown, k.ContextUp, k.JumpDown, k.JumpUp, k.Sweep, k.Settings, k.KeepSide, k.Sides, k.Names, k.CycleListing, k.CycleEnabled, k.Session, k.Undo, k.Redo, k.Write}},
		{"In the settings, =", []key.Binding{k.Move, k.SettingStep, k.SettingOriginal}},
		{"In two settings, B", []key.Binding{k.Swap}},
		{"In pane 1, tier", k.pane(paneTier)},
		{"In pane 2, listing", k.pane(paneListing)},
		{"In the servers view, s", []key.Binding{k.Move, k.Toggle, k.Retry, k.SignIn, k.Ping, k.Messages, k.Page, k.Copy}},
		{"In the form of a call, f", []key.Binding{k.Move, k.FormChoose, k.FormAdd, k.FormClear, k.FormRaw, k.FormSend, k.FormRun, k.Enqueue, k.Undo, k.Copy}},
		{"In the hooks view, H", []key.Binding{k.Move, k.Consent, k.Page, k.Copy}},
		{"In the tools browser, T", []key.Binding{k.FilterTools, k.SortTools, k.OpenTool, k.Move, k.Page, k.Ends, k.CallHit, k.Form, k.Expect, k.Copy, k.TypeLeave}},
		{"In the sweep, v", []key.Binding{k.SweepWalk, k.SweepColumns, k.SweepEnds, k.SweepServers, k.SweepApply, k.Copy}},
		{"In the export, x", []key.Binding{k.ExportScreen, k.ExportReport, k.ExportCopy}},
		{"In the set of queries, Q", []key.Binding{k.Move, k.Page, k.Ends, k.EvalAsk, k.EvalLimit, k.Threshold, k.Listing, k.Names, k.Session, k.Undo, k.Copy}},
		{"In pane 3, budget", k.pane(paneBudget)},
		{"In pane 4, query", k.pane(paneQuery)},
		{"In pane 5, call", k.pane(paneCall)},
		{"On the tour", []key.Binding{k.TourNext, k.TourBack, k.TourPause, k.TourEnd}},
	}
}

// ofSheet is the keys of a sheet, as its section of the help has them.
func (k keyMap) ofSheet(s sheet) []key.Binding {
	title := ""
	switch s.(type) {
	case *serversView:
		title = "In the servers view, s"
	case *composer:
		title = "In the form of a call, f"
	case *hooksView:
		title = "In the hooks view, H"
	case *browser:
		title = "In the tools browser, T"
	case *sweepView:
		title = "In the sweep, v"
	case *settingsView:
		title = "In the settings, ="
	case *sidesView:
		title = "In two settings, B"
	case *exportSheet:
		title = "In the export, x"
	case *evalSheet:
		title = "In the set of queries, Q"
	}
	for _, section := range k.sections() {
		if section.title == title {
			return section.keys
		}
	}
	return nil
}

// pane is the keys of a pane's own.
func (k keyMap) pane(id paneID) []key.Binding {
	switch id {
	case paneTier:
		return []key.Binding{k.TierLeftRight, k.TierUpDown, k.TierCoarse}
	case paneListing:
		return []key.Binding{k.Move, k.Toggle, k.Toolset, k.Retry, k.Manifest}
	case paneBudget:
		return []key.Binding{k.Move, k.Exact}
	case paneQuery:
		return []key.Binding{k.Move, k.Detail, k.Answer, k.ShowTool, k.Expect, k.Suggested, k.SwitchQuery, k.CallHit, k.Form, k.Enqueue, k.Earlier, k.History, k.NewQuery, k.TypeLeave}
	case paneCall:
		return []key.Binding{k.Step, k.Run, k.StageMove, k.Live, k.CancelCall, k.Approve, k.ApproveSession, k.Deny, k.EditCall, k.Form, k.Again, k.Compare, k.Activity, k.Enqueue, k.Plan, k.RunBatch, k.Unqueue, k.TypeLeave}
	}
	return nil
}

// footer is the few keys that matter most while a pane has the focus.
func (k keyMap) footer(focus paneID, mode callMode) []key.Binding {
	tail := []key.Binding{k.Query, k.Call, k.Servers, k.Palette, k.Zoom, k.Undo, k.Threshold, k.Listing, k.Context}
	switch focus {
	case paneTier:
		return append([]key.Binding{k.TierLeftRight, k.TierUpDown, k.Context}, tail[:6]...)
	case paneListing:
		return append([]key.Binding{k.Move, k.Toggle, k.Toolset, k.Retry, k.Manifest}, tail...)
	case paneQuery:
		return append([]key.Binding{k.Move, k.Detail, k.Expect, k.Answer, k.SwitchQuery}, tail...)
	case paneCall:
		switch mode {
		case modePlan:
			return append([]key.Binding{k.Move, k.RunBatch, k.Unqueue, k.CancelCall, k.Plan, k.Live}, tail...)
		case modeActivity:
			return append([]key.Binding{k.Move, k.Compare, k.Activity, k.Plan}, tail...)
		}
		return append([]key.Binding{k.Step, k.Run, k.StageMove, k.Live, k.EditCall, k.Again, k.Activity, k.Enqueue, k.Plan}, tail...)
	}
	return append([]key.Binding{k.Move, k.Exact, k.NextPane, k.Threshold, k.Listing, k.Context}, tail[:6]...)
}
