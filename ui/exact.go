package ui

import (
	"encoding/json"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/budget"
	"toolscope/budget/tokenizer"
	"toolscope/engine"
)

// Exact is the bill as a real tokenizer counts it, beside the engine's estimate.
type Exact struct {
	On       bool
	Counting bool // the figures are of an earlier assembly, or not there yet
	Known    bool
	Bill     budget.Bill
	Failed   string // why there are none
}

// Messages about the real tokenizer.
type (
	toggleExactMsg struct{}
	exactMsg       struct {
		hash    string // of the tools array that was counted
		bill    budget.Bill
		counter *tokenizer.Counter
		err     error
	}
)

// toggleExact switches the real tokenizer's figures on or off.
func (m model) toggleExact() (tea.Model, tea.Cmd) {
	m.snap.Exact = Exact{On: !m.snap.Exact.On}
	m.publish()
	if !m.snap.Exact.On {
		return m.say("tokens by the engine's estimate alone")
	}
	cmd := m.count()
	m.publish()
	next, said := m.say("counting with " + tokenizer.Name)
	return next, tea.Batch(cmd, said)
}

// count begins to count the present assembly, unless a count is under way: the
// next one begins when that ends.
func (m *model) count() tea.Cmd {
	if !m.snap.Exact.On {
		return nil
	}
	m.snap.Exact.Counting = true
	if m.counting {
		return nil
	}
	m.counting = true
	a, hash, counter := m.snap.Assembly, m.snap.Cache.Hash, m.counter
	return func() tea.Msg {
		bill, counter, err := countBill(a, counter)
		return exactMsg{hash, bill, counter, err}
	}
}

// counted takes the figures in, and begins anew where the assembly has changed
// meanwhile.
func (m model) counted(msg exactMsg) (tea.Model, tea.Cmd) {
	m.counting = false
	m.counter = msg.counter
	if !m.snap.Exact.On {
		return m, nil
	}
	m.snap.Exact.Bill, m.snap.Exact.Known, m.snap.Exact.Failed = msg.bill, msg.err == nil, ""
	if msg.err != nil {
		m.snap.Exact.Failed = msg.err.Error()
	}
	m.snap.Exact.Counting = false
	var cmd tea.Cmd
	if msg.hash != m.snap.Cache.Hash {
		cmd = m.count()
	}
	m.publish()
	return m, cmd
}

// countBill counts an assembly's bill with a real tokenizer, which it loads
// where there is none yet.
func countBill(a engine.Assembly, counter *tokenizer.Counter) (budget.Bill, *tokenizer.Counter, error) {
	if counter == nil {
		c, err := tokenizer.New()
		if err != nil {
			return budget.Bill{}, nil, err
		}
		counter = &c
	}
	tokens := func(all []engine.Definition) (int, error) {
		var b strings.Builder
		for _, d := range all {
			b.Write(d.JSON())
			b.WriteByte('\n')
		}
		return counter.Count(b.String())
	}
	visible, err := tokens(a.Visible)
	if err != nil {
		return budget.Bill{}, counter, err
	}
	deferred, err := tokens(a.Deferred)
	if err != nil {
		return budget.Bill{}, counter, err
	}
	bridges, err := tokens(a.Bridges)
	if err != nil {
		return budget.Bill{}, counter, err
	}
	mean := 0
	if n := len(a.Deferred); n > 0 {
		frame, err := counter.Count(string(a.ToolDescribe(json.RawMessage(fmt.Sprintf(`{"names":%q}`, a.Deferred[0].Name)))))
		if err != nil {
			return budget.Bill{}, counter, err
		}
		first, err := tokens(a.Deferred[:1])
		if err != nil {
			return budget.Bill{}, counter, err
		}
		// An answer is a definition in another frame.
		mean = max(1, deferred/n+frame-first)
	}
	return budget.NewBill(visible, deferred, bridges, mean, a.Config.ContextLength), counter, nil
}
