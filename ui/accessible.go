package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/spinner"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"toolscope/mcpconn"
)

// RunAccessible runs the workbench in lines, for screen readers: it prints a
// plain sentence for whatever changes, and reads commands from in, one a line,
// until one of them is quit, in ends, or ctx does. Nothing of a screen is
// drawn: no colour, no box, no moving cursor. In and out may be pipes. Of the
// options those about a screen are not looked at. The error is nil unless out
// cannot be written to, or the workbench fails.
func RunAccessible(ctx context.Context, o Options, in io.Reader, out io.Writer) error {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.Ascii)
	r.SetHasDarkBackground(true)
	// Components of the Bubbles library make their styles of the default
	// renderer, which would ask the terminal for its colours.
	lipgloss.SetDefaultRenderer(r)
	outside, cancel := context.WithCancel(ctx)
	work := newWork(outside)
	speech := &speech{out: out}
	start := o.setup(work, newTheme(r))
	start.tick = work.tick
	start.copy = speech.copy
	lines := newLineReader(in)
	n := newNarrator(newModel(start), lines, speech)
	last, err := tea.NewProgram(n, tea.WithContext(ctx), tea.WithoutRenderer(), tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithoutSignalHandler()).Run()
	cancel()
	lines.end()
	work.end()
	speech.end(ctx)
	if n, ok := last.(narrator); ok && n.broken != nil {
		return fmt.Errorf("the output: %w", n.broken)
	}
	if err != nil && !(errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil) {
		return fmt.Errorf("the workbench: %w", err)
	}
	return nil
}

// tick is [tea.Tick] that ends with the work.
func (w work) tick(after time.Duration, then func(time.Time) tea.Msg) tea.Cmd {
	cmd, _ := w.start(func(ctx context.Context) tea.Msg {
		timer := time.NewTimer(after)
		defer timer.Stop()
		select {
		case at := <-timer.C:
			return then(at)
		case <-ctx.Done():
			return nil
		}
	})
	return cmd
}

// narrator is the workbench in lines: the model itself, what changes in it told
// in sentences, and commands for it read.
type narrator struct {
	m      model
	lines  *lineReader
	speech *speech
	told   map[string]string // what was said last of each server

	waits    bool   // no line is read before the servers have answered and the call has ended
	starting string // the server that was switched on and is still off; "" for none
	broken   error  // of writing
}

func newNarrator(m model, lines *lineReader, speech *speech) narrator {
	next, _ := m.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	n := narrator{m: next.(model), lines: lines, speech: speech}
	_, n.told = serversChanged(n.m.snap.Servers, nil) // off, until they begin
	speech.say(opening(n.m)...)
	return n
}

// Init begins what the workbench begins, and to read.
func (n narrator) Init() tea.Cmd { return tea.Batch(n.m.Init(), n.lines.next, n.speech.print) }

// View draws nothing.
func (n narrator) View() string { return "" }

// Update tells what a message changes, and carries commands out.
func (n narrator) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case spinner.TickMsg:
		return n, nil // nothing turns
	case brokenMsg:
		n.broken = msg.err
		return n, tea.Quit
	case lineMsg:
		n, cmd = n.obey(msg)
	case inputEndMsg:
		if msg.err != nil {
			n.speech.say(stop("commands cannot be read any more: " + msg.err.Error()))
		}
		n, cmd = n.change(quitMsg{})
	case statusMsg:
		n.starting = "" // it may say that the server does not start
		n, cmd = n.change(msg)
	default:
		n, cmd = n.change(msg)
	}
	if n.waits && n.idle() {
		n.waits = false
		cmd = tea.Batch(cmd, n.lines.next)
	}
	if n.speech.some() {
		cmd = tea.Batch(cmd, n.speech.print)
	}
	return n, cmd
}

// change gives a message to the model and says what changes.
func (n narrator) change(msg tea.Msg) (narrator, tea.Cmd) {
	n, said, cmd := n.give(msg)
	n.speech.say(said...)
	return n, cmd
}

// give gives a message to the model; what changes is to be said.
func (n narrator) give(msg tea.Msg) (next narrator, said []string, cmd tea.Cmd) {
	before := n.m
	after, cmd := n.m.Update(msg)
	n.m = after.(model)
	said = differences(before, n.m)
	servers, told := serversChanged(n.m.snap.Servers, n.told)
	n.told = told
	return n, append(servers, said...), cmd
}

// obey carries a command out. One that changes nothing has something to tell
// all the same. The next line is read when it is done, or later where it waits.
func (n narrator) obey(line lineMsg) (narrator, tea.Cmd) {
	c := readCommand(line, n.m)
	n.waits = c.waits
	if c.starts != "" {
		n.starting = c.starts
	}
	var said []string
	var cmd tea.Cmd
	if c.asks != nil {
		n, said, cmd = n.give(c.asks)
	}
	if c.tells != nil && (len(said) == 0 || c.instead) {
		said = c.tells(n.m)
	}
	n.speech.say(said...)
	if n.m.quitting || n.waits {
		return n, cmd
	}
	return n, tea.Batch(cmd, n.lines.next)
}

// idle reports whether every server has answered or failed, and no call is under
// way.
func (n narrator) idle() bool {
	if n.starting != "" {
		for _, s := range n.m.roster.Servers() {
			if s.Name == n.starting && s.State == mcpconn.StateOff {
				return false
			}
		}
	}
	busy := func(c Call) bool { return c.cancel != nil && !c.waits() && !c.over() }
	return n.m.settled && !n.m.connecting() && !slices.ContainsFunc(n.m.calls, busy)
}
