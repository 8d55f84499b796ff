package ui

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/exp/teatest"
	"github.com/muesli/termenv"
)

// program runs a bench's model as the real program does.
func program(t *testing.T, b *bench) *teatest.TestModel {
	t.Helper()
	b.m.conns = nil // its events came before
	return teatest.NewTestModel(t, b.m, teatest.WithInitialTermSize(160, 48))
}

// waitFor waits until the program has drawn a text.
func waitFor(t *testing.T, out io.Reader, text string) {
	t.Helper()
	teatest.WaitFor(t, out, func(all []byte) bool { return bytes.Contains(all, []byte(text)) }, teatest.WithDuration(20*time.Second))
}

// A giant is taken out of its budget, the form goes down to tier 2 and back.
func TestTuneAcrossTiers(t *testing.T) {
	tm := program(t, newBench(t, termenv.Ascii, 160, 48).answers(600))
	waitFor(t, tm.Output(), "TIER 1 mixed")
	tm.Type(":threshold_pct 0.02")
	tm.Send(tea.KeyMsg{Type: tea.KeyEnter})
	waitFor(t, tm.Output(), "TIER 2 none")
	tm.Type("u")
	waitFor(t, tm.Output(), "TIER 1 mixed")
	tm.Type("q")
	tm.WaitFinished(t, teatest.WithFinalTimeout(20*time.Second))
	if m := tm.FinalModel(t).(model); m.cfg.ThresholdPct != 5 || !m.quitting {
		t.Errorf("it ended at %v", m.cfg.ThresholdPct)
	}
}

// A query is typed, a hit called, and its approval denied.
func TestQueryToDeniedCall(t *testing.T) {
	tm := program(t, newBench(t, termenv.Ascii, 160, 48).answers(0))
	tm.Type("/order a pilot")
	waitFor(t, tm.Output(), "mcp_harbour_pilot_order")
	tm.Send(tea.KeyMsg{Type: tea.KeyEsc})
	tm.Type("c")
	tm.Send(tea.KeyMsg{Type: tea.KeyEnter})
	waitFor(t, tm.Output(), "approval asked")
	tm.Type("n")
	waitFor(t, tm.Output(), "denied by the person")
	tm.Send(tea.KeyMsg{Type: tea.KeyCtrlC})
	tm.WaitFinished(t, teatest.WithFinalTimeout(20*time.Second))
}

// brittlePane panics at a key.
type brittlePane struct{ pane }

func (brittlePane) HandleKey(tea.KeyMsg) (tea.Msg, bool) { panic("brittle") }

// A panic in Update ends the program with an error, the terminal as it was:
// whoever runs it goes on to end the servers.
func TestPanicInUpdate(t *testing.T) {
	b := newBench(t, termenv.Ascii, 160, 48).answers(0)
	b.m.conns = nil
	b.m.panes[paneTier] = brittlePane{b.m.panes[paneTier]}
	var out bytes.Buffer
	_, err := tea.NewProgram(b.m, tea.WithInput(bytes.NewBufferString("x")), tea.WithOutput(&out), tea.WithAltScreen(), tea.WithoutSignalHandler()).Run()
	if !errors.Is(err, tea.ErrProgramPanic) {
		t.Errorf("it ended with %v", err)
	}
	if !bytes.Contains(out.Bytes(), []byte("\x1b[?1049l")) || !bytes.Contains(out.Bytes(), []byte("\x1b[?25h")) {
		t.Errorf("the terminal is not as it was: %q", out.String())
	}
}
