package ui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
)

// presentMsg shows the focused pane alone, for an audience, or everything
// again.
type presentMsg struct{}

// Lines of the caption's text.
const (
	captionLines     = 4
	captionWide      = 3 // where each of its sentences is a line
	captionPresented = 7 // with blank lines between its paragraphs
)

// captionWideFrom is the least width at which a paragraph of the caption is one
// line.
const captionWideFrom = 140

// captionHeight is how many lines the caption takes of a screen of width ×
// height cells, its title included. A low screen leaves it fewer; on the least
// one its title stands in the footer.
func captionHeight(width, height int, presenting bool) int {
	want := captionLines
	switch {
	case presenting:
		want = captionPresented
	case width >= captionWideFrom:
		want = captionWide
	}
	return max(0, min(want+1, height-minHeight))
}

// arrangeTour makes room for the caption above the footer.
func arrangeTour(width, height int, focus paneID, zoom bool) layout {
	rows := captionHeight(width, height, false)
	l := arrange(width, height-rows, focus, zoom)
	if !l.tooSmall {
		l.caption = rect{0, height - 1 - rows, width, rows}
	}
	return l
}

// arrangePresented gives the screen to one pane, with a margin around it; the
// header stays, and a caption of so many lines.
func arrangePresented(width, height int, focus paneID, rows int) layout {
	if width < minWidth || height < minHeight {
		return layout{tooSmall: true}
	}
	x, y := width/20, 0
	if height-rows > minHeight+2 {
		y = 1
	}
	l := layout{body: rect{x, 1 + y, width - 2*x, height - 2 - 2*y - rows}}
	l.panes = map[paneID]rect{focus: l.body}
	l.caption = rect{x, height - 1 - rows, width - 2*x, rows}
	return l
}

// caption is what the tour says of its present step, in exactly the lines there
// are for it.
func (m model) caption() []string {
	r := m.layout.caption
	if !m.touring() || r.h <= 0 {
		return nil
	}
	t := m.theme
	// The title is cut before the state, but for the number of the step.
	const least = 11
	state := ansi.Truncate(m.tourState(), max(0, r.w-9-least), "…")
	title := ansi.Truncate(m.tourTitle(), max(0, r.w-ansi.StringWidth(state)-9), "…")
	rule := max(0, r.w-ansi.StringWidth(title)-ansi.StringWidth(state)-8)
	out := []string{fit(t.borderFocus.Render("━━ ")+t.titleFocus.Render(title)+t.borderFocus.Render(" "+strings.Repeat("━", rule)+" ")+state+t.borderFocus.Render(" ━━"), r.w)}
	for _, l := range m.captionText(r.w, r.h-1) {
		out = append(out, fit(l, r.w))
	}
	return out
}

// captionText is the paragraphs of the present step in exactly so many lines;
// what was left out comes first. Where they do not fit, the longest is cut.
func (m model) captionText(width, rows int) []string {
	t := m.theme
	var all [][]string
	styles := []lipgloss.Style{t.strong, t.text}
	if left := m.visit().leftOut(); left != "" {
		all = append(all, []string{" " + ansi.Truncate(left, max(0, width-2), "…")})
		styles = append([]lipgloss.Style{t.warn}, styles...)
	}
	if m.presenting {
		styles[len(styles)-1] = t.strong
	}
	for _, p := range m.visit().text {
		all = append(all, wrapAt(p, 1, width))
	}
	apart := 0
	if m.presenting && rows >= captionPresented {
		apart = 1
	}
	for total(all)+apart*(len(all)-1) > rows && len(all) > 0 {
		longest := 0
		for i := range all {
			if len(all[i]) > len(all[longest]) {
				longest = i
			}
		}
		if n := len(all[longest]) - 1; n > 0 {
			cut := all[longest][:n]
			cut[n-1] = ansi.Truncate(cut[n-1], max(0, width-2), "") + "…"
			all[longest] = cut
		} else {
			all = all[:len(all)-1]
		}
	}
	var out []string
	for i, p := range all {
		if i > 0 && apart > 0 {
			out = append(out, "")
		}
		for _, l := range p {
			out = append(out, styles[i].Render(l))
		}
	}
	for len(out) < rows {
		out = append(out, "")
	}
	return out
}

// total is how many lines there are.
func total(paragraphs [][]string) int {
	n := 0
	for _, p := range paragraphs {
		n += len(p)
	}
	return n
}

// tourTitle is the present step's number and title.
func (m model) tourTitle() string {
	return fmt.Sprintf("TOUR %d/%d · %s", m.visit().step+1, len(m.tour.steps), m.step().title)
}

// tourState is what brings the next step.
func (m model) tourState() string {
	t := m.theme
	switch waits := m.step().waitsFor(m); {
	case waits != "" && !m.tour.ready:
		return t.warn.Render("… waits for " + waits)
	case m.tour.paused:
		return t.key.Render("p") + t.muted.Render(" paused")
	case m.tour.every > 0:
		return t.muted.Render(fmt.Sprintf("▶ every %s", m.tour.every))
	case m.visit().step == len(m.tour.steps)-1:
		return t.key.Render("space") + t.muted.Render(" ends it")
	}
	return t.key.Render("space") + t.muted.Render(" goes on")
}

// tourFooter is the tour's keys, after its title where there is no caption.
func (m model) tourFooter() string {
	k := m.keys
	line := footerLine(m.theme, []key.Binding{k.TourNext, k.TourBack, k.TourPause, k.TourEnd, k.Present}, []key.Binding{k.Help, k.Quit}, m.width)
	if m.layout.caption.h > 0 {
		return line
	}
	return spread(" "+m.theme.titleFocus.Render(ansi.Truncate(m.tourTitle(), m.width/2, "…")), m.tourState()+" ", m.width)
}
