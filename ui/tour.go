package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
	"toolscope/mcpconn"
	"toolscope/mcpconn/config"
)

// Messages of the guided tour.
type (
	tourMsg      struct{ every time.Duration } // begin; every is how long a step stays, 0: until a key
	tourNextMsg  struct{}
	tourBackMsg  struct{}
	tourPauseMsg struct{}         // stop the timer, or let it run
	tourEndMsg   struct{}         // put everything back
	tourTickMsg  struct{ id int } // the time of a step is over
)

// tourPace is how long a step stays where the timer is begun by its key.
const tourPace = 15 * time.Second

// tour is a guided tour that is under way; zero where none is. It changes the
// workbench only by the messages that a person's keys lead to.
type tour struct {
	steps  []tourStep
	visits []visit // the steps up to the present one, each with what was there before it
	ready  bool    // what the present step waits for has come

	every  time.Duration // how long a step stays; 0: until a key
	paused bool
	timer  int // the timer that counts; earlier ones are void
}

// tourStep is one step: what is done, what is said of it and what to look at.
type tourStep struct {
	title string
	pane  paneID // gets the focus
	// without says why the step is left out here; "" where it is played.
	without func(model) string
	// do is what the model is asked to do, in phases: each is made of what the
	// one before has led to.
	do []phase
	// waits says what the step still waits for; "" for nothing.
	waits func(model) string
	// asks is set where it waits for an answer, which the timer gives.
	asks bool
	// text is what is said, one paragraph each: what happens, and what to look at.
	text func(model) []string
}

// phase is messages that belong together. It asks only for what is not so yet.
type phase func(model) []tea.Msg

// visit is a step that was entered.
type visit struct {
	step   int
	before standing
	left   []string // the steps left out on the way to it, with the reasons
	call   int      // the ID of the call it composed; 0 for none
	text   []string // what is said, as of when what it waits for had come
}

// standing is what a step may change, to go back to.
type standing struct {
	cfg      engine.Config
	undo     []past
	scope    int
	session  engine.Scope
	on       map[string]bool // servers
	query    string
	pin      string
	live     bool
	approved []string
	viewed   int
	focus    paneID
	zoom     bool
}

// stands keeps what is there now.
func (m model) stands() standing {
	k := standing{
		cfg: m.cfg, undo: m.undo, scope: m.scope, session: m.session.Scope, on: map[string]bool{},
		query: m.query, pin: m.pin, live: m.live, approved: m.approved, viewed: m.viewed, focus: m.focus, zoom: m.zoom,
	}
	for _, s := range m.roster.Servers() {
		k.on[s.Name] = m.on(s.Name)
	}
	return k
}

// on reports whether a server is switched on: as was asked last, or as the
// configuration has it. The server itself follows later, so its state does not
// tell.
func (m model) on(server string) bool {
	if on, asked := m.switched[server]; asked {
		return on
	}
	return slices.ContainsFunc(m.roster.Servers(), func(s mcpconn.ServerStatus) bool {
		return s.Name == server && s.Config.Enabled
	})
}

// forgetSwitches forgets what was asked of servers whose entry another
// configuration changes: those begin anew as it has them.
func (m *model) forgetSwitches(now []config.Server) {
	m.switched = maps.Clone(m.switched)
	for _, old := range m.roster.Servers() {
		if !slices.ContainsFunc(now, old.Config.Same) {
			delete(m.switched, old.Name)
		}
	}
}

// switchServerMsg switches a server on or off, whatever it is at the moment.
type switchServerMsg struct {
	name string
	on   bool
}

// switchServer asks at once and not by a command: of two that follow each other
// closely the later one must hold.
func (m model) switchServer(msg switchServerMsg) (tea.Model, tea.Cmd) {
	m.noteSwitch(msg.name, msg.on)
	var err error
	if msg.on {
		err = m.conns.Enable(msg.name)
	} else {
		err = m.conns.Disable(msg.name)
	}
	if err != nil {
		return m.say(err.Error())
	}
	return m, nil
}

// noteSwitch remembers what was asked of a server.
func (m *model) noteSwitch(server string, on bool) {
	next := maps.Clone(m.switched)
	if next == nil {
		next = map[string]bool{}
	}
	next[server] = on
	m.switched = next
}

// putBack makes everything as it stood. Calls that the tour composed
// since then go.
func (m *model) putBack(k standing, composed []int) []tea.Cmd {
	m.cfg, m.undo, m.scope, m.session.Scope = k.cfg, k.undo, k.scope, k.session
	m.query, m.pin, m.live, m.approved, m.viewed = k.query, k.pin, k.live, k.approved, k.viewed
	for _, id := range composed {
		if i := m.at(id); i >= 0 {
			m.calls = slices.Delete(slices.Clone(m.calls), i, i+1)
		}
	}
	m.queryPane().put(k.query)
	var cmds []tea.Cmd
	for _, s := range m.roster.Servers() {
		if on, known := k.on[s.Name]; known && on != m.on(s.Name) {
			next, cmd := m.switchServer(switchServerMsg{s.Name, on})
			*m, cmds = next.(model), append(cmds, cmd)
		}
	}
	m.zoom = k.zoom
	m.setFocus(k.focus)
	m.assemble()
	return cmds
}

// touring reports whether a tour is under way.
func (m model) touring() bool { return len(m.tour.visits) > 0 }

// visit is where the tour is.
func (m model) visit() visit { return m.tour.visits[len(m.tour.visits)-1] }

func (m model) step() tourStep { return m.tour.steps[m.visit().step] }

// startTour begins the tour, from the first step where it is under way already.
func (m model) startTour(every time.Duration) (tea.Model, tea.Cmd) {
	var cmds []tea.Cmd
	if m.touring() {
		next, cmd := m.endTour()
		m, cmds = next.(model), append(cmds, cmd)
	}
	m.sheet = nil
	m.tour = tour{steps: tourSteps(), every: every}
	cmds = append(cmds, m.enter(0, nil))
	return m, tea.Batch(cmds...)
}

// enter goes to a step and does what it does.
func (m *model) enter(step int, left []string) tea.Cmd {
	v := visit{step: step, before: m.stands(), left: left}
	last := m.lastCall
	m.tour.visits = append(slices.Clip(m.tour.visits), v)
	m.tour.ready = false
	var cmds []tea.Cmd
	for _, ph := range m.step().do {
		for _, msg := range ph(*m) {
			next, cmd := m.apply(msg)
			*m, cmds = next.(model), append(cmds, cmd)
		}
	}
	now := &m.tour.visits[len(m.tour.visits)-1]
	if m.lastCall > last {
		now.call = m.viewed
	}
	now.text = m.step().text(*m)
	m.status = "" // the caption says what was done
	m.setFocus(m.step().pane)
	return tea.Batch(append(cmds, m.timeTour())...)
}

// nextStep goes on, once what the present step waits for has come. Steps that
// cannot be played here are left out, and the next caption says so. After the
// last one the tour ends.
func (m model) nextStep() (tea.Model, tea.Cmd) {
	if !m.touring() {
		return m, nil
	}
	if waits := m.step().waitsFor(m); waits != "" && !m.tour.ready {
		return m.say("not yet: the tour waits for " + waits)
	}
	var left []string
	for i := m.visit().step + 1; i < len(m.tour.steps); i++ {
		s := m.tour.steps[i]
		if s.without != nil {
			if why := s.without(m); why != "" {
				left = append(left, s.title+" ("+why+")")
				continue
			}
		}
		cmd := m.enter(i, left)
		return m, cmd
	}
	return m.endTour()
}

// waitsFor is what a step still waits for.
func (s tourStep) waitsFor(m model) string {
	if s.waits == nil {
		return ""
	}
	return s.waits(m)
}

// stepBack undoes the present step and goes to the one before.
func (m model) stepBack() (tea.Model, tea.Cmd) {
	n := len(m.tour.visits)
	if n < 2 {
		return m.say("this is where the tour begins")
	}
	v := m.visit()
	cmds := m.putBack(v.before, []int{v.call})
	m.tour.visits = m.tour.visits[:n-1]
	m.tour.ready = true // it has come once
	return m, tea.Batch(append(cmds, m.timeTour())...)
}

// endTour puts back what the tour has changed.
func (m model) endTour() (tea.Model, tea.Cmd) {
	if !m.touring() {
		return m, nil
	}
	var composed []int
	for _, v := range m.tour.visits {
		composed = append(composed, v.call)
	}
	before := m.tour.visits[0].before
	m.tour = tour{timer: m.tour.timer}
	cmds := m.putBack(before, composed)
	next, cmd := m.say("the tour is over: settings, servers, session, query and focus are as they were before")
	return next, tea.Batch(append(cmds, cmd)...)
}

// followTour notices that what a step waits for has come. It is called after
// every change.
func (m *model) followTour() tea.Cmd {
	if !m.touring() || m.tour.ready {
		return nil
	}
	m.tour.visits = slices.Clone(m.tour.visits)
	m.tour.visits[len(m.tour.visits)-1].text = m.step().text(*m)
	if m.step().waitsFor(*m) != "" {
		return nil
	}
	m.tour.ready = true
	return m.timeTour()
}

// timed reports whether the timer takes the tour on.
func (t tour) timed() bool { return t.every > 0 && !t.paused }

// timeTour starts the timer of the present step, once there is nothing to wait
// for but an answer.
func (m *model) timeTour() tea.Cmd {
	m.tour.timer++
	if !m.tour.timed() || !m.tour.ready && !m.step().asks {
		return nil
	}
	id := m.tour.timer
	return m.tick(m.tour.every, func(time.Time) tea.Msg { return tourTickMsg{id} })
}

// tourTicked goes on, or gives the answer that is asked for.
func (m model) tourTicked(msg tourTickMsg) (tea.Model, tea.Cmd) {
	switch {
	case !m.touring() || msg.id != m.tour.timer || !m.tour.timed():
		return m, nil
	case m.tour.ready:
		return m.nextStep()
	case m.questioned().ID == m.visit().call:
		return m.approve(true, false)
	}
	return m, nil
}

// pauseTour stops the timer or lets it run; where there is none it begins one.
func (m model) pauseTour() (tea.Model, tea.Cmd) {
	switch {
	case !m.touring():
		return m, nil
	case m.tour.every == 0:
		m.tour.every = tourPace
	default:
		m.tour.paused = !m.tour.paused
	}
	cmd := m.timeTour()
	if m.tour.paused {
		return m.say("the timer is paused")
	}
	next, said := m.say(fmt.Sprintf("the timer goes on every %s", m.tour.every))
	return next, tea.Batch(cmd, said)
}

// tourKey takes the keys of the tour, and those that answer what is asked
// wherever the focus is. All others go to the workbench.
func (m model) tourKey(msg tea.KeyMsg) (next tea.Model, cmd tea.Cmd, handled bool) {
	if ask, answered := m.callPane().answerKey(msg); answered {
		next, cmd = m.apply(ask)
		return next, cmd, true
	}
	var ask tea.Msg
	switch k := m.keys; {
	case key.Matches(msg, k.TourNext):
		ask = tourNextMsg{}
	case key.Matches(msg, k.TourBack):
		ask = tourBackMsg{}
	case key.Matches(msg, k.TourPause):
		ask = tourPauseMsg{}
	case key.Matches(msg, k.TourEnd) && !m.presenting:
		ask = tourEndMsg{}
	default:
		return m, nil, false
	}
	next, cmd = m.apply(ask)
	return next, cmd, true
}

// tourAction is the palette's entry for the tour.
func (m model) tourAction() action {
	if m.touring() {
		return action{name: "Tour: end it", msg: tourEndMsg{}}
	}
	return action{name: "Tour: the tiers step by step", msg: tourMsg{}}
}

// leftOut says which steps were left out before the present one; "" for none.
func (v visit) leftOut() string {
	if len(v.left) == 0 {
		return ""
	}
	return "Left out: " + strings.Join(v.left, "; ") + "."
}
