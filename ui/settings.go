package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"toolscope/engine"
	"toolscope/ui/display"
)

// settingsView lists every setting: its value now and as configured, stepped
// with the arrows or typed.
type settingsView struct {
	theme  theme
	keys   keyMap
	snap   Snapshot
	cursor int
	field  field
	first  int // the line of the first setting, as last drawn
}

// settingRow is one setting.
type settingRow struct {
	key    string
	ranges string                                                      // what it takes, and its steps
	value  func(engine.Config) string                                  // as shown, and as it can be typed
	step   func(c engine.Config, steps int, coarse bool) (ask tea.Msg) // moves it
}

// settingRows are all settings, the tuned ones first.
func settingRows() []settingRow {
	number := func(name, ranges string, value func(engine.Config) string) settingRow {
		return settingRow{name, ranges, value, func(_ engine.Config, steps int, coarse bool) tea.Msg { return tuneMsg{name, steps, coarse} }}
	}
	word := func(name, ranges string, value func(engine.Config) string) settingRow {
		words := strings.Split(ranges, ", ")
		return settingRow{name, ranges, value, func(c engine.Config, steps int, _ bool) tea.Msg {
			at := slices.Index(words, value(c)) + steps
			return setMsg{name, words[(at+len(words))%len(words)]}
		}}
	}
	count := func(name, ranges string, now func(engine.Config) int) settingRow {
		return settingRow{name, ranges, func(c engine.Config) string { return strconv.Itoa(now(c)) }, func(c engine.Config, steps int, _ bool) tea.Msg {
			return setMsg{name, strconv.Itoa(max(1, now(c)+steps))}
		}}
	}
	return []settingRow{
		number(engine.KeyThresholdPct, "0–100, by 0.1, below 1 by 0.01", func(c engine.Config) string { return percent(c.ThresholdPct) }),
		number(engine.KeyListingMaxTokens, fmt.Sprintf("%d–%d, by %d", minListingTokens, maxListingTokens, stepListingTokens), func(c engine.Config) string { return strconv.Itoa(c.ListingMaxTokens) }),
		number(keyContextLength, presets(), func(c engine.Config) string { return contextName(c.ContextLength) }),
		word(engine.KeyListing, "auto, on, off", func(c engine.Config) string { return string(c.Listing) }),
		word(engine.KeyEnabled, "auto, on, off", func(c engine.Config) string { return string(c.Enabled) }),
		word(keyToolNames, "single, double", func(c engine.Config) string { return string(cmp.Or(c.ToolNames, engine.NamesSingle)) }),
		count(engine.KeySearchDefaultLimit, "1 up to max_search_limit", func(c engine.Config) int { return c.SearchDefaultLimit }),
		count(engine.KeyMaxSearchLimit, "1–50", func(c engine.Config) int { return c.MaxSearchLimit }),
	}
}

// presets are the context lengths that the keys step through.
func presets() string {
	var all []string
	for _, n := range contextSizes {
		all = append(all, contextName(n))
	}
	return strings.Join(all, " ")
}

func newSettingsView(t theme) *settingsView {
	return &settingsView{theme: t, keys: newKeyMap(), field: newField(40)}
}

// SetSnapshot gives what to render.
func (v *settingsView) SetSnapshot(s Snapshot) { v.snap = s }

// Typing reports whether every character is text.
func (v *settingsView) Typing() bool { return v.field.typing() }

// HandleWheel steps the setting under the cursor.
func (v *settingsView) HandleWheel(n int) { v.move(n) }

func (v *settingsView) move(n int) {
	v.cursor = max(0, min(v.cursor+n, len(settingRows())-1))
}

// HandleClick goes to the setting under the pointer, and types its value where
// it is there.
func (v *settingsView) HandleClick(_, y int) (tea.Msg, bool) {
	row := y - v.first
	switch {
	case v.Typing() || row < 0 || row >= len(settingRows()):
	case row == v.cursor:
		v.enter("")
	default:
		v.cursor = row
	}
	return nil, false
}

// HandleKey steps and types values, or closes the sheet.
func (v *settingsView) HandleKey(msg tea.KeyMsg) (ask tea.Msg, done bool) {
	row := settingRows()[v.cursor]
	if v.Typing() {
		switch msg.Type {
		case tea.KeyEsc:
			v.field.blur()
		case tea.KeyEnter:
			v.field.blur()
			return setMsg{row.key, strings.TrimSpace(v.field.text())}, false
		default:
			v.field.handleKey(msg, " ")
		}
		return nil, false
	}
	now, was := v.snap.Assembly.Config, v.snap.Original
	k := v.keys
	switch {
	case key.Matches(msg, k.Back, k.Settings, k.Quit):
		return nil, true
	case key.Matches(msg, k.Move):
		v.move(direction(msg))
	case key.Matches(msg, k.SettingStep):
		steps := 1
		if s := msg.String(); strings.HasSuffix(s, "left") || s == "h" {
			steps = -1
		}
		return row.step(now, steps, strings.HasPrefix(msg.String(), "shift")), false
	case msg.Type == tea.KeyEnter:
		v.enter("")
	case len(msg.Runes) == 1 && msg.Runes[0] >= '0' && msg.Runes[0] <= '9':
		v.enter(string(msg.Runes))
	case key.Matches(msg, k.SettingOriginal) && msg.String() == "O":
		var all setManyMsg
		for _, r := range settingRows() {
			if r.value(now) != r.value(was) {
				all = append(all, setMsg{r.key, r.value(was)})
			}
		}
		return all, false
	case key.Matches(msg, k.SettingOriginal):
		return setMsg{row.key, row.value(was)}, false
	case key.Matches(msg, k.Undo):
		return undoMsg{}, false
	case key.Matches(msg, k.Redo):
		return redoMsg{}, false
	case key.Matches(msg, k.Write):
		return writeMsg{}, false
	case key.Matches(msg, k.KeepSide):
		return keepSideMsg{}, false
	case key.Matches(msg, k.Sides):
		return sidesMsg{}, false
	}
	return nil, false
}

// enter opens the text field on a value.
func (v *settingsView) enter(text string) {
	v.field.set(text)
	v.field.focus()
}

// View draws the settings and what they decide.
func (v *settingsView) View(width, height int) string {
	t, a := v.theme, v.snap.Assembly
	inner := min(width, 100) - 2
	now, was := a.Config, v.snap.Original
	out := []string{t.muted.Render(fit(" setting", 24) + fit("now", 14) + fit("configured", 14) + "takes")}
	v.first = len(out) + 1
	for i, r := range settingRows() {
		mark, style := "  ", t.text
		if i == v.cursor {
			mark, style = "› ", t.selected
		}
		value := t.strong.Render(fit(r.value(now), 14))
		if r.value(now) != r.value(was) {
			value = t.warn.Render(fit(r.value(now)+" *", 14))
		}
		if i == v.cursor && v.Typing() {
			value = v.field.view(t, 13) + " "
		}
		out = append(out, fit(style.Render(fit(mark+r.key, 24))+value+t.muted.Render(fit(r.value(was), 14))+t.muted.Render(display.Clip(r.ranges, max(0, inner-53))), inner))
	}
	out = append(out, t.border.Render(strings.Repeat("─", max(0, inner))))
	for _, l := range decision(t, a) {
		out = append(out, fit(" "+l, inner))
	}
	keys := "←/→ step, with shift ten · enter or a digit types · o as configured, O all · u undo · U redo · A keep · B compare · w write · esc"
	if v.Typing() {
		keys = "enter sets · esc leaves"
	}
	out = append(out, wrapText(t.muted, keys, inner)...)
	h := min(height, len(out)+2)
	top := scrolled(v.first+v.cursor-h/2, len(out), h-2)
	return frame(t, 0, "Settings", "", scrollNote(t, top, len(out), h-2), lines(window(out, top, h-2), 0, inner, h-2), inner+2, h, true)
}

// decision is what an assembly comes to, in a few lines.
func decision(t theme, a engine.Assembly) []string {
	b := a.Budget
	bill := billOf(a)
	return []string{
		badge(t.tiers[min(max(a.Tier, 0), 2)], fmt.Sprintf("TIER %d %s", a.Tier, tierWord(a))) + fmt.Sprintf("  listing %s of %s tokens", number(a.Listing.Tokens), number(b.Tokens)),
		t.muted.Render(fmt.Sprintf("bound by %s · %s tokens a turn instead of %s", b.BoundBy, number(bill.WithBridge), number(bill.Eager))),
	}
}
