package ui

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/ui/display"
)

// brokenMsg says that nothing can be printed any more.
type brokenMsg struct{ err error }

// farewell bounds how long the last lines may take once the workbench was told
// to end from outside: whoever reads may have stopped reading.
const farewell = time.Second

// speech is the lines to be printed, in order. Update only says them, so that
// an output that is slow, or not read, does not stop the workbench; commands
// print them.
type speech struct {
	out io.Writer

	mu    sync.Mutex
	lines []string

	printing sync.Mutex // held by whoever prints
}

// say adds lines, each made safe to print: this is where text of servers
// becomes text on a terminal.
func (s *speech) say(lines ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range lines {
		s.lines = append(s.lines, display.Text(l))
	}
}

// some reports whether there are lines to print.
func (s *speech) some() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.lines) > 0
}

// print prints what was said so far.
func (s *speech) print() tea.Msg {
	s.printing.Lock()
	defer s.printing.Unlock()
	s.mu.Lock()
	lines := s.lines
	s.lines = nil
	s.mu.Unlock()
	if len(lines) == 0 {
		return nil
	}
	if _, err := io.WriteString(s.out, strings.Join(lines, "\n")+"\n"); err != nil {
		return brokenMsg{err}
	}
	return nil
}

// copy says a text that would go to the clipboard of a terminal.
func (s *speech) copy(text string) error {
	s.say("To copy:")
	s.say(strings.Split(strings.TrimRight(text, "\n"), "\n")...)
	return nil
}

// end prints the last lines.
func (s *speech) end(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.print()
	}()
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	patience := time.NewTimer(farewell)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
	}
}
