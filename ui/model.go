// Package ui is the workbench's screen: one Bubble Tea model that keeps the
// servers' tools, the settings and the queries, assembles after every change,
// and hands one snapshot to five dumb panes.
package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/spinner"
	tea "github.com/charmbracelet/bubbletea"

	"toolscope/budget/tokenizer"
	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/mcpconn/config"
	"toolscope/mcpconn/state"
	"toolscope/ui/display"
)

// Connections is what the screen needs of the servers: one stream of what
// happens to them, and the switches.
type Connections interface {
	Events() <-chan mcpconn.ServerEvent
	Enable(server string) error
	Disable(server string) error
	Retry(server string) error
	Apply(servers []config.Server) (enabled []string)
	Ping(ctx context.Context, server string) (time.Duration, error)
	SignIn(ctx context.Context, server string) (*mcpconn.SignIn, error)
	Call(ctx context.Context, server, tool string, args json.RawMessage, progress func(mcpconn.Progress)) (json.RawMessage, error)
}

// Messages of the model's own.
type (
	eventsMsg     []mcpconn.ServerEvent // what happened since the last one
	streamEndMsg  struct{}              // no more events: the servers are closed
	statusMsg     struct{ text string }
	statusFadeMsg struct{ id int }
)

// statusTime is how long a status message stays.
const statusTime = 4 * time.Second

// model is the whole program's state. Only Update changes it.
type model struct {
	conns   Connections
	roster  mcpconn.Roster
	session engine.Session
	scopes  []config.Session // the default session first, then the named ones
	scope   int              // the present one
	source  string           // the configuration's name, as shown
	file    string           // to write settings into; "" if there is none
	notes   []engine.Warning
	reload  func(path string) (config.Config, error)
	changed <-chan struct{}
	offer   string // another configuration that is there to be opened
	wrote   bool   // the settings were written, which is told as a change of the file next

	cfg      engine.Config
	original engine.Config
	undo     []past
	redo     []past // what undo went back from

	snap     Snapshot
	hidden   []engine.Warning // of tools with text that does not show
	settled  bool             // every server had answered once, or had failed
	results  []engine.Result
	query    string
	history  []string // query lines that were run, the most recent last; see [remembered]
	pin      string   // the expected tool, as it was named; "" for none
	hooks    []config.Hook
	consents state.Consents
	agreed   []string // hook commands the person has agreed to
	dir      string   // the working directory, which hooks are told and exports go into
	version  string   // toolscope's own

	calls    []Call        // those that are kept, the oldest first
	viewed   int           // the ID of the one in view; 0 for none
	lastCall int           // the highest ID given
	draft    composedMsg   // the form that was left last
	live     bool          // calls are dispatched to the servers
	approved []string      // tools the person agreed to for this session
	patience time.Duration // how long an approval is waited for
	work     work
	batch    Batch
	queued   []engine.ModelCall

	evaluation evaluation

	counter  *tokenizer.Counter // nil until the real tokenizer's figures are asked for
	counting bool               // a count is under way

	theme   theme
	keys    keyMap
	panes   map[paneID]pane
	focus   paneID
	zoom    bool
	sheet   sheet // over the panes; nil for none
	servers *serversView

	presenting bool            // the focused pane alone, for an audience
	demo       bool            // the configuration is the built-in demo
	tour       tour            // zero while none is under way
	first      tea.Cmd         // what the workbench begins with; nil for nothing
	switched   map[string]bool // servers: what was asked of each last, on or off

	spinner  spinner.Model
	spinning bool

	width, height int
	layout        layout
	status        string
	statusID      int
	clock         func() time.Time
	tick          func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
	copy          func(string) error
	quitting      bool
}

// setup is what a model starts from.
type setup struct {
	config config.Config
	conns  Connections
	theme  theme
	clock  func() time.Time
	tick   func(time.Duration, func(time.Time) tea.Msg) tea.Cmd // a message after a while: [tea.Tick]
	copy   func(string) error

	reload  func(path string) (config.Config, error) // see [Options]
	changed <-chan struct{}
	offer   string

	consents  state.Consents
	agreed    []string
	dir       string
	version   string
	work      work
	demo      bool // see [Options]
	tour      bool
	every     time.Duration
	cases     []engine.Case // see [Options]
	casesFile string
	screen    state.Screen // as it was left last
}

func newModel(s setup) model {
	m := model{
		conns:    s.conns,
		roster:   mcpconn.NewRoster(s.config),
		scopes:   sessions(s.config),
		source:   s.config.Path,
		file:     s.config.File,
		notes:    s.config.Warnings,
		cfg:      s.config.Engine,
		original: s.config.Engine,
		theme:    s.theme,
		keys:     newKeyMap(),
		focus:    paneTier,
		spinner:  spinner.New(spinner.WithSpinner(spinner.MiniDot)),
		clock:    s.clock,
		tick:     s.tick,
		copy:     s.copy,
		reload:   s.reload,
		changed:  s.changed,
		offer:    s.offer,
		hooks:    s.config.Hooks,
		consents: s.consents,
		agreed:   s.agreed,
		dir:      s.dir,
		version:  s.version,
		work:     s.work,
		patience: s.config.ApprovalTimeout,
		history:  s.screen.History,
		demo:     s.demo,
	}
	if s.tour {
		m.first = func() tea.Msg { return tourMsg{s.every} }
	}
	if m.offer != "" {
		m.status = m.offer + " is there: O opens it"
	}
	m.snap.Eval = Eval{File: s.casesFile, Cases: s.cases, Busy: len(s.cases) > 0}
	if p := paneID(s.screen.Pane); p >= paneTier && p <= paneCall {
		m.focus, m.zoom = p, s.screen.Zoom
	}
	m.panes = newPanes(s.theme)
	m.servers = newServersView(s.theme, s.clock)
	m.session.Scope = m.scopes[0].Scope
	m.assemble()
	return m
}

func newPanes(t theme) map[paneID]pane {
	return map[paneID]pane{
		paneTier:    newTierPane(t),
		paneListing: newListingPane(t),
		paneBudget:  newBudgetPane(t),
		paneQuery:   newQueryPane(t),
		paneCall:    newCallPane(t),
	}
}

// Init starts the event stream, the spinner and the evaluation.
func (m model) Init() tea.Cmd {
	return tea.Batch(m.listen(), m.watch(), m.spinner.Tick, m.fade(), m.first, func() tea.Msg { return evalTickMsg{} })
}

// maxBatch bounds how many events one Update takes, so that a server that
// floods the stream cannot starve the keyboard.
const maxBatch = 256

// listen waits for the next events. All that have already happened come as one
// message: a burst of listings costs one assembly.
func (m model) listen() tea.Cmd {
	if m.conns == nil {
		return nil
	}
	events := m.conns.Events()
	return func() tea.Msg {
		ev, ok := <-events
		if !ok {
			return streamEndMsg{}
		}
		batch := eventsMsg{ev}
		for len(batch) < maxBatch {
			select {
			case ev, ok := <-events:
				if !ok {
					return batch
				}
				batch = append(batch, ev)
			default:
				return batch
			}
		}
		return batch
	}
}

// Update is the only place where state changes.
func (m model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		m.relayout()
		return m, nil
	case streamEndMsg:
		return m, nil
	case spinner.TickMsg:
		if !m.connecting() {
			m.spinning = false
			return m, nil
		}
		var cmd tea.Cmd
		m.spinner, cmd = m.spinner.Update(msg)
		m.spinning = true
		m.snap.Spinner = m.spinner.View()
		m.publish()
		return m, cmd
	case statusFadeMsg:
		if msg.id == m.statusID {
			m.status = ""
		}
		return m, nil
	case exactMsg:
		return m.counted(msg)
	case editedMsg:
		return m.edited(msg)
	case signInOnMsg:
		return m.signInOn(msg)
	case signedInMsg:
		return m.signedIn(msg)
	case writtenMsg:
		return m.written(msg)
	case fileChangedMsg:
		next, cmd := m.reloadConfig("")
		return next, tea.Batch(cmd, m.watch())
	}
	before, typed := m.snap.Cache.Hash, m.queryPane().Typing()
	next, cmd := m.change(msg)
	m = next.(model)
	if on := m.followTour(); on != nil {
		cmd = tea.Batch(cmd, on)
	}
	if typed && !m.queryPane().Typing() {
		m.keepQuery(m.query)
	}
	if m.snap.Exact.On && m.snap.Cache.Hash != before {
		cmd = tea.Batch(cmd, m.count())
		m.publish()
	}
	if begun := m.evaluate(); begun != nil {
		cmd = tea.Batch(cmd, begun)
	}
	m.explainCase()
	return m, cmd
}

// change takes what may lead to another assembly.
func (m model) change(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case eventsMsg:
		return m.applyEvents(msg)
	case loadedMsg:
		return m.loaded(msg)
	case tea.KeyMsg:
		return m.handleKey(msg)
	case tea.MouseMsg:
		return m.handleMouse(msg)
	}
	return m.apply(msg)
}

// apply carries out what a pane, the palette or a key asked for.
func (m model) apply(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case nil:
		return m, nil
	case tuneMsg:
		return m.tune(msg)
	case setMsg:
		return m.set(msg)
	case setManyMsg:
		return m.setMany(msg)
	case jumpMsg:
		return m.jump(msg.up)
	case undoMsg:
		return m.undoSetting()
	case redoMsg:
		return m.redoSetting()
	case keepSideMsg:
		return m.keepSide()
	case sidesMsg:
		return m.showSides()
	case swapSideMsg:
		return m.swapSides()
	case sessionMsg:
		return m.nextSession()
	case toggleToolsetMsg:
		return m.toggleToolset(msg.toolset)
	case toggleServerMsg:
		return m.toggleServer(msg.name)
	case switchServerMsg:
		return m.switchServer(msg)
	case signInMsg:
		return m.beginSignIn(msg.server)
	case pingMsg:
		return m.ping(msg.server)
	case pingedMsg:
		return m.pinged(msg)
	case retryServerMsg:
		return m.retryServer(msg.name)
	case queryMsg:
		m.query = msg.text
		m.search()
		if !m.queryPane().Typing() {
			m.history = remembered(m.history, msg.text)
		}
		m.publish()
		return m, nil
	case pickHistoryMsg:
		return m.pickHistory()
	case recallMsg:
		return m.recall(msg.line)
	case pinMsg:
		return m.expect(msg.tool)
	case askMsg:
		return m.ask(msg)
	case evalMsg:
		return m.openEval()
	case evalAtMsg:
		m.snap.Eval.At = max(0, min(msg.at, len(m.snap.Eval.Cases)-1))
		return m, nil
	case evaluatedMsg:
		return m.evaluated(msg)
	case callMsg:
		return m.compose(m.snap.Assembly.CallTo(msg.tool))
	case callJSONMsg:
		return m.compose(json.RawMessage(msg.text))
	case runJSONMsg:
		next, _ := m.compose(json.RawMessage(msg.bridge))
		return next.(model).stepCall(true)
	case composeMsg:
		return m.openForm(msg)
	case composedMsg:
		m.draft = msg
		return m, nil
	case composePickMsg:
		m.lay(newPalette(m.theme, m.composeList()))
		return m, nil
	case againMsg:
		return m.again()
	case viewCallMsg:
		return m.viewCall(msg.call)
	case flowStepMsg:
		return m.stepCall(false)
	case flowRunMsg:
		return m.stepCall(true)
	case approveMsg:
		return m.approve(msg.yes, false)
	case approveSessionMsg:
		return m.approve(true, true)
	case approvalTickMsg:
		return m.approvalTicked(msg)
	case agreeMsg:
		return m.agree(msg)
	case consentMsg:
		return m.consent(msg.yes)
	case hookedMsg:
		return m.hooked(msg)
	case liveMsg:
		return m.toggleLive()
	case cancelCallMsg:
		return m.cancelCall(msg.call)
	case progressMsg:
		return m.progressed(msg)
	case dispatchedMsg:
		return m.dispatched(msg)
	case queueMsg:
		return m.queueCall(msg.call)
	case unqueueMsg:
		return m.unqueueCall(msg.call)
	case clearQueueMsg:
		return m.clearQueue()
	case batchRunMsg:
		return m.runBatch()
	case batchStopMsg:
		return m.stopBatch()
	case batchTickMsg:
		return m.batchTicked()
	case writeMsg:
		return m.prepareWrite()
	case commitMsg:
		return m.commit(msg)
	case reloadMsg:
		return m.reloadConfig(msg.path)
	case toggleExactMsg:
		return m.toggleExact()
	case exportSheetMsg:
		m.lay(newExportSheet(m.theme, m.dir, m.sheet))
		return m, nil
	case exportMsg:
		return m.export(msg)
	case exportedMsg:
		return m.exported(msg)
	case copyMsg:
		if err := m.copy(msg.text); err != nil {
			return m.say(fmt.Sprintf("copying %s: %v", msg.what, err))
		}
		return m.say(fmt.Sprintf("copied %s (%s)", msg.what, plural(len([]rune(msg.text)), "character")))
	case pressMsg:
		m.setFocus(msg.pane)
		return m.handleKey(msg.key)
	case focusMsg:
		m.setFocus(msg.pane)
		return m, nil
	case zoomMsg:
		m.zoom, m.presenting = m.zoom != !m.presenting, false
		m.relayout()
		return m, nil
	case presentMsg:
		m.presenting = !m.presenting
		m.relayout()
		return m, nil
	case tourMsg:
		return m.startTour(msg.every)
	case tourNextMsg:
		return m.nextStep()
	case tourBackMsg:
		return m.stepBack()
	case tourPauseMsg:
		return m.pauseTour()
	case tourEndMsg:
		return m.endTour()
	case tourTickMsg:
		return m.tourTicked(msg)
	case tourCallMsg:
		return m.tourCall(msg)
	case putQueryMsg:
		m.queryPane().put(msg.text)
		return m.apply(queryMsg{msg.text})
	case sheetMsg:
		m.lay(msg.sheet)
		return m, nil
	case paletteMsg:
		m.lay(newPalette(m.theme, commandList(m.commands())))
		return m, nil
	case pickToolMsg:
		m.lay(newPalette(m.theme, m.toolList()))
		return m, nil
	case startQueryMsg:
		m.setFocus(paneQuery)
		m.queryPane().StartTyping()
		return m, nil
	case statusMsg:
		return m.say(msg.text)
	case quitMsg:
		m.quitting = true
		return m, tea.Quit
	}
	return m, nil
}

// applyEvents folds a batch of events in and assembles once if tools or states
// changed.
func (m model) applyEvents(events eventsMsg) (tea.Model, tea.Cmd) {
	changed := false
	for _, ev := range events {
		m.roster = m.roster.Apply(ev)
		changed = changed || ev.Kind != mcpconn.EventLog && ev.Kind != mcpconn.EventTrace
	}
	m.snap.Statuses = m.roster.Servers()
	if changed {
		m.assemble()
	}
	if m.sheet != nil && !changed {
		m.sheet.SetSnapshot(m.snap)
	}
	cmds := []tea.Cmd{m.listen()}
	if m.connecting() && !m.spinning {
		m.spinning = true
		cmds = append(cmds, m.spinner.Tick)
	}
	return m, tea.Batch(cmds...)
}

// connecting reports whether any server has yet to answer.
func (m model) connecting() bool {
	return slices.ContainsFunc(m.roster.Servers(), func(s mcpconn.ServerStatus) bool { return s.State == mcpconn.StateConnecting })
}

// assemble makes the snapshot anew: the engine's assembly of what the session
// sees now, the rows of the listing and the queries' results.
func (m *model) assemble() {
	m.session.Catalog = m.roster.Catalog()
	m.hidden = display.HiddenText(m.session.Catalog)
	m.adopt(engine.Assemble(m.session, m.cfg))
}

// retune assembles the same tools under other settings, which costs less.
func (m *model) retune() {
	if a, ok := m.snap.Assembly.Retune(m.cfg); ok {
		m.adopt(a)
		return
	}
	m.assemble()
}

// adopt makes an assembly the present one.
func (m *model) adopt(a engine.Assembly) {
	// What changed stays marked until something changes again. What the servers
	// bring at start-up is no change.
	if old := m.snap.Assembly; m.settled && (old.Listing.Text != a.Listing.Text || old.Tier != a.Tier) {
		m.snap.Before = before(old)
	}
	if m.settled {
		m.snap.Cache = newCache(m.snap.Assembly, a)
	} else {
		m.snap.Cache = newCache(engine.Assembly{}, a)
	}
	m.settled = m.settled || m.roster.Settled()
	m.snap.Assembly, m.snap.Catalog = a, m.session.Catalog
	m.snap.Original = m.original
	m.refreshSide()
	m.snap.Servers = m.rows(a)
	m.snap.Statuses = m.roster.Servers()
	m.snap.Warnings = m.warnings(a)
	m.search()
	m.publish()
}

// before is what is kept of an assembly that another takes the place of.
func before(old engine.Assembly) Before {
	b := Before{Known: true, Listing: old.Listing.Text, Modes: map[string]engine.Mode{}}
	for _, g := range old.Groups {
		b.Modes[g.Label] = g.Mode
	}
	return b
}

// rows joins the servers' states with the groups of an assembly.
func (m *model) rows(a engine.Assembly) []Server {
	groups := map[string]engine.Group{}
	for _, g := range a.Groups {
		groups[g.Label] = g
	}
	var rows []Server
	add := func(s Server) {
		s.InScope = m.session.Scope.Allows(s.Toolset)
		if s.InScope {
			s.Group = groups[s.Label]
		}
		if s.Group.Mode == engine.ModeSummary || s.Group.Mode == engine.ModeNone {
			s.Need, s.CanList = a.NeedToList(s.Label)
		}
		rows = append(rows, s)
	}
	for _, s := range m.roster.Servers() {
		add(Server{
			Name: s.Name, Toolset: "mcp-" + s.Name, Label: engine.Label("mcp-" + s.Name), State: s.State, Reason: s.Reason, Progress: s.Progress,
			Tools: len(s.Tools), Filtered: len(s.Filtered), Warnings: len(s.Warnings),
		})
	}
	for _, p := range m.session.Catalog.Plugins {
		add(Server{Name: p.Name, Toolset: p.Name, Label: engine.Label(p.Name), Plugin: true, State: mcpconn.StateReady, Tools: len(p.Tools)})
	}
	return rows
}

// warnings gathers what is not as it was given, from every room.
func (m *model) warnings(a engine.Assembly) []engine.Warning {
	all := append([]engine.Warning(nil), m.notes...)
	all = append(all, m.roster.Warnings()...)
	all = append(all, m.hidden...)
	return append(all, a.Warnings...)
}

// search runs every query of the query line against the present assembly.
func (m *model) search() {
	start := m.clock()
	m.results = m.results[:0:0]
	for _, q := range splitQueries(m.query) {
		m.results = append(m.results, m.snap.Assembly.SearchBelow(q, 0, maxBelow))
	}
	m.snap.Queries = m.results
	m.snap.Took = m.clock().Sub(start)
	m.snap.Pinned = m.pinned()
}

// publish hands the snapshot to every pane.
func (m *model) publish() {
	m.batch.Now = m.clock()
	m.snap.Call, m.snap.Calls, m.snap.Live, m.snap.Batch = m.inView(), m.calls, m.live, m.batch
	m.snap.Question, m.snap.Hooks, m.snap.Agreed = m.questioned(), m.hooks, m.agreed
	m.snap.History = m.history
	m.snap.Queued, m.snap.Plan = m.queued, m.snap.Assembly.Plan(m.queued)
	for _, p := range m.panes {
		p.SetSnapshot(m.snap)
	}
	if m.sheet != nil {
		m.sheet.SetSnapshot(m.snap)
	}
}

// toggleServer switches a server on or off.
func (m model) toggleServer(name string) (tea.Model, tea.Cmd) {
	for _, s := range m.roster.Servers() {
		if s.Name != name {
			continue
		}
		on := s.State == mcpconn.StateOff
		m.noteSwitch(name, on)
		conns := m.conns
		next, cmd := m.say(map[bool]string{true: "starting ", false: "stopping "}[on] + name)
		return next, tea.Batch(cmd, func() tea.Msg {
			if on {
				return failure(conns.Enable(name))
			}
			return failure(conns.Disable(name))
		})
	}
	return m.say(name + " is a plugin toolset: it has no server to switch")
}

// ping asks a server for a sign of life.
func (m model) ping(server string) (tea.Model, tea.Cmd) {
	conns := m.conns
	return m, func() tea.Msg {
		took, err := conns.Ping(context.Background(), server)
		return pingedMsg{server, took, err}
	}
}

func (m model) retryServer(name string) (tea.Model, tea.Cmd) {
	m.noteSwitch(name, true)
	conns := m.conns
	next, cmd := m.say("retrying " + name)
	return next, tea.Batch(cmd, func() tea.Msg {
		conns.Retry(name)
		return nil
	})
}

// failure is the message that an error becomes, nil for none.
func failure(err error) tea.Msg {
	if err == nil {
		return nil
	}
	return statusMsg{err.Error()}
}

// say shows a status message for a while.
func (m model) say(text string) (tea.Model, tea.Cmd) {
	m.status = text
	m.statusID++
	return m, m.fade()
}

// fade lets the present status message go after a while.
func (m model) fade() tea.Cmd {
	id := m.statusID
	return m.tick(statusTime, func(time.Time) tea.Msg { return statusFadeMsg{id} })
}

func (m *model) setFocus(p paneID) {
	m.focus = p
	m.relayout()
}

// relayout gives every pane its size and focus.
func (m *model) relayout() {
	switch {
	case m.presenting:
		rows := 0
		if m.touring() {
			rows = captionHeight(m.width, m.height, true)
		}
		m.layout = arrangePresented(m.width, m.height, m.focus, rows)
	case m.touring():
		m.layout = arrangeTour(m.width, m.height, m.focus, m.zoom)
	default:
		m.layout = arrange(m.width, m.height, m.focus, m.zoom)
	}
	for id, p := range m.panes {
		p.SetFocus(id == m.focus)
		if r, ok := m.layout.panes[id]; ok {
			p.SetSize(max(0, r.w-2), max(0, r.h-2))
		}
	}
}

func (m model) queryPane() *queryPane { return m.panes[paneQuery].(*queryPane) }
func (m model) callPane() *callPane   { return m.panes[paneCall].(*callPane) }

// typing reports whether a text field takes every character.
func (m model) typing() bool {
	if m.sheet != nil {
		return m.sheet.Typing()
	}
	return m.focus == paneQuery && m.queryPane().Typing() || m.focus == paneCall && m.callPane().Typing()
}

// handleKey sends a key where it belongs: to the sheet, to a text field, to
// the focused pane, then to the bindings that hold everywhere.
func (m model) handleKey(msg tea.KeyMsg) (tea.Model, tea.Cmd) {
	if key.Matches(msg, m.keys.Interrupt) {
		return m.apply(quitMsg{})
	}
	text := m.typing()
	if len(msg.Runes) > 1 && !msg.Paste && !text {
		return m.handleKeys(msg)
	}
	if m.sheet != nil {
		return m.sheetKey(msg)
	}
	if msg.Paste && !text {
		return m.say("pasted text is taken in a text field only: press / for the query or e in the call pane first")
	}
	if m.typing() {
		ask, _ := m.panes[m.focus].HandleKey(msg)
		return m.apply(ask)
	}
	if m.touring() {
		if next, cmd, handled := m.tourKey(msg); handled {
			return next, cmd
		}
	}
	if !m.layout.tooSmall {
		if ask, handled := m.panes[m.focus].HandleKey(msg); handled {
			return m.apply(ask)
		}
	}
	for _, a := range m.actions() {
		if key.Matches(msg, a.key) {
			return m.apply(a.msg)
		}
	}
	return m, nil
}

// handleKeys takes keys that arrived as one message, as they do when a key
// repeats fast or a text is typed by a program: each is a key of its own.
func (m model) handleKeys(msg tea.KeyMsg) (tea.Model, tea.Cmd) {
	var now tea.Model = m
	var cmds []tea.Cmd
	for _, r := range msg.Runes {
		next, cmd := now.(model).handleKey(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: msg.Alt})
		now, cmds = next, append(cmds, cmd)
	}
	return now, tea.Batch(cmds...)
}

// handleMouse focuses and scrolls what the pointer is on.
func (m model) handleMouse(msg tea.MouseMsg) (tea.Model, tea.Cmd) {
	wheel := map[tea.MouseButton]int{tea.MouseButtonWheelUp: -3, tea.MouseButtonWheelDown: 3}[msg.Button]
	if m.sheet != nil {
		return m.sheetMouse(msg, wheel)
	}
	if m.layout.tabs && msg.Y == 1 && msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonLeft {
		if id, ok := m.tabAt(msg.X); ok {
			m.setFocus(id)
		}
		return m, nil
	}
	if m.focus == paneTier && msg.Action == tea.MouseActionMotion && msg.Button == tea.MouseButtonLeft {
		if r, ok := m.layout.panes[paneTier]; ok { // a slider is dragged
			return m.apply(m.panes[paneTier].HandleClick(msg.X-r.x-1, msg.Y-r.y-1))
		}
	}
	if m.layout.caption.contains(msg.X, msg.Y) && msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonLeft {
		return m.apply(tourNextMsg{})
	}
	for id, r := range m.layout.panes {
		if !r.contains(msg.X, msg.Y) {
			continue
		}
		switch {
		case wheel != 0:
			m.panes[id].HandleWheel(wheel)
		case msg.Action == tea.MouseActionPress && msg.Button == tea.MouseButtonLeft:
			if id != m.focus {
				m.setFocus(id)
			}
			return m.apply(m.panes[id].HandleClick(msg.X-r.x-1, msg.Y-r.y-1))
		}
		return m, nil
	}
	return m, nil
}

// splitQueries reads the query line: several queries stand apart by ";".
func splitQueries(line string) []string {
	var out []string
	for _, q := range strings.Split(line, ";") {
		if q = strings.TrimSpace(q); q != "" {
			out = append(out, q)
		}
	}
	return out
}
