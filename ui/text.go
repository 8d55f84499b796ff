package ui

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
)

// fit cuts or pads a styled line to exactly width cells.
func fit(s string, width int) string {
	if width <= 0 {
		return ""
	}
	w := ansi.StringWidth(s)
	if w > width {
		s = ansi.Truncate(s, width, "…")
		w = ansi.StringWidth(s)
	}
	return s + strings.Repeat(" ", width-w)
}

// spread puts left and right at the two ends of a line of width cells; the
// right end goes first where both do not fit.
func spread(left, right string, width int) string {
	gap := width - ansi.StringWidth(left) - ansi.StringWidth(right)
	if gap < 1 {
		return fit(left, width)
	}
	return left + strings.Repeat(" ", gap) + right
}

// lines cuts or pads content to exactly width × height cells, from line top.
func lines(content []string, top, width, height int) string {
	out := make([]string, 0, height)
	for i := top; i < top+height; i++ {
		if i >= 0 && i < len(content) {
			out = append(out, fit(content[i], width))
		} else {
			out = append(out, strings.Repeat(" ", max(0, width)))
		}
	}
	return strings.Join(out, "\n")
}

// scrolled keeps a scroll offset inside its content.
func scrolled(top, content, height int) int {
	return max(0, min(top, content-height))
}

// number writes n with thousands separated: 12,345.
func number(n int) string {
	s := strconv.Itoa(n)
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if neg {
		return "-" + s
	}
	return s
}

// short writes n in at most five cells or so: 980, 4.9k, 412k, 1.2M.
func short(n int) string {
	f := float64(n)
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 9950:
		return strings.TrimSuffix(strconv.FormatFloat(f/1e3, 'f', 1, 64), ".0") + "k"
	case n < 999500:
		return strconv.FormatFloat(f/1e3, 'f', 0, 64) + "k"
	}
	return strings.TrimSuffix(strconv.FormatFloat(f/1e6, 'f', 1, 64), ".0") + "M"
}

// percent writes a percentage with as many decimals as it needs: two at most,
// unless that would make nothing of it.
func percent(p float64) string {
	if p > 0 && p < 0.01 {
		return strconv.FormatFloat(p, 'f', -1, 64)
	}
	s := strconv.FormatFloat(p, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// plural writes "1 tool", "3,300 tools".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + one + "s"
}

// segment is one part of a stacked bar.
type segment struct {
	value float64
	style lipgloss.Style
	glyph string // what fills it; "" is a full block, drawn to an eighth of a cell
}

// bar draws segments side by side at scale total = width cells, on a track of
// the remaining cells. A value above zero shows at least a sliver, so that
// small is not mistaken for none.
func bar(segments []segment, total float64, width int, track lipgloss.Style) string {
	if width <= 0 || total <= 0 {
		return track.Render(strings.Repeat("░", max(0, width)))
	}
	eighths := []rune(" ▏▎▍▌▋▊▉")
	last := -1
	for i, s := range segments {
		if s.value > 0 {
			last = i
		}
	}
	var b strings.Builder
	used, sum := 0, 0.0
	for i, s := range segments {
		if s.value <= 0 || used >= width {
			continue
		}
		sum += s.value
		// The end of a segment is the place of the running sum, so that the
		// parts of a bar do not drift apart by rounding.
		end := min(sum/total*float64(width), float64(width))
		glyph := cmp.Or(s.glyph, "█")
		cells := ""
		if i == last && s.glyph == "" {
			n := min(max(int((end-float64(used))*8+0.5), 1), (width-used)*8)
			cells = strings.Repeat(glyph, n/8)
			if n%8 > 0 {
				cells += string(eighths[n%8])
			}
		} else {
			n := min(max(int(end-float64(used)+0.5), 1), width-used)
			cells = strings.Repeat(glyph, n)
		}
		used += ansi.StringWidth(cells)
		b.WriteString(s.style.Render(cells))
	}
	b.WriteString(track.Render(strings.Repeat("░", width-used)))
	return b.String()
}
