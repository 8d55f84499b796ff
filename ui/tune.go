package ui

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
)

// Messages that change a setting.
type (
	setMsg     struct{ key, value string } // as typed in the palette
	setManyMsg []setMsg                    // together: one step of undo
	undoMsg    struct{}
	redoMsg    struct{}
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
	if next == m.cfg {
		return m.say(msg.key + " is at the end of its range")
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

// setMany gives several settings their values, in one step.
func (m model) setMany(msg setManyMsg) (tea.Model, tea.Cmd) {
	next := m.cfg
	for _, one := range msg {
		var err error
		if next, _, err = setting(next, one.key, one.value); err != nil {
			return m.say(err.Error())
		}
	}
	return m.configure(next)
}

// Settings that are not keys of tools.tool_search.
const (
	keyToolNames     = "tool_names"
	keyContextLength = "context_length"
)

// isSetting reports whether name is a setting that can be given a value.
func isSetting(name string) bool {
	return name == keyToolNames || name == keyContextLength || name == "context" ||
		slices.ContainsFunc(engine.Keys(), func(k engine.Key) bool { return k.Name == name })
}

// setting returns a configuration with one setting changed.
func setting(c engine.Config, name, value string) (engine.Config, []engine.Warning, error) {
	switch name {
	case "context":
		return setting(c, keyContextLength, value)
	case keyToolNames:
		style := engine.NameStyle(value)
		if style != engine.NamesSingle && style != engine.NamesDouble {
			return c, nil, fmt.Errorf("tool_names: %q is neither single nor double", value)
		}
		c.ToolNames = style
		return c, nil, nil
	case keyContextLength:
		n, err := parseContext(value)
		if err != nil {
			return c, nil, err
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

// past is what undo goes back to: the settings and what the session saw.
type past struct {
	cfg     engine.Config
	session int
	scope   engine.Scope
	what    string    // the setting that was changed then
	at      time.Time // when it was changed last
}

// undoPause is how long a key may rest for a change of the same setting to
// count as one with the change before.
const undoPause = time.Second

// remember keeps what is in force before something is changed. A setting that
// is changed again at once, as by a key held down, is one change.
func (m *model) remember(what string) {
	now := m.clock()
	m.redo = nil
	if n := len(m.undo); n > 0 && m.undo[n-1].what == what && now.Sub(m.undo[n-1].at) < undoPause {
		m.undo[n-1].at = now
		m.markEval(true)
		return
	}
	m.markEval(false)
	m.undo = append(slices.Clip(m.undo), past{m.cfg, m.scope, m.session.Scope, what, now})
}

// parseContext reads a context length: "128000", "128k", "1M", "unknown".
func parseContext(value string) (int, error) {
	unit := 1
	digits := strings.ToLower(strings.ReplaceAll(strings.TrimSpace(value), ",", ""))
	switch {
	case digits == "unknown":
		return 0, nil
	case strings.HasSuffix(digits, "k"):
		unit, digits = 1000, strings.TrimSuffix(digits, "k")
	case strings.HasSuffix(digits, "m"):
		unit, digits = 1000000, strings.TrimSuffix(digits, "m")
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || n > 1<<40/unit {
		return 0, fmt.Errorf("context_length: %q is no number of tokens (128000, 128k, 1M; 0: unknown)", value)
	}
	return n * unit, nil
}

// configure puts a configuration in force and remembers the one before.
func (m model) configure(next engine.Config) (tea.Model, tea.Cmd) {
	if next == m.cfg {
		return m, nil
	}
	said := changedSettings(m.cfg, next)
	name, _, _ := strings.Cut(said, " ")
	m.remember(name)
	m.cfg = next
	m.retune()
	return m.say(said)
}

// changedSettings names what differs between two configurations:
// "listing auto → on".
func changedSettings(old, now engine.Config) string {
	var parts []string
	add := func(key, a, b string) {
		if a != b {
			parts = append(parts, key+" "+a+" → "+b)
		}
	}
	add(engine.KeyEnabled, string(old.Enabled), string(now.Enabled))
	add(engine.KeyThresholdPct, percent(old.ThresholdPct)+" %", percent(now.ThresholdPct)+" %")
	add(engine.KeySearchDefaultLimit, number(old.SearchDefaultLimit), number(now.SearchDefaultLimit))
	add(engine.KeyMaxSearchLimit, number(old.MaxSearchLimit), number(now.MaxSearchLimit))
	add(engine.KeyListing, string(old.Listing), string(now.Listing))
	add(engine.KeyListingMaxTokens, number(old.ListingMaxTokens), number(now.ListingMaxTokens))
	add(keyContextLength, contextName(old.ContextLength), contextName(now.ContextLength))
	add(keyToolNames, string(cmp.Or(old.ToolNames, engine.NamesSingle)), string(cmp.Or(now.ToolNames, engine.NamesSingle)))
	return strings.Join(parts, " · ")
}

// undoSetting goes back to before the last change.
func (m model) undoSetting() (tea.Model, tea.Cmd) {
	if len(m.undo) == 0 {
		return m.say("nothing to undo: the settings and the session are as configured")
	}
	last := m.undo[len(m.undo)-1]
	m.undo = m.undo[:len(m.undo)-1]
	m.redo = append(slices.Clip(m.redo), past{m.cfg, m.scope, m.session.Scope, last.what, time.Time{}})
	return m.goTo(last, "undone: ")
}

// redoSetting makes the change again that was undone last.
func (m model) redoSetting() (tea.Model, tea.Cmd) {
	if len(m.redo) == 0 {
		return m.say("nothing to do again: no change was undone, or another one was made since")
	}
	next := m.redo[len(m.redo)-1]
	m.redo = m.redo[:len(m.redo)-1]
	m.undo = append(slices.Clip(m.undo), past{m.cfg, m.scope, m.session.Scope, next.what, time.Time{}})
	return m.goTo(next, "done again: ")
}

// goTo puts the settings and the session in force as they were, or will be.
func (m model) goTo(to past, how string) (tea.Model, tea.Cmd) {
	m.markEval(false)
	said := changedSettings(m.cfg, to.cfg)
	if said == "" {
		said = to.what
	}
	m.cfg, m.scope, m.session.Scope = to.cfg, to.session, to.scope
	m.assemble()
	return m.say(how + said)
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
