package export

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// drawing is the rows of a frame as SVG elements. Backgrounds are apart, since
// they come before all text: a letter may reach into the next row.
type drawing struct {
	palette    palette
	back, fore []byte

	inks   []ink // of the row at hand, a cell each
	sketch sketch
	text   []byte
}

// row draws a row of cells; y counts rows.
func (d *drawing) row(y int, row []cell) {
	d.inks = d.inks[:0]
	var last pen
	present := d.palette.ink(last)
	for _, c := range row {
		if c.pen != last {
			last, present = c.pen, d.palette.ink(c.pen)
		}
		d.inks = append(d.inks, present)
	}
	d.backgrounds(y, row)
	d.texts(y, trim(row))
	d.underlines(y, row)
}

// backgrounds draws a rectangle for each run of a background other than the
// picture's own.
func (d *drawing) backgrounds(y int, row []cell) {
	d.runs(row, func(i ink) (rgb, bool) { return i.back, i.back != d.palette.back }, func(x, width int, c rgb) {
		d.back = d.rect(d.back, box{x * cellW, y * cellH, width * cellW, cellH}, c)
	})
}

// underlines draws lines rather than decorates text, so that they go on below
// blanks and from one run to the next.
func (d *drawing) underlines(y int, row []cell) {
	d.runs(row, func(i ink) (rgb, bool) { return i.fore, i.underline }, func(x, width int, c rgb) {
		d.fore = d.rect(d.fore, box{x * cellW, y*cellH + underAt, width * cellW, 1}, c)
	})
}

// runs calls draw for each run of cells that of gives the same colour.
func (d *drawing) runs(row []cell, of func(ink) (rgb, bool), draw func(x, width int, c rgb)) {
	x, width, colour := 0, 0, rgb(0)
	for i, c := range row {
		next, ok := of(d.inks[i])
		if width > 0 && (!ok || next != colour) {
			draw(x, width, colour)
			x, width = x+width, 0
		}
		if !ok {
			x += c.width
			continue
		}
		colour = next
		width += c.width
	}
	if width > 0 {
		draw(x, width, colour)
	}
}

// rect draws a rectangle given in pixels.
func (d *drawing) rect(out []byte, b box, c rgb) []byte {
	return fmt.Appendf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"%s/>\n", b.x, b.y, b.w, b.h, d.fill(c))
}

// fill is the attribute of a colour; the default foreground needs none.
func (d *drawing) fill(c rgb) string {
	if c == d.palette.fore {
		return ""
	}
	return fmt.Sprintf(` fill="#%06x"`, c)
}

// kind is how the characters of a run are drawn.
type kind int

const (
	empty kind = iota // blanks alone, which any run can take up
	glyphs
	shapes
	lone // one character, which may come from another font
)

func kindOf(c cell) kind {
	if c.text == blank {
		return empty
	}
	if _, ok := shapeOf(c.text); ok {
		return shapes
	}
	r, size := utf8.DecodeRuneInString(c.text)
	switch {
	case size != len(c.text) || c.width != 1:
		return lone
	case r < 0x250, r >= 0x370 && r < 0x530, r >= 0x2010 && r <= 0x203a:
		return glyphs // Latin, Greek, Cyrillic and their punctuation are in every font
	}
	return lone
}

// run is consecutive cells that are one text.
type run struct {
	kind     kind
	x, width int // columns
	fore     rgb
	bold     bool
}

// texts draws the characters of a row.
func (d *drawing) texts(y int, row []cell) {
	at := run{}
	d.text = d.text[:0]
	for i, c := range row {
		k, by := kindOf(c), d.inks[i]
		same := k == at.kind && by.fore == at.fore && (by.bold == at.bold || k == shapes)
		if at.kind == lone || k == lone || !(k == empty || at.kind == empty || same) {
			d.end(at, y)
			at = run{x: at.x + at.width}
		}
		if at.kind == empty && k != empty {
			at.kind, at.fore, at.bold = k, by.fore, by.bold
		}
		if r, ok := shapeOf(c.text); ok {
			d.sketch.add(r, at.x+at.width, y)
		}
		d.text = appendEscaped(d.text, c.text)
		at.width += c.width
	}
	d.end(at, y)
}

// end writes a run and the text gathered for it.
func (d *drawing) end(r run, y int) {
	if r.width == 0 {
		return
	}
	if r.kind == shapes {
		d.fore = d.sketch.appendTo(d.fore, d.fill(r.fore))
	}
	out := append(d.fore, `<text x="`...)
	out = strconv.AppendInt(out, int64(r.x*cellW), 10)
	out = append(out, `" y="`...)
	out = strconv.AppendInt(out, int64(y*cellH+baseline), 10)
	out = append(out, `" textLength="`...)
	out = strconv.AppendInt(out, int64(r.width*cellW), 10)
	out = append(out, `" xml:space="preserve"`...)
	switch {
	case r.kind == shapes || r.kind == empty:
		out = append(out, ` fill="none"`...)
	default:
		out = append(out, d.fill(r.fore)...)
		if r.bold {
			out = append(out, ` font-weight="bold"`...)
		}
	}
	if r.kind == lone && r.width == 1 {
		// A glyph of another font is made as wide as its cell.
		out = append(out, ` lengthAdjust="spacingAndGlyphs"`...)
	}
	out = append(out, '>')
	out = append(out, d.text...)
	d.fore = append(out, "</text>\n"...)
	d.text = d.text[:0]
}

// appendEscaped writes text as the content of an XML element.
func appendEscaped(out []byte, text string) []byte {
	for i := range len(text) {
		switch c := text[i]; c {
		case '&':
			out = append(out, "&amp;"...)
		case '<':
			out = append(out, "&lt;"...)
		case '>':
			out = append(out, "&gt;"...)
		default:
			out = append(out, c)
		}
	}
	return out
}
