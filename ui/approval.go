package ui

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
	"toolscope/ui/display"
)

// Messages about the approval of a call.
type (
	approveMsg        struct{ yes bool } // the person's answer, for this once
	approveSessionMsg struct{}           // yes, and for every call of the tool until the workbench ends
	approvalTickMsg   struct{ call int } // a second of the time to answer has passed
)

// approvalTick is how often the time that is left to answer is told anew.
const approvalTick = time.Second

// approvedForSession is why a call goes on whose tool the person agreed to
// before.
const approvedForSession = "approved by the person for this session"

// askApproval asks the person, who has so long to answer.
func (m *model) askApproval(c *Call) tea.Cmd {
	if !c.Due.IsZero() {
		return nil // it is asked already
	}
	c.Due, c.Left = m.clock().Add(m.patience), m.patience
	return m.tickApproval(c.ID)
}

func (m *model) tickApproval(id int) tea.Cmd {
	return m.tick(approvalTick, func(time.Time) tea.Msg { return approvalTickMsg{id} })
}

// approvalTicked takes the time away from the person that has passed. Nobody's
// answer is a no.
func (m model) approvalTicked(msg approvalTickMsg) (tea.Model, tea.Cmd) {
	c := m.edit(msg.call)
	if c == nil || c.Flow.Waits() != engine.StageApproval {
		return m, nil
	}
	if c.Left = c.Due.Sub(m.clock()); c.Left > 0 {
		m.publish()
		return m, m.tickApproval(c.ID)
	}
	return m.settleApproval(c, engine.Verdict{
		Outcome: engine.OutcomeBlocked, Reason: fmt.Sprintf("nobody answered within %s", m.patience), Duration: m.patience,
	})
}

// questioned is the call whose question the person answers: the one in view, or
// the first of the batch that is run.
func (m *model) questioned() Call {
	if c := m.inView(); c.waits() {
		return c
	}
	for _, c := range m.calls {
		if c.Batched && c.waits() {
			return c
		}
	}
	return Call{}
}

// approve answers the approval stage; a call that was running runs on.
func (m model) approve(yes, session bool) (tea.Model, tea.Cmd) {
	c := m.edit(m.questioned().ID)
	if c == nil || c.Flow.Waits() != engine.StageApproval {
		return m, nil
	}
	v := denial()
	switch {
	case session:
		m.approved = append(slices.Clone(m.approved), c.Flow.Tool)
		v = engine.Verdict{Outcome: engine.OutcomePassed, Reason: approvedForSession}
	case yes:
		v = engine.Verdict{Outcome: engine.OutcomePassed, Reason: "approved by the person, this once"}
	}
	if asked := c.Due.Add(-m.patience); !c.Due.IsZero() {
		v.Duration = m.clock().Sub(asked)
	}
	return m.settleApproval(c, v)
}

// denial is the person's no.
func denial() engine.Verdict {
	return engine.Verdict{Outcome: engine.OutcomeBlocked, Reason: "denied by the person"}
}

func (m model) settleApproval(c *Call, v engine.Verdict) (tea.Model, tea.Cmd) {
	c.Due, c.Left = time.Time{}, 0
	c.Flow = c.Flow.Settle(v)
	cmd := m.goOn(c)
	m.publish()
	return m, cmd
}

// timeLeft is how long the person has to answer, "" where nobody waits.
func (c Call) timeLeft() string {
	if c.Left <= 0 {
		return ""
	}
	return fmt.Sprintf(" · %d s left", int(math.Ceil(c.Left.Seconds())))
}

// question is what the person is asked, laid out for a pane that shows
// something else.
func (p *callPane) question(q Call) []string {
	t := p.theme
	head, why := p.questionHead(q)
	out := []string{fit(" "+head, p.width)}
	if len(q.Asked) == 0 {
		why += " · arguments " + string(q.Flow.Arguments)
	}
	return append(out, " "+t.muted.Render(display.Clip(why, p.width-2)))
}

// questionHead is the question with the keys that answer it, and why it is
// asked; the latter is hostile text.
func (p *callPane) questionHead(q Call) (head, why string) {
	t := p.theme
	if len(q.Asked) > 0 {
		return t.warn.Render("● run these commands of yours?") + " " + t.key.Render("y") + " yes, and remember  " + t.key.Render("n") + " not in this call", strings.Join(q.Asked, " · ")
	}
	from := "plugin"
	if q.Flow.Server != "" {
		from = "server " + q.Flow.Server
	}
	head = t.warn.Render("● approve "+display.Clip(q.Flow.Tool, 48)+"?") + " " + t.key.Render("y") + " once  " + t.key.Render("Y") + " this session  " + t.key.Render("n") + " no" + t.muted.Render(q.timeLeft())
	return head, from + " · " + demands(q.Flow)
}
