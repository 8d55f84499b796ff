package export

import (
	"strconv"
	"unicode/utf8"
)

// Fonts disagree on how far lines and blocks reach into the neighbouring
// cells, so these are drawn as shapes that fill their cell exactly. Lengths in
// this file are eighths of a pixel, in which the eighths of a cell are whole.
const (
	cellW = 9  // pixels: the advance of most monospace fonts at fontSize
	cellH = 19 // pixels

	eighth = 8
	fullW  = cellW * eighth
	fullH  = cellH * eighth
)

// arms says how light and heavy lines leave the centre of the characters from
// U+2500 on, four digits each: up, right, down, left; 0 nothing, 1 light, 2
// heavy. Characters of four noughts are not made of such lines.
const arms = "" +
	"0101 0202 1010 2020 0000 0000 0000 0000 " + // ─━│┃┄┅┆┇
	"0000 0000 0000 0000 0110 0210 0120 0220 " + // ┈┉┊┋┌┍┎┏
	"0011 0012 0021 0022 1100 1200 2100 2200 " + // ┐┑┒┓└┕┖┗
	"1001 1002 2001 2002 1110 1210 2110 1120 " + // ┘┙┚┛├┝┞┟
	"2120 2210 1220 2220 1011 1012 2011 1021 " + // ┠┡┢┣┤┥┦┧
	"2021 2012 1022 2022 0111 0112 0211 0212 " + // ┨┩┪┫┬┭┮┯
	"0121 0122 0221 0222 1101 1102 1201 1202 " + // ┰┱┲┳┴┵┶┷
	"2101 2102 2201 2202 1111 1112 1211 1212 " + // ┸┹┺┻┼┽┾┿
	"2111 1121 2121 2112 2211 1122 1221 2212 " + // ╀╁╂╃╄╅╆╇
	"1222 2122 2221 2222 0000 0000 0000 0000 " + // ╈╉╊╋╌╍╎╏
	"0000 0000 0000 0000 0000 0000 0000 0000 " + // ═║╒╓╔╕╖╗
	"0000 0000 0000 0000 0000 0000 0000 0000 " + // ╘╙╚╛╜╝╞╟
	"0000 0000 0000 0000 0000 0000 0000 0000 " + // ╠╡╢╣╤╥╦╧
	"0000 0000 0000 0000 0000 0000 0000 0000 " + // ╨╩╪╫╬╭╮╯
	"0000 0000 0000 0000 0001 1000 0100 0010 " + // ╰╱╲╳╴╵╶╷
	"0002 2000 0200 0020 0201 1020 0102 2010 " //   ╸╹╺╻╼╽╾╿

// corners are the outlines of ╭╮╯╰ from the upper left of their cell, in whole
// pixels and relative moves: a quarter of a ring and what leads to the edges.
var corners = [...]string{
	"m9 9a5 5 0 0 0-5 5v5h1v-5a4 4 0 0 1 4-4z",
	"m0 9a5 5 0 0 1 5 5v5h-1v-5a4 4 0 0 0-4-4z",
	"m0 10a5 5 0 0 0 5-5v-5h-1v5a4 4 0 0 1-4 4z",
	"m9 10a5 5 0 0 1-5-5v-5h1v5a4 4 0 0 0 4 4z",
}

// quadrants says which quarters of the characters from U+2596 to U+259F are
// full: 1 upper left, 2 upper right, 4 lower left, 8 lower right.
var quadrants = [...]byte{4, 8, 1, 1 | 4 | 8, 1 | 8, 1 | 2 | 4, 1 | 2 | 8, 2, 2 | 4, 2 | 4 | 8}

// The layers of a sketch: how much of the background shows through.
const (
	solid = iota
	light // ░
	medium
	dark
	layers
)

// box is a rectangle: of shapes in eighths of a pixel, of backgrounds in pixels.
type box struct{ x, y, w, h int }

// sketch collects the outlines of the shapes of one run.
type sketch struct {
	paths   [layers][]byte
	pending [layers]box // may still grow to the right
}

// shapeOf returns the character that is drawn as a shape, if text is one.
func shapeOf(text string) (rune, bool) {
	r, size := utf8.DecodeRuneInString(text)
	switch {
	case size != len(text) || r < 0x2500 || r > 0x259f:
		return 0, false
	case r >= 0x2580, r >= 0x256d && r <= 0x2570:
		return r, true
	}
	return r, armsOf(r) != "0000"
}

func armsOf(r rune) string {
	at := int(r-0x2500) * 5
	return arms[at : at+4]
}

// add draws a character of shapeOf in the cell whose upper left corner is at
// column and row, counted in cells.
func (s *sketch) add(r rune, column, row int) {
	x, y := column*fullW, row*fullH
	switch {
	case r >= 0x256d && r <= 0x2570:
		p := append(s.paths[solid], 'M')
		p = strconv.AppendInt(p, int64(column*cellW), 10)
		p = append(p, ' ')
		p = strconv.AppendInt(p, int64(row*cellH), 10)
		s.paths[solid] = append(p, corners[r-0x256d]...)
	case r < 0x2580:
		s.lines(armsOf(r), x, y)
	default:
		s.block(r, x, y)
	}
}

// lines draws what leaves the centre of a cell at x and y.
func (s *sketch) lines(arms string, x, y int) {
	thick := func(arm byte) int { return [...]int{0, eighth, 3 * eighth}[arm-'0'] }
	up, right, down, left := thick(arms[0]), thick(arms[1]), thick(arms[2]), thick(arms[3])
	// An arm reaches through the line it meets, so that corners are full.
	across, along := max(left, right), max(up, down)
	if left == right && left > 0 {
		s.fill(solid, box{x, y + (fullH-left)/2, fullW, left})
	} else {
		s.fill(solid, box{x, y + (fullH-left)/2, (fullW + along) / 2, left})
		s.fill(solid, box{x + (fullW-along)/2, y + (fullH-right)/2, (fullW + along) / 2, right})
	}
	if up == down && up > 0 {
		s.fill(solid, box{x + (fullW-up)/2, y, up, fullH})
	} else {
		s.fill(solid, box{x + (fullW-up)/2, y, up, (fullH + across) / 2})
		s.fill(solid, box{x + (fullW-down)/2, y + (fullH-across)/2, down, (fullH + across) / 2})
	}
}

// block draws one of U+2580 to U+259F in a cell at x and y.
func (s *sketch) block(r rune, x, y int) {
	n := int(r - 0x2580)
	switch {
	case n == 0:
		s.fill(solid, box{x, y, fullW, fullH / 2})
	case n <= 8:
		s.fill(solid, box{x, y + fullH - n*fullH/8, fullW, n * fullH / 8})
	case n <= 15:
		s.fill(solid, box{x, y, (16 - n) * fullW / 8, fullH})
	case n == 16:
		s.fill(solid, box{x + fullW/2, y, fullW / 2, fullH})
	case n <= 19:
		s.fill(light+n-17, box{x, y, fullW, fullH})
	case n == 20:
		s.fill(solid, box{x, y, fullW, fullH / 8})
	case n == 21:
		s.fill(solid, box{x + fullW - fullW/8, y, fullW / 8, fullH})
	default:
		for q := range 4 {
			if quadrants[n-22]&(1<<q) != 0 {
				s.fill(solid, box{x + q%2*fullW/2, y + q/2*fullH/2, fullW / 2, fullH / 2})
			}
		}
	}
}

// fill adds a rectangle; one that goes on from the last becomes part of it.
func (s *sketch) fill(layer int, b box) {
	last := &s.pending[layer]
	switch {
	case b.w == 0 || b.h == 0:
	case last.w > 0 && last.y == b.y && last.h == b.h && last.x+last.w == b.x:
		last.w += b.w
	default:
		s.flush(layer)
		*last = b
	}
}

func (s *sketch) flush(layer int) {
	b := s.pending[layer]
	if b.w == 0 {
		return
	}
	p := append(s.paths[layer], 'M')
	p = append(appendEighths(p, b.x), ' ')
	p = append(appendEighths(p, b.y), 'h')
	p = append(appendEighths(p, b.w), 'v')
	p = append(appendEighths(p, b.h), 'h')
	p = append(appendEighths(p, -b.w), 'z')
	s.paths[layer] = p
	s.pending[layer] = box{}
}

// appendTo writes the shapes to an SVG, in the colour that attributes name,
// and empties the sketch.
func (s *sketch) appendTo(out []byte, attributes string) []byte {
	for layer, opacity := range [layers]string{"", ` fill-opacity=".25"`, ` fill-opacity=".5"`, ` fill-opacity=".75"`} {
		s.flush(layer)
		if len(s.paths[layer]) == 0 {
			continue
		}
		out = append(out, `<path`...)
		out = append(out, attributes...)
		out = append(out, opacity...)
		out = append(out, ` d="`...)
		out = append(out, s.paths[layer]...)
		out = append(out, "\"/>\n"...)
		s.paths[layer] = s.paths[layer][:0]
	}
	return out
}

// appendEighths writes n/8, exactly.
func appendEighths(out []byte, n int) []byte {
	if n < 0 {
		out, n = append(out, '-'), -n
	}
	out = strconv.AppendInt(out, int64(n/eighth), 10)
	return append(out, [...]string{"", ".125", ".25", ".375", ".5", ".625", ".75", ".875"}[n%eighth]...)
}
