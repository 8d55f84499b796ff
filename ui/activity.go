package ui

import (
	"fmt"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"toolscope/engine"
	"toolscope/ui/display"
)

// activityKey handles a key while the activity feed is in view.
func (p *callPane) activityKey(msg tea.KeyMsg) (tea.Msg, bool) {
	k, calls := p.keys, p.snap.Calls
	switch {
	case key.Matches(msg, k.Move):
		p.fed = max(0, min(p.fed+direction(msg), len(calls)-1))
	case key.Matches(msg, k.Page):
		p.fed = max(0, min(p.fed+direction(msg)*max(1, p.height-2), len(calls)-1))
	case len(calls) == 0 && !key.Matches(msg, k.Back, k.Activity):
		return nil, false
	case msg.Type == tea.KeyEnter:
		p.mode = modeStages
		return viewCallMsg{p.fedCall().ID}, true
	case key.Matches(msg, k.Compare):
		return p.compareWith(p.fedCall())
	case key.Matches(msg, k.Back, k.Activity):
		p.mode = modeStages
	default:
		return nil, false
	}
	return nil, true
}

// fedCall is the call under the cursor of the feed, which has the newest first.
func (p *callPane) fedCall() Call {
	if i := len(p.snap.Calls) - 1 - p.fed; i >= 0 {
		return p.snap.Calls[i]
	}
	return Call{}
}

// compareBefore compares the call in view with the one it repeats, else with
// the one before it.
func (p *callPane) compareBefore() (tea.Msg, bool) {
	for _, c := range p.snap.Calls {
		if c.ID == p.snap.Call.Of {
			return p.compareWith(c)
		}
	}
	i := slices.IndexFunc(p.snap.Calls, func(c Call) bool { return c.ID == p.snap.Call.ID })
	if i < 1 {
		return statusMsg{"there is no call before this one to compare it with; a runs it again, e with other arguments"}, true
	}
	return p.compareWith(p.snap.Calls[i-1])
}

// compareWith compares a call with the one in view.
func (p *callPane) compareWith(other Call) (tea.Msg, bool) {
	if other.ID == p.snap.Call.ID {
		return statusMsg{"that is the call in view: choose another one to compare it with"}, true
	}
	first, second := other, p.snap.Call
	if first.ID > second.ID {
		first, second = second, first
	}
	return sheetMsg{newComparison(p.theme, first, second)}, true
}

// activityLines is the activity feed as it is, under the real tools, beside one
// that would not unwrap the bridge.
func (p *callPane) activityLines() []string {
	t, calls := p.theme, p.snap.Calls
	if len(calls) == 0 {
		return []string{t.muted.Render(" No call was made yet. The feed shows each under its real tool; a naive one would say tool_call every time.")}
	}
	naive := min(44, p.width/3)
	left := p.width - naive - 2
	out := []string{spread(t.strong.Render(" activity feed")+t.muted.Render(", the newest first"), "", left) + t.faint.Render("│ ") + t.muted.Render("what a naive feed would show")}
	var rows []string
	for i, c := range slices.Backward(calls) {
		mark, style := "  ", t.text
		if len(calls)-1-i == p.fed {
			mark, style = "› ", t.selected
		}
		tool := c.Flow.Tool
		if tool == "" {
			tool = "(not unwrapped)"
		}
		m, word := callMark(t, c)
		end := " " + m + " " + word + " "
		if c.ID == p.snap.Call.ID {
			end = t.muted.Render(" in view") + end
		}
		head := fmt.Sprintf("%s%s ", mark, c.Begun.Format("15:04:05"))
		real := spread(style.Render(head+display.Clip(tool, max(8, left-ansi.StringWidth(head+end)-1))), end, left)
		rows = append(rows, real+t.faint.Render("│ ")+t.muted.Render(display.Clip("tool_call "+string(c.Flow.Stages[0].Input), naive)))
	}
	room := max(1, p.height-1)
	return append(out, window(rows, scrolled(p.fed-room/2, len(rows), room), room)...)
}

// callMark is how a call is doing, as a mark and in words.
func callMark(t theme, c Call) (mark, word string) {
	live := simulatedMark
	if c.Flow.Runners.Live {
		live = liveMark
	}
	switch {
	case c.waits():
		return t.warn.Render("●"), "asks you"
	case c.cancel != nil:
		return t.accent.Render("…"), "under way"
	case c.Flow.Status == engine.StatusBlocked:
		at := blockedAt(c.Flow)
		return t.bad.Render("✗"), "blocked at " + string(c.Flow.Stages[max(0, at)].Name)
	case c.Flow.Status == engine.StatusError:
		return t.bad.Render("✗"), "failed · " + live
	case c.Flow.Done():
		return t.good.Render("✓"), "ok · " + live
	}
	return t.muted.Render("○"), fmt.Sprintf("%d of %d stages", c.Flow.Next, len(c.Flow.Stages))
}
