// Package export turns a frame of the screen, as it is drawn on a terminal,
// into what a person can keep or send: plain text and a picture. A frame may
// carry anything a server sent: of its escape sequences only the styles of SGR
// have an effect, and none of them, nor any control character, is handed on.
package export

import "strings"

// Text returns the frame without its styles: as many lines as the frame has,
// parted by line feeds, blanks cut at the end of each. Escape sequences are
// left out, a tab is the blanks up to the next column that is a multiple of
// eight, and other control and format characters and invalid UTF-8 are U+FFFD,
// one each. Joiners inside emoji stay.
func Text(frame string) string {
	var b strings.Builder
	b.Grow(len(frame))
	for i, row := range parse(frame) {
		if i > 0 {
			b.WriteByte('\n')
		}
		for _, c := range trim(row) {
			b.WriteString(c.text)
		}
	}
	return b.String()
}

// trim cuts the blanks at the end of a row.
func trim(row []cell) []cell {
	for len(row) > 0 && row[len(row)-1].text == blank {
		row = row[:len(row)-1]
	}
	return row
}
