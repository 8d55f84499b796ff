package ui

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/ui/display"
)

// Servers and tools of the built-in demo that the tour speaks of.
const (
	tourGiant       = "cloudflare"
	tourIssues      = "github"
	tourIssueTool   = "create_issue"
	tourChat        = "slack"
	tourChatTool    = "post_message"
	tourHit         = "create an issue"
	tourMiss        = "file a bug"
	tourPart        = "REATE_ISS" // of a wire name, and no token of any tool
	tourContext     = "200000"    // where the context is unknown, no percentage moves anything
	tourMessageText = `{"channel":"#general","text":"Hello from the tour."}`
)

// tourCallMsg composes a call of the tour's.
type tourCallMsg struct{ bridge json.RawMessage }

// tourCall composes a call that asks for approval, whatever was agreed to
// before, and that goes to no server. A call that was in view stays.
func (m model) tourCall(msg tourCallMsg) (tea.Model, tea.Cmd) {
	m.viewed, m.approved, m.live = 0, nil, false
	return m.compose(msg.bridge)
}

// tourSteps are the steps in order. Each asks for all that it speaks of, so
// that it is true whatever was changed by hand before.
func tourSteps() []tourStep {
	small := []phase{toolsets(butGiant), switchesAuto}
	large := []phase{toolsets(everything), giantOn, switchesAuto}
	defaults := settings(defaultBudget)
	with := func(scene []phase, more ...phase) []phase { return slices.Concat(scene, more) }
	return []tourStep{
		{
			title: "Tier 0: nothing to defer", pane: paneTier,
			do:    []phase{toolsets(nothing), switchesAuto},
			waits: serversAnswer,
			text: func(m model) []string {
				return []string{
					fmt.Sprintf("The session sees no server and no plugin. What is left, %s of the agent's own, goes to the model with every schema: no bridge, no search, no listing.", plural(len(m.snap.Assembly.Visible), "tool")),
					"Look at the badge at the top right, TIER 0, and at pane 2: the servers connect, and all are out of the session.",
				}
			},
		},
		{
			title: "Tier 1, full: every tool with a short description", pane: paneTier,
			without: cannot(engine.FormFull, butGiant),
			do:      with(small, settings(budgetFor(engine.FormFull))),
			text: func(m model) []string {
				a := m.snap.Assembly
				return []string{
					fmt.Sprintf("The toolsets are back. Their %s are deferred behind three bridge tools, and tool_search carries a listing of them: each by name, with the start of its description.", plural(len(a.Deferred), "tool")),
					fmt.Sprintf("Look at the ladder in pane 1: full takes %s of a budget of %s tokens, so it is the answer. Pane 2 has the text the model gets.", number(stepTokens(a, engine.FormFull)), number(a.Budget.Tokens)),
				}
			},
		},
		{
			title: "Tier 1, names: the descriptions go", pane: paneListing,
			without: cannot(engine.FormNames, butGiant),
			do:      with(small, settings(budgetFor(engine.FormNames))),
			text: func(m model) []string {
				a := m.snap.Assembly
				return []string{
					fmt.Sprintf("The budget goes down to %s tokens by one setting. Full would take %s, names take %s: every tool is still listed, by its name alone.", number(a.Budget.Tokens), number(stepTokens(a, engine.FormFull)), number(stepTokens(a, engine.FormNames))),
					"Look at the listing in pane 2, with what changed marked. The model can still read any description: tool_describe has it.",
				}
			},
		},
		{
			title: "Tier 1, mixed: a giant arrives", pane: paneListing,
			without: noGiant,
			do:      with(large, defaults),
			waits:   giantAnswers,
			text: func(m model) []string {
				a := m.snap.Assembly
				if _, failed := m.giant(mcpconn.StateFailed); failed {
					return []string{tourGiant + " is switched on and does not come: the listing stays as it was.", "Look at its row in pane 2, and press s for what it wrote."}
				}
				if _, ready := m.giant(mcpconn.StateReady); !ready {
					return []string{tourGiant + " is switched on: a process is started, and its tools are listed page by page.", "Look at its row in pane 2 while they come."}
				}
				return []string{
					fmt.Sprintf("%s brings the deferred tools to %s. All their names would take %s tokens of %s, so the longest block becomes one line; the other servers keep theirs.", tourGiant, number(len(a.Deferred)), number(stepTokens(a, engine.FormNames)), number(a.Budget.Tokens)),
					fmt.Sprintf("Look at %s in pane 2: one line, its tools found by search alone. The header says what the change costs a prompt cache.", tourGiant),
				}
			},
		},
		{
			title: "Tier 2, groups: a line per server", pane: paneTier,
			without: cannot(engine.FormGroups, everything),
			do:      with(large, settings(budgetFor(engine.FormGroups))),
			text: func(m model) []string {
				a := m.snap.Assembly
				return []string{
					fmt.Sprintf("threshold_pct goes down to %s: %s tokens of the context. No server's names fit any more, so each is one line, with how many tools it has.", percent(a.Config.ThresholdPct), number(a.Budget.Tokens)),
					"Look at the ladder in pane 1: which server became a line at which step, and what it would take to have it back.",
				}
			},
		},
		{
			title: "Tier 2, none: nothing is listed", pane: paneTier,
			without: cannot(engine.FormNone, everything),
			do:      with(large, settings(budgetFor(engine.FormNone))),
			text: func(m model) []string {
				a := m.snap.Assembly
				return []string{
					fmt.Sprintf("With a budget of %s tokens not even the lines fit. The model sees no name at all; the description of tool_search says how many tools there are, and to search before it gives up.", number(a.Budget.Tokens)),
					fmt.Sprintf("Look at pane 3: this is the cheapest there is, and the %s are still found and called as before.", plural(len(a.Deferred), "deferred tool")),
				}
			},
		},
		{
			title: "A query that works", pane: paneQuery,
			without: noIssueTool,
			do:      with(large, defaults, expecting(""), query(tourHit)),
			text: func(m model) []string {
				r := m.snap.Queries[0]
				return []string{
					fmt.Sprintf("The budget is back. The query “%s” finds %s; the model gets the best %d, and %s is number %d of them.", tourHit, plural(r.Total, "tool"), len(r.Hits), m.issueTool(), m.rankOf(m.issueTool())),
					"Look at the tokens: stem, in how many tools, and what that makes it worth. Each bar shows what each token gave. The words of a good query are in few tools.",
				}
			},
		},
		{
			title: "One that misses, and why", pane: paneQuery,
			without: noIssueTool,
			do:      with(large, defaults, query(tourMiss), expectIssueTool),
			text: func(m model) []string {
				w := m.snap.Pinned[0].Why
				place := "nowhere"
				if w.Rank > 0 {
					place = "number " + number(w.Rank)
				}
				return []string{
					fmt.Sprintf("“%s” means the same to a person. The engine compares words: %s has neither “file” nor “bug” in its name, description or parameters, and is %s.", tourMiss, w.Tool, place),
					"Look at the end of pane 4: the expected tool stays in view with the reason, and with the smallest change of the query that finds it.",
				}
			},
		},
		{
			title: "The smallest change that finds it", pane: paneQuery,
			without: noIssueTool,
			do:      with(large, defaults, query(tourMiss), expectIssueTool, suggestedQuery),
			text: func(m model) []string {
				w := m.snap.Pinned[0].Why
				return []string{
					fmt.Sprintf("The suggested change makes it “%s”, and %s is number %d. That is a word for the tool's description, or for the prompt.", display.Text(w.Query), w.Tool, w.Rank),
					"Look at its row (◆): what the new word gave. In pane 4 the key a does the same; enter on a row shows the arithmetic.",
				}
			},
		},
		{
			title: "A part of a name, where no word is known", pane: paneQuery,
			without: noIssueTool,
			do:      with(large, defaults, expecting(""), query(tourPart)),
			text: func(m model) []string {
				return []string{
					fmt.Sprintf("No tool has a token “%s”. Only then are wire names looked through that contain it as it stands: %s here.", tourPart, plural(m.snap.Queries[0].Total, "tool")),
					"Look at the equal scores: it is a last resort without a ranking. One known word in the query, and it does not happen.",
				}
			},
		},
		{
			title: "A bridged call that asks first", pane: paneCall,
			without: noChatTool,
			do:      with(large, defaults, callChatTool),
			waits:   callAnswered, asks: true,
			text: func(m model) []string {
				return []string{
					fmt.Sprintf("A model calls tool_call. From unwrap on the call has its real name, %s: in scope, its arguments hold against the schema. %s has trust: untrusted, and the tool does not say that it only reads.", m.chatTool(), tourChat),
					"Look at the approval stage in pane 5, and answer: y once, Y for the session, n no. Nobody's answer is a no.",
				}
			},
		},
		{
			title: "What the answer does", pane: paneCall,
			without: noChatTool,
			text:    answered,
		},
		{
			title: "The end", pane: paneTier,
			text: func(model) []string {
				return []string{
					"All of this was real: settings, servers, a search, a call. The next key puts back what was there before the tour.",
					"Then try it: 1 and the arrow keys tune, / searches, ? lists every key. toolscope --config opens your own servers.",
				}
			},
		},
	}
}

// answered says what the answer to the tour's call led to.
func answered(m model) []string {
	f := m.tourFlow()
	look := "Look at the stages after it: the dispatch is simulated and says so, the activity feed has the real name. The key l makes calls live."
	i := stageAt(f, engine.StageApproval)
	switch {
	case i < 0 || f.Stages[i].Outcome == "":
		return []string{"The call is gone, or waits no more.", "Look at pane 5: h shows every call that was made."}
	case f.Stages[i].Outcome == engine.OutcomeBlocked:
		return []string{
			"The call is blocked: " + display.Text(f.Stages[i].Reason) + ". Nothing was dispatched, and the model gets that as the answer of its call.",
			"Look at the stages after it: none was reached. ← goes back, to answer otherwise.",
		}
	}
	return []string{"The call goes on: " + display.Text(f.Stages[i].Reason) + ". What the model gets is the answer of the real tool, under the name of the bridge.", look}
}

// tourFlow is the flow of the call that the tour has composed last.
func (m model) tourFlow() engine.Flow {
	for _, v := range slices.Backward(m.tour.visits) {
		if i := m.at(v.call); i >= 0 && v.call > 0 {
			return m.calls[i].Flow
		}
	}
	return engine.Flow{}
}

// Which toolsets of servers and plugins a step shows to the session. Where the
// tour does not bring the giant in, a server of its name is as any other.
func nothing(model, string) bool    { return false }
func everything(model, string) bool { return true }
func butGiant(m model, toolset string) bool {
	return toolset != "mcp-"+tourGiant || noGiant(m) != ""
}

// toolsets takes toolsets into the session or out of it.
func toolsets(want func(m model, toolset string) bool) phase {
	return func(m model) []tea.Msg {
		var msgs []tea.Msg
		for _, s := range m.snap.Servers {
			if m.session.Scope.Allows(s.Toolset) != want(m, s.Toolset) {
				msgs = append(msgs, toggleToolsetMsg{s.Toolset})
			}
		}
		return msgs
	}
}

// giantOn switches the giant on, where there is one.
func giantOn(m model) []tea.Msg {
	if noGiant(m) != "" || m.on(tourGiant) {
		return nil
	}
	return []tea.Msg{switchServerMsg{tourGiant, true}}
}

// switchesAuto lets the engine decide, and gives it a context to decide by.
func switchesAuto(m model) []tea.Msg {
	var msgs []tea.Msg
	if m.cfg.Enabled != engine.Auto {
		msgs = append(msgs, setMsg{engine.KeyEnabled, string(engine.Auto)})
	}
	if m.cfg.Listing != engine.Auto {
		msgs = append(msgs, setMsg{engine.KeyListing, string(engine.Auto)})
	}
	if m.cfg.ContextLength <= 0 {
		msgs = append(msgs, setMsg{keyContextLength, tourContext})
	}
	return msgs
}

// settings brings both legs of the listing's budget to what is wanted of an
// assembly.
func settings(want func(engine.Assembly) (engine.Config, bool)) phase {
	return func(m model) []tea.Msg {
		c, ok := want(m.snap.Assembly)
		if !ok {
			return nil
		}
		var msgs []tea.Msg
		if c.ListingMaxTokens != m.cfg.ListingMaxTokens {
			msgs = append(msgs, setMsg{engine.KeyListingMaxTokens, strconv.Itoa(c.ListingMaxTokens)})
		}
		if c.ThresholdPct != m.cfg.ThresholdPct {
			msgs = append(msgs, setMsg{engine.KeyThresholdPct, strconv.FormatFloat(c.ThresholdPct, 'f', -1, 64)})
		}
		return msgs
	}
}

// defaultBudget is the engine's own.
func defaultBudget(a engine.Assembly) (engine.Config, bool) {
	c, d := a.Config, engine.DefaultToolSearch()
	c.ListingMaxTokens, c.ThresholdPct = d.ListingMaxTokens, d.ThresholdPct
	return c, true
}

// budgetFor returns what makes a form of the listing the answer, as near to the
// default budget as that is, and whether anything does.
func budgetFor(form engine.Form) func(engine.Assembly) (engine.Config, bool) {
	return func(a engine.Assembly) (engine.Config, bool) {
		c, _ := defaultBudget(a)
		if form == engine.FormNone {
			c.ThresholdPct = 0
			return c, gives(a, c, form)
		}
		if form == engine.FormFull && gives(a, c, form) {
			return c, true
		}
		for _, t := range a.Thresholds() {
			need, ok := a.NeedForStep(t)
			if t.Form != form || !ok {
				continue
			}
			roomy := c
			roomy.ListingMaxTokens, roomy.ThresholdPct = max(c.ListingMaxTokens, *need.ListingMaxTokens), max(c.ThresholdPct, *need.ThresholdPct)
			round, exact, share := roomy, roomy, roomy
			round.ListingMaxTokens = (*need.ListingMaxTokens + stepListingTokens - 1) / stepListingTokens * stepListingTokens
			exact.ListingMaxTokens = *need.ListingMaxTokens
			share.ThresholdPct = *need.ThresholdPct
			for _, try := range []engine.Config{roomy, round, exact, share} {
				if gives(a, try, form) {
					return try, true
				}
			}
		}
		return c, false
	}
}

// gives reports whether settings make a form the answer.
func gives(a engine.Assembly, c engine.Config, form engine.Form) bool {
	now, ok := a.Retune(c)
	return ok && now.Activated && now.Form == form
}

// cannot says why a form is left out: no budget makes it the answer.
func cannot(form engine.Form, want func(model, string) bool) func(model) string {
	return func(m model) string {
		c := m.cfg
		c.Enabled, c.Listing = engine.Auto, engine.Auto
		if c.ContextLength <= 0 {
			c.ContextLength, _ = strconv.Atoi(tourContext)
		}
		session := m.session
		session.Scope = engine.Scope{}
		for _, s := range m.snap.Servers {
			if !want(m, s.Toolset) {
				session.Scope.Disabled = append(session.Scope.Disabled, s.Toolset)
			}
		}
		if _, ok := budgetFor(form)(engine.Assemble(session, c)); !ok {
			return "no budget makes it the answer here"
		}
		return ""
	}
}

// query writes a query.
func query(text string) phase {
	return func(model) []tea.Msg { return []tea.Msg{putQueryMsg{text}} }
}

// expecting expects a tool, or lets go of one.
func expecting(tool string) phase {
	return func(m model) []tea.Msg {
		if m.pin == tool {
			return nil
		}
		return []tea.Msg{pinMsg{tool}}
	}
}

func expectIssueTool(m model) []tea.Msg { return expecting(m.issueTool())(m) }

// suggestedQuery tries the change that the pane suggests.
func suggestedQuery(m model) []tea.Msg {
	ask, ok := m.queryPane().trySuggested()
	if !ok {
		return nil
	}
	return []tea.Msg{ask}
}

// callChatTool calls the tool that asks first, up to where it asks.
func callChatTool(m model) []tea.Msg {
	return []tea.Msg{tourCallMsg{engine.CallJSON(m.chatTool(), json.RawMessage(tourMessageText))}, flowRunMsg{}}
}

func (m model) issueTool() string { return engine.WireName(m.cfg.ToolNames, tourIssues, tourIssueTool) }
func (m model) chatTool() string  { return engine.WireName(m.cfg.ToolNames, tourChat, tourChatTool) }

// rankOf is a tool's place in the first query, 0 for none.
func (m model) rankOf(tool string) int {
	hit, _ := m.snap.Assembly.Rank(m.snap.Queries[0].Query, tool)
	return hit.Rank
}

// stepTokens is what a form of the listing takes.
func stepTokens(a engine.Assembly, form engine.Form) int {
	i := slices.IndexFunc(a.Ladder, func(s engine.Step) bool { return s.Form == form })
	if i < 0 {
		return 0
	}
	return a.Ladder[i].Tokens
}

// giant is the giant's status, where it is in a state.
func (m model) giant(state mcpconn.State) (mcpconn.ServerStatus, bool) {
	for _, s := range m.roster.Servers() {
		if s.Name == tourGiant && s.State == state {
			return s, true
		}
	}
	return mcpconn.ServerStatus{}, false
}

// noGiant says why the giant does not come. The tour starts no server of a
// person's own.
func noGiant(m model) string {
	if !m.demo {
		return "the tour starts no server of yours"
	}
	if !slices.ContainsFunc(m.roster.Servers(), func(s mcpconn.ServerStatus) bool { return s.Name == tourGiant }) {
		return "there is no server " + tourGiant
	}
	return ""
}

// noIssueTool says why the queries are left out.
func noIssueTool(m model) string { return m.noTool(tourIssues, tourIssueTool) }

// noChatTool says why the call is left out. Hooks of a person's own would run.
func noChatTool(m model) string {
	if why := m.noTool(tourChat, tourChatTool); why != "" {
		return why
	}
	i := slices.IndexFunc(m.session.Catalog.Servers, func(s engine.Server) bool { return s.Name == tourChat })
	switch trust := m.session.Catalog.Servers[i].Trust; {
	case trust == "" || trust == "full":
		return tourChat + " is trusted"
	case len(m.hooks) > 0:
		return "hooks of yours would run"
	}
	return ""
}

// noTool says why a tool cannot be spoken of, "" where it can.
func (m model) noTool(server, tool string) string {
	for _, s := range m.session.Catalog.Servers {
		if s.Name != server {
			continue
		}
		if slices.ContainsFunc(s.Tools, func(t engine.Tool) bool { return t.Name == tool }) {
			return ""
		}
		return "server " + server + " has no " + tool
	}
	return "no server " + server + " is connected"
}

// serversAnswer waits for the servers that connect.
func serversAnswer(m model) string {
	if m.connecting() || !m.settled {
		return "the servers"
	}
	return ""
}

// giantAnswers waits for the giant.
func giantAnswers(m model) string {
	if _, ready := m.giant(mcpconn.StateReady); ready {
		return ""
	}
	if _, failed := m.giant(mcpconn.StateFailed); failed {
		return ""
	}
	return tourGiant
}

// callAnswered waits for the person's answer.
func callAnswered(m model) string {
	if i := m.at(m.visit().call); i >= 0 && m.calls[i].waits() {
		return "your answer"
	}
	return ""
}
