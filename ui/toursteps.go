package ui

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/ui/display"
)

// Servers and tools of the built-in demo that the tour speaks of.
const (
	tourGiant     = "cloudflare"
	tourIssues    = "github"
	tourIssueTool = "create_issue"
	tourChat      = "slack"
	tourChatTool  = "post_message"
	tourHit       = "create an issue"
	tourMiss      = "file a bug"
	tourPart      = "REATE_ISS" // of a wire name, and no token of any tool
	tourContext   = "200000"    // where the context is unknown, no percentage moves anything
	tourMessage   = `{"channel":"#general","text":"Hello from the tour."}`
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
	defaults := tourSettings(defaultBudget)
	with := func(scene []phase, more ...phase) []phase { return slices.Concat(scene, more) }
	return []tourStep{
		{
			title: "Tier 0: nothing to defer", pane: paneTier,
			do:    []phase{toolsets(nothing), switchesAuto},
			waits: serversAnswer,
			text: func(m model) []string {
				return []string{
					fmt.Sprintf("The session sees no server and no plugin. The agent's own %s go to the model with every schema: no bridge, no listing.", plural(len(m.snap.Assembly.Visible), "tool")),
					"Look at the badge at the top right, TIER 0, and at pane 2: the servers connect, and all are out of the session.",
				}
			},
		},
		{
			title: "Tier 1, full", pane: paneTier,
			without: cannot(engine.FormFull, butGiant),
			do:      with(small, tourSettings(budgetFor(engine.FormFull))),
			text: func(m model) []string {
				a := m.snap.Assembly
				return []string{
					fmt.Sprintf("The toolsets are back: their %s are deferred behind a bridge, and tool_search lists each with a short description.", plural(len(a.Deferred), "tool")),
					fmt.Sprintf("Look at the ladder in pane 1: full takes %s of a budget of %s tokens, so it is the answer. Pane 2 has the text.", number(stepTokens(a, engine.FormFull)), number(a.Budget.Tokens)),
				}
			},
		},
		{
			title: "Tier 1, names", pane: paneListing,
			without: cannot(engine.FormNames, butGiant),
			do:      with(small, tourSettings(budgetFor(engine.FormNames))),
			text: func(m model) []string {
				a := m.snap.Assembly
				return []string{
					fmt.Sprintf("The budget goes down to %s tokens. Full would take %s, names take %s: every tool is still listed, by its name alone.", number(a.Budget.Tokens), number(stepTokens(a, engine.FormFull)), number(stepTokens(a, engine.FormNames))),
					"Look at the listing in pane 2, what changed is marked. No description is lost: tool_describe has each.",
				}
			},
		},
		{
			title: "Tier 1, mixed: a giant arrives", pane: paneListing,
			without: noGiant,
			do:      with(large, defaults),
			waits:   giantAnswers,
			text:    giantText,
		},
		{
			title: "Tier 2, groups", pane: paneTier,
			without: cannot(engine.FormGroups, everything),
			do:      with(large, tourSettings(budgetFor(engine.FormGroups))),
			text: func(m model) []string {
				a := m.snap.Assembly
				return []string{
					fmt.Sprintf("threshold_pct goes down to %s, %s tokens of the context. No server's names fit: each is one line with a count.", percent(a.Config.ThresholdPct), number(a.Budget.Tokens)),
					"Look at the ladder in pane 1: which server became a line at which step, and what would have it back.",
				}
			},
		},
		{
			title: "Tier 2, none", pane: paneBudget,
			without: cannot(engine.FormNone, everything),
			do:      with(large, tourSettings(budgetFor(engine.FormNone))),
			text: func(m model) []string {
				a := m.snap.Assembly
				return []string{
					fmt.Sprintf("With a budget of %s tokens not even the lines fit. The model sees no name at all, and is told to search first.", number(a.Budget.Tokens)),
					fmt.Sprintf("Look at pane 3: this is the cheapest there is. The %s are found and called as before.", plural(len(a.Deferred), "deferred tool")),
				}
			},
		},
		{
			title: "A query that works", pane: paneQuery,
			without: model.noHit,
			do:      with(large, defaults, expecting(""), query(tourHit)),
			text: func(m model) []string {
				r := m.snap.Queries[0]
				return []string{
					fmt.Sprintf("“%s” finds %s, and the model gets the best %d: %s is number %d.", tourHit, plural(r.Total, "tool"), len(r.Hits), m.issueTool(), m.rank(tourHit)),
					"Look at the tokens: the stem of each, in how many tools it is, and what that makes it worth. The bars show who gave what.",
				}
			},
		},
		{
			title: "One that misses, and why", pane: paneQuery,
			without: model.noMiss,
			do:      with(large, defaults, query(tourMiss), expectIssueTool),
			text: func(m model) []string {
				w := m.snap.Pinned[0].Why
				place := "not found at all"
				if w.Rank > 0 {
					place = fmt.Sprintf("number %s, below the limit of %d", number(w.Rank), w.Limit)
				}
				return []string{
					fmt.Sprintf("“%s” means the same to a person; the engine compares words. %s is %s.", tourMiss, w.Tool, place),
					"Look at the end of pane 4: the expected tool stays in view, with the reason; enter on it tells all of them.",
				}
			},
		},
		{
			title: "The smallest change that finds it", pane: paneQuery,
			without: model.noMiss,
			do:      with(large, defaults, query(tourMiss), expectIssueTool, suggestedQuery),
			text: func(m model) []string {
				w := m.snap.Pinned[0].Why
				return []string{
					fmt.Sprintf("The change is tried: “%s” has %s as number %d. What counts is which words are there.", display.Clip(w.Query, 40), w.Tool, w.Rank),
					"Look at its row, marked ◆, and at what each word gave. In pane 4 the key a does the same; enter shows the arithmetic.",
				}
			},
		},
		{
			title: "A part of a name, where no word is known", pane: paneQuery,
			without: model.noFallback,
			do:      with(large, defaults, expecting(""), query(tourPart)),
			text: func(m model) []string {
				return []string{
					fmt.Sprintf("No tool has a word of “%s”. Only then are the wire names taken that contain it as it stands: %s.", tourPart, plural(m.snap.Queries[0].Total, "tool")),
					"Look at the equal scores: a last resort without a ranking. One known word in the query, and it does not happen.",
				}
			},
		},
		{
			title: "A bridged call that asks first", pane: paneCall,
			without: model.noChatTool,
			do:      with(large, defaults, callChatTool),
			waits:   callAnswered, asks: true,
			text: func(m model) []string {
				return []string{
					fmt.Sprintf("From unwrap on a tool_call has its real name, %s. %s has trust: untrusted, so a tool that may write asks.", m.chatTool(), tourChat),
					"Look at the approval stage in pane 5, and answer: y once, Y for this session, n no. On a timer the tour says yes itself, this once.",
				}
			},
		},
		{
			title: "What the answer does", pane: paneCall,
			without: model.noChatTool,
			text:    answered,
		},
		{
			title: "The end", pane: paneTier,
			text: func(model) []string {
				return []string{
					"All of this was real, save for the dispatch of the call, which was simulated. The next key puts back what was there before.",
					"Then try it: 1 and the arrows tune, / searches, ? lists every key. --config FILE opens your own servers.",
				}
			},
		},
	}
}

// giantText says how far the giant has come, and what it did to the listing.
func giantText(m model) []string {
	a := m.snap.Assembly
	if _, failed := m.giant(mcpconn.StateFailed); failed {
		return []string{tourGiant + " is switched on and does not come: the listing is as it was.", "Look at its row in pane 2; s shows what it wrote."}
	}
	if _, ready := m.giant(mcpconn.StateReady); !ready {
		return []string{tourGiant + " is switched on: a process starts, and lists its tools page by page.", "Look at its row in pane 2 while they come."}
	}
	return []string{
		fmt.Sprintf("Now %s are deferred. Names would take %s tokens, the budget has %s: %s, the longest block, becomes one line.", plural(len(a.Deferred), "tool"), number(stepTokens(a, engine.FormNames)), number(a.Budget.Tokens), tourGiant),
		"Look at pane 2: the others keep their names. The header says what the change costs a prompt cache.",
	}
}

// answered says what the answer to the tour's call led to.
func answered(m model) []string {
	f := m.tourFlow()
	i := stageAt(f, engine.StageApproval)
	switch {
	case i < 0 || f.Stages[i].Outcome == "":
		return []string{"The call is not there any more.", "Look at pane 5: h shows every call that was made."}
	case f.Stages[i].Outcome == engine.OutcomeBlocked:
		return []string{
			"Blocked: " + display.Text(f.Stages[i].Reason) + ". Nothing was dispatched, and the model gets the refusal as the answer of its call.",
			"Look at the stages after it: none was reached. ← goes back, to answer otherwise.",
		}
	}
	return []string{
		"The call goes on: " + display.Text(f.Stages[i].Reason) + ". The model gets the answer as that of its tool_call.",
		"Look at the dispatch: it is simulated and says so; l makes calls live. The activity feed, h, has the real name.",
	}
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
func tourSettings(want func(engine.Assembly) (engine.Config, bool)) phase {
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
			if t.Form != form || !ok || need.ThresholdPct == nil {
				continue
			}
			roomy := c
			roomy.ListingMaxTokens, roomy.ThresholdPct = max(c.ListingMaxTokens, *need.ListingMaxTokens), max(c.ThresholdPct, *need.ThresholdPct)
			round, exact, share := roomy, roomy, roomy
			round.ListingMaxTokens = (*need.ListingMaxTokens + stepListingTokens - 1) / stepListingTokens * stepListingTokens
			exact.ListingMaxTokens = *need.ListingMaxTokens
			share.ThresholdPct = *need.ThresholdPct
			fine := share
			fine.ThresholdPct = math.Round((float64(t.Tokens)+0.5)/float64(c.ContextLength)*1e7) / 1e5
			for _, try := range []engine.Config{roomy, round, exact, share, fine} {
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
	return []tea.Msg{tourCallMsg{engine.CallJSON(m.chatTool(), json.RawMessage(tourMessage))}, flowRunMsg{}}
}

func (m model) issueTool() string { return engine.WireName(m.cfg.ToolNames, tourIssues, tourIssueTool) }
func (m model) chatTool() string  { return engine.WireName(m.cfg.ToolNames, tourChat, tourChatTool) }

// rank is the place of the tool of issues for a query, 0 for none.
func (m model) rank(query string) int {
	hit, _ := m.snap.Assembly.Rank(query, m.issueTool())
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

// noHit says why the query that works is left out.
func (m model) noHit() string {
	if why := m.noTool(tourIssues, tourIssueTool); why != "" {
		return why
	}
	if r := m.snap.Assembly.Search(tourHit, 0); !slices.ContainsFunc(r.Hits, func(h engine.Hit) bool { return h.Name == m.issueTool() }) {
		return "it does not find " + m.issueTool() + " here"
	}
	return ""
}

// noMiss says why the query that misses is left out.
func (m model) noMiss() string {
	if why := m.noTool(tourIssues, tourIssueTool); why != "" {
		return why
	}
	w := m.snap.Assembly.Why(tourMiss, m.issueTool(), 0, m.session, nil)
	switch {
	case w.Found:
		return "“" + tourMiss + "” finds " + m.issueTool() + " here"
	case len(w.Changes) == 0:
		return "no small change of “" + tourMiss + "” finds " + m.issueTool() + " here"
	}
	return ""
}

// noFallback says why the part of a name is left out.
func (m model) noFallback() string {
	if why := m.noTool(tourIssues, tourIssueTool); why != "" {
		return why
	}
	if !m.snap.Assembly.Search(tourPart, 0).Fallback {
		return "a word of it is known here"
	}
	return ""
}

// noChatTool says why the call is left out. Hooks of a person's own would run.
func (m model) noChatTool() string {
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

// serversAnswer waits for the servers that are on.
func serversAnswer(m model) string {
	for _, s := range m.roster.Servers() {
		if m.on(s.Name) && s.State != mcpconn.StateReady && s.State != mcpconn.StateFailed {
			return "the servers"
		}
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
