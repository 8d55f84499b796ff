package ui

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
)

// Messages that change a setting.
type (
	setMsg  struct{ key, value string } // as typed in the palette
	undoMsg struct{}
)

// Ranges of the tuned settings, as in the engine's specification.
const (
	minListingTokens, maxListingTokens = 200, 60000
	stepListingTokens                  = 100
	coarse                             = 10
)

// contextSizes are the context lengths that the keys step through, in tokens;
// 0 is unknown.
var contextSizes = []int{0, 8000, 16000, 32000, 64000, 100000, 128000, 200000, 256000, 400000, 500000, 1000000, 2000000}

// tune moves a setting by steps, inside its range.
func (m model) tune(msg tuneMsg) (tea.Model, tea.Cmd) {
	steps := msg.steps
	if msg.coarse {
		steps *= coarse
	}
	next := m.cfg
	switch msg.key {
	case engine.KeyThresholdPct:
		next.ThresholdPct = stepPercent(next.ThresholdPct, steps)
	case engine.KeyListingMaxTokens:
		next.ListingMaxTokens = min(max(next.ListingMaxTokens+steps*stepListingTokens, minListingTokens), maxListingTokens)
	case keyContextLength:
		next.ContextLength = stepContext(next.ContextLength, msg.steps)
	}
	return m.configure(next)
}

// stepPercent moves a percentage by steps of a tenth, and of a hundredth below
// one percent, where a listing of a few lines is decided. Two decimals keep
// what many steps add up to exact on screen.
func stepPercent(p float64, steps int) float64 {
	step := 0.1
	if p < 1 || p == 1 && steps < 0 {
		step = 0.01
	}
	return min(max(math.Round((p+float64(steps)*step)*100)/100, 0), 100)
}

// stepContext goes to the next size up or down from n, which need not be one
// of the sizes itself.
func stepContext(n, steps int) int {
	for ; steps > 0; steps-- {
		i := slices.IndexFunc(contextSizes, func(s int) bool { return s > n })
		if i < 0 {
			return n
		}
		n = contextSizes[i]
	}
	for ; steps < 0; steps++ {
		i := slices.IndexFunc(contextSizes, func(s int) bool { return s >= n })
		switch {
		case i < 0:
			n = contextSizes[len(contextSizes)-1]
		case i > 0:
			n = contextSizes[i-1]
		}
	}
	return n
}

// set gives a setting a value as typed; what the engine repairs of it is shown.
func (m model) set(msg setMsg) (tea.Model, tea.Cmd) {
	next, repaired, err := setting(m.cfg, msg.key, msg.value)
	if err != nil {
		return m.say(err.Error())
	}
	changed, cmd := m.configure(next)
	if len(repaired) > 0 {
		return changed.(model).say(repaired[0].Message)
	}
	return changed, cmd
}

// Settings that are not keys of tools.tool_search.
const (
	keyToolNames     = "tool_names"
	keyContextLength = "context_length"
)

// isSetting reports whether name is a setting that can be given a value.
func isSetting(name string) bool {
	return name == keyToolNames || name == keyContextLength ||
		slices.ContainsFunc(engine.Keys(), func(k engine.Key) bool { return k.Name == name })
}

// setting returns a configuration with one setting changed.
func setting(c engine.Config, name, value string) (engine.Config, []engine.Warning, error) {
	switch name {
	case keyToolNames:
		style := engine.NameStyle(value)
		if style != engine.NamesSingle && style != engine.NamesDouble {
			return c, nil, fmt.Errorf("tool_names: %q is neither single nor double", value)
		}
		c.ToolNames = style
		return c, nil, nil
	case keyContextLength:
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return c, nil, fmt.Errorf("context_length: %q is no number of tokens (0: unknown)", value)
		}
		c.ContextLength = n
		return c, nil, nil
	}
	block, err := engine.SetToolSearch(c.ToolSearch.Block(), name, value)
	if err != nil {
		return c, nil, err
	}
	var repaired []engine.Warning
	c.ToolSearch, repaired = engine.ParseToolSearch(block)
	return c, repaired, nil
}

// configure puts a configuration in force and remembers the one before.
func (m model) configure(next engine.Config) (tea.Model, tea.Cmd) {
	if next == m.cfg {
		return m, nil
	}
	m.undo = append(m.undo, m.cfg)
	m.cfg = next
	m.assemble()
	return m, nil
}

// undoSetting goes back to the settings before the last change.
func (m model) undoSetting() (tea.Model, tea.Cmd) {
	if len(m.undo) == 0 {
		return m.say("nothing to undo: the settings are as configured")
	}
	m.cfg = m.undo[len(m.undo)-1]
	m.undo = m.undo[:len(m.undo)-1]
	m.assemble()
	return m.say(fmt.Sprintf("undone: threshold_pct %s · listing_max_tokens %s · context %s",
		percent(m.cfg.ThresholdPct), number(m.cfg.ListingMaxTokens), contextName(m.cfg.ContextLength)))
}

// cycle is the value after the present one.
func cycle[T comparable](values []T, present T) T {
	return values[(slices.Index(values, present)+1)%len(values)]
}

// contextName writes a context length as people say it.
func contextName(n int) string {
	switch {
	case n <= 0:
		return "unknown"
	case n%1000 == 0:
		return short(n)
	}
	return number(n)
}
