package export

import (
	"fmt"
	"strings"
)

// Options are what a picture needs to know besides the frame.
type Options struct {
	Dark    bool   // light text on a dark background, or the other way round
	Title   string // stands above the frame, in one line; "" for none
	Columns int    // the least width, in cells; a longer line makes it wider
}

const (
	fontSize = 15 // pixels
	baseline = 15 // pixels below the upper edge of a cell
	underAt  = 16 // pixels below the upper edge of a cell
	padding  = 12 // pixels around the frame
	barH     = 32 // pixels that a title takes

	fonts = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Noto Sans Mono', monospace"
)

// SVG returns the frame as a picture that needs nothing but a monospace font:
// the same bytes for the same frame and options. Every character stands in its
// cell whatever the font: a run of equal style is one text of the length of its
// cells, and characters that may come from another font are runs of their own.
// Box drawing and block characters are shapes; their text is there, unpainted,
// so that the texts of a row together are that row of [Text]. What Text leaves
// out or replaces is left out or replaced here.
func SVG(frame string, opts Options) string {
	rows := parse(frame)
	columns := max(opts.Columns, 1)
	for _, row := range rows {
		columns = max(columns, span(row))
	}
	p := paletteOf(opts.Dark)
	title := fit(opts.Title, columns)
	width, top := columns*cellW+2*padding, padding
	if title != "" {
		top = barH
	}
	height := top + len(rows)*cellH + padding

	d := drawing{palette: p}
	for y, row := range rows {
		d.row(y, row)
	}

	var b strings.Builder
	b.Grow(len(d.back) + len(d.fore) + 1024)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="%s" font-size="%d">`+"\n",
		width, height, width, height, fonts, fontSize)
	if title != "" {
		fmt.Fprintf(&b, "<title>%s</title>\n", title)
	}
	fmt.Fprintf(&b, `<rect width="%d" height="%d" rx="8" fill="#%06x"/>`+"\n", width, height, p.back)
	if title != "" {
		fmt.Fprintf(&b, `<text x="%d" y="21" text-anchor="middle" fill="#%06x">%s</text>`+"\n", width/2, p.title, title)
	}
	fmt.Fprintf(&b, `<g transform="translate(%d %d)" fill="#%06x">`+"\n", padding, top, p.fore)
	b.Write(d.back)
	b.Write(d.fore)
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}

// span is how many columns a row takes.
func span(row []cell) int {
	n := 0
	for _, c := range row {
		n += c.width
	}
	return n
}

// fit makes a title one line of at most so many columns, escaped.
func fit(title string, columns int) string {
	var cells []cell
	for i, row := range parse(title) {
		if i > 0 {
			cells = append(cells, cell{text: blank, width: 1})
		}
		cells = append(cells, row...)
	}
	cells = trim(cells)
	if width := span(cells); width > columns {
		for ; width > columns-1; cells = cells[:len(cells)-1] {
			width -= cells[len(cells)-1].width
		}
		cells = append(cells, cell{text: "…", width: 1})
	}
	var out []byte
	for _, c := range cells {
		out = appendEscaped(out, c.text)
	}
	return string(out)
}
