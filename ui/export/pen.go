package export

import (
	"strconv"
	"strings"
)

// pen is how the next cell is drawn.
type pen struct {
	fore, back                     colour
	bold, faint, underline, revert bool
}

// apply returns the pen after the parameters of one SGR sequence. Attributes
// other than those of a pen, and numbers out of their range, change nothing.
func (p pen) apply(params string) pen {
	for more := true; more; {
		var field string
		field, params, more = strings.Cut(params, ";")
		code, sub, hasSub := strings.Cut(field, ":")
		n := number(code)
		switch {
		case n == 38 || n == 48 || n == 58:
			var c colour
			var ok bool
			if hasSub {
				c, ok = colourOfSub(sub)
			} else {
				c, ok, params, more = colourOfParams(params, more)
			}
			if ok && n == 38 {
				p.fore = c
			} else if ok && n == 48 {
				p.back = c
			}
		case n == 4:
			p.underline = !hasSub || number(sub) > 0
		case !hasSub:
			p = p.set(n)
		}
	}
	return p
}

// set applies a parameter that stands alone.
func (p pen) set(n int) pen {
	switch {
	case n == 0:
		return pen{}
	case n == 1:
		p.bold = true
	case n == 2:
		p.faint = true
	case n == 7:
		p.revert = true
	case n == 21:
		p.underline = true
	case n == 22:
		p.bold, p.faint = false, false
	case n == 24:
		p.underline = false
	case n == 27:
		p.revert = false
	case n >= 30 && n <= 37:
		p.fore = indexed(n - 30)
	case n == 39:
		p.fore = 0
	case n >= 40 && n <= 47:
		p.back = indexed(n - 40)
	case n == 49:
		p.back = 0
	case n >= 90 && n <= 97:
		p.fore = indexed(n - 90 + 8)
	case n >= 100 && n <= 107:
		p.back = indexed(n - 100 + 8)
	}
	return p
}

// colourOfParams reads the colour after 38 or 48 from the parameters that
// follow, and returns what is left of them.
func colourOfParams(params string, more bool) (c colour, ok bool, rest string, restMore bool) {
	next := func() int {
		if !more {
			return -1
		}
		var field string
		field, params, more = strings.Cut(params, ";")
		return number(field)
	}
	switch next() {
	case 5:
		c, ok = indexedOf(next())
	case 2:
		r, g, b := next(), next(), next()
		c, ok = trueOf(r, g, b)
	}
	return c, ok, params, more
}

// colourOfSub reads a colour written with colons: 5:n, 2:r:g:b or, with a
// colour space, 2::r:g:b.
func colourOfSub(sub string) (colour, bool) {
	fields := strings.SplitN(sub, ":", 7)
	switch {
	case len(fields) == 2 && fields[0] == "5":
		return indexedOf(number(fields[1]))
	case len(fields) >= 4 && fields[0] == "2":
		rgb := fields[1:4]
		if len(fields) > 4 {
			rgb = fields[2:5]
		}
		return trueOf(number(rgb[0]), number(rgb[1]), number(rgb[2]))
	}
	return 0, false
}

// number reads a parameter: 0 when it is left out, -1 when it is none.
func number(s string) int {
	if s == "" {
		return 0
	}
	n, err := strconv.ParseUint(s, 10, 16)
	if err != nil {
		return -1
	}
	return int(n)
}
