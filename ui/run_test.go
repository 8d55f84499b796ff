package ui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/muesli/termenv"

	"toolscope/mcpconn/config"
	"toolscope/mcpconn/state"
)

// The workbench begins as it was left.
func TestScreenIsKept(t *testing.T) {
	for name, tc := range map[string]struct {
		was, begins state.Screen
	}{
		"nothing known":   {state.Screen{}, state.Screen{Pane: 1}},
		"zoomed":          {state.Screen{Pane: 4, Zoom: true, History: []string{"tide"}}, state.Screen{Pane: 4, Zoom: true, History: []string{"tide"}}},
		"a pane of later": {state.Screen{Pane: 9, Zoom: true}, state.Screen{Pane: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, termenv.Ascii, 160, 48)
			start := Options{Config: config.Config{}, Conns: b.m.conns, Screen: tc.was}.setup(b.m.work, b.m.theme)
			b.m = newModel(start)
			b.send(tea.WindowSizeMsg{Width: 160, Height: 48})
			b.view()
			left := b.m.left()
			if left.Pane != tc.begins.Pane || left.Zoom != tc.begins.Zoom || strings.Join(left.History, "") != strings.Join(tc.begins.History, "") {
				t.Errorf("it begins as %+v", left)
			}
			b.press("/", "gale", "enter", "z", "3")
			left = b.m.left()
			if left.Pane != 3 || left.Zoom == tc.begins.Zoom || strings.Join(left.History, " ") != strings.Join(append(tc.was.History, "gale"), " ") {
				t.Errorf("it is left as %+v", left)
			}
		})
	}
}
