package ui

import (
	"fmt"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"toolscope/engine"
)

// ThemeName chooses the colours of the workbench.
type ThemeName string

// The themes. Auto asks the terminal for its background once, before the
// screen is drawn.
const (
	ThemeAuto  ThemeName = "auto"
	ThemeDark  ThemeName = "dark"
	ThemeLight ThemeName = "light"
	ThemeNone  ThemeName = "none" // no colour, also where NO_COLOR is set
)

// ParseTheme reads a theme's name.
func ParseTheme(s string) (ThemeName, error) {
	switch t := ThemeName(s); t {
	case ThemeAuto, ThemeDark, ThemeLight, ThemeNone:
		return t, nil
	}
	return "", fmt.Errorf("--theme: %q is none of auto, dark, light, none", s)
}

// theme holds every style of the screen. Colour never carries meaning alone: a
// mark, a word or a position says the same.
type theme struct {
	text, muted, faint, strong lipgloss.Style
	good, warn, bad, accent    lipgloss.Style
	key                        lipgloss.Style // a key to press
	selected                   lipgloss.Style // the row under the cursor
	border, borderFocus        lipgloss.Style
	title, titleFocus          lipgloss.Style
	bar                        lipgloss.Style // the header line
	core, bridge, listing      lipgloss.Style // the parts of the budget
	deferred, track            lipgloss.Style
	added, removed             lipgloss.Style // changes since the last assembly
	terms                      []lipgloss.Style
	tiers                      [3]lipgloss.Style // badges by tier
	dark                       bool              // the background is
	plain                      bool              // no colour at all: patterns tell parts of a bar apart
}

// newTheme builds the styles on a renderer, which knows the colours the
// terminal can show and whether its background is dark.
func newTheme(r *lipgloss.Renderer) theme {
	adaptive := func(light, dark string) lipgloss.Style {
		return r.NewStyle().Foreground(lipgloss.AdaptiveColor{Light: light, Dark: dark})
	}
	badge := func(light, dark string) lipgloss.Style {
		return r.NewStyle().Bold(true).
			Foreground(lipgloss.AdaptiveColor{Light: "#ffffff", Dark: "#11131a"}).
			Background(lipgloss.AdaptiveColor{Light: light, Dark: dark})
	}
	return theme{
		text:        r.NewStyle(),
		muted:       adaptive("#6b7080", "#8b93a7"),
		faint:       adaptive("#b4b9c6", "#4d5467"),
		strong:      r.NewStyle().Bold(true),
		good:        adaptive("#1a7f37", "#7ee787"),
		warn:        adaptive("#9a6700", "#e3b341"),
		bad:         adaptive("#c1272d", "#ff7b72"),
		accent:      adaptive("#6639ba", "#b49cff"),
		key:         adaptive("#6639ba", "#b49cff").Bold(true),
		selected:    r.NewStyle().Bold(true).Background(lipgloss.AdaptiveColor{Light: "#e5e0fa", Dark: "#2c2f45"}),
		border:      adaptive("#c3c8d4", "#3b4154"),
		borderFocus: adaptive("#6639ba", "#b49cff"),
		title:       adaptive("#4a4f5d", "#b6bdcf"),
		titleFocus:  adaptive("#6639ba", "#cbbcff").Bold(true),
		bar:         r.NewStyle(),
		core:        adaptive("#0a6fb8", "#6cb6ff"),
		bridge:      adaptive("#6639ba", "#b49cff"),
		listing:     adaptive("#137a6c", "#56d4c0"),
		deferred:    adaptive("#a04a00", "#f0a36b"),
		track:       adaptive("#dfe2ea", "#2b3040"),
		added:       adaptive("#1a7f37", "#7ee787"),
		removed:     adaptive("#c1272d", "#ff7b72"),
		terms: []lipgloss.Style{
			adaptive("#6639ba", "#b49cff"),
			adaptive("#0a6fb8", "#6cb6ff"),
			adaptive("#137a6c", "#56d4c0"),
			adaptive("#a04a00", "#f0a36b"),
			adaptive("#9c2b7a", "#f092cd"),
			adaptive("#6b6f00", "#d4d66a"),
		},
		tiers: [3]lipgloss.Style{badge("#0a6fb8", "#6cb6ff"), badge("#1a7f37", "#7ee787"), badge("#a04a00", "#f0a36b")},
		dark:  r.HasDarkBackground(),
		plain: r.ColorProfile() == termenv.Ascii,
	}
}

// form is the style of a listing form or a group's mode: the richer, the
// calmer.
func (t theme) form(name string) lipgloss.Style {
	switch name {
	case string(engine.FormFull):
		return t.good
	case string(engine.FormNames):
		return t.listing
	case string(engine.FormMixed), string(engine.ModeEager):
		return t.core
	case string(engine.FormGroups), string(engine.ModeSummary):
		return t.deferred
	}
	return t.bad
}

// budgetPart is a part of what the tools cost.
type budgetPart int

const (
	partCore budgetPart = iota
	partBridge
	partListing
	partDeferred
)

// part is a part of a budget bar: told apart by colour, or by pattern where
// there is none.
func (t theme) part(which budgetPart, tokens int) segment {
	s := segment{value: float64(tokens), style: []lipgloss.Style{t.core, t.bridge, t.listing, t.deferred}[which]}
	if t.plain {
		s.glyph = []string{"█", "▓", "▒", "▚"}[which]
	}
	return s
}

// term is the colour of the i-th token of a query, the same in the token line
// and in the bars.
func (t theme) term(i int) lipgloss.Style { return t.terms[i%len(t.terms)] }
