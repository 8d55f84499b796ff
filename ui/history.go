package ui

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// maxHistory is how many query lines are remembered.
const maxHistory = 200

// Messages about query lines that were run before.
type (
	pickHistoryMsg struct{}              // choose one from a list
	recallMsg      struct{ line string } // run this one again
)

// remembered is a history, the most recent line last, with one more line. A
// line that is in it already moves to its end, and a blank one is nothing to
// remember. The history given stays as it is.
func remembered(history []string, line string) []string {
	if line = strings.TrimSpace(line); line == "" || len(history) > 0 && history[len(history)-1] == line {
		return history
	}
	next := slices.DeleteFunc(slices.Clone(history), func(old string) bool { return old == line })
	next = append(next, line)
	return next[max(0, len(next)-maxHistory):]
}

// keepQuery keeps a query line that was run. While one is being typed every
// letter runs it, so it is kept when the typing ends.
func (m *model) keepQuery(line string) {
	m.history = remembered(m.history, line)
	m.publish()
}

// historyList is the query lines that were run, the most recent first.
func (m model) historyList() pickList {
	list := pickList{
		title: "Earlier queries", hint: "a few letters of it", verb: "runs it", typedLast: true,
		typed: func(text string) (action, bool) {
			return action{name: "as typed: " + text, msg: recallMsg{text}}, true
		},
	}
	for _, line := range slices.Backward(m.history) {
		list.actions = append(list.actions, action{name: line, msg: recallMsg{line}})
	}
	return list
}

// pickHistory opens the list of what was run.
func (m model) pickHistory() (tea.Model, tea.Cmd) {
	if len(m.history) == 0 {
		return m.say("no query was run yet: type one with /")
	}
	m.lay(newPalette(m.theme, m.historyList()))
	return m, nil
}

// recall runs a query line again.
func (m model) recall(line string) (tea.Model, tea.Cmd) {
	m.setFocus(paneQuery)
	return m.apply(m.queryPane().Recall(line))
}

// walk is the place in the history while a query line is typed.
type walk struct {
	at    int    // of the line shown, in the history; its length: the text being typed
	draft string // the text being typed
}

// begin takes a text as the one being typed.
func (w *walk) begin(history []string, text string) { w.at, w.draft = len(history), text }

// step goes so many lines on in the history and returns what is there. Lines
// that are the text shown are passed over. It is false where there is no other
// line on that side.
func (w *walk) step(history []string, shown string, by int) (text string, ok bool) {
	for at := min(w.at, len(history)) + by; at >= 0 && at <= len(history); at += by {
		text = w.draft
		if at < len(history) {
			text = history[at]
		}
		if text != shown {
			w.at = at
			return text, true
		}
	}
	return "", false
}
