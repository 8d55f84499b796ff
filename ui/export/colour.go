package export

// colour is a colour as a frame names it: 0 is the default of the terminal,
// others say by their upper byte whether they are an index or red, green, blue.
type colour uint32

const (
	isIndex colour = 1 << 24
	isTrue  colour = 2 << 24
)

func indexed(n int) colour { return isIndex | colour(n) }

func indexedOf(n int) (colour, bool) { return indexed(n), n >= 0 && n <= 255 }

func trueOf(r, g, b int) (colour, bool) {
	for _, v := range [...]int{r, g, b} {
		if v < 0 || v > 255 {
			return 0, false
		}
	}
	return isTrue | colour(r<<16|g<<8|b), true
}

// rgb is red, green and blue, a byte each.
type rgb uint32

// mix is two parts of c and one of d. Whole numbers make it the same on every
// machine.
func (c rgb) mix(d rgb) rgb {
	var out rgb
	for shift := 0; shift <= 16; shift += 8 {
		out |= (2*(c>>shift&0xff) + d>>shift&0xff) / 3 << shift
	}
	return out
}

// palette is what a frame leaves to the terminal.
type palette struct {
	fore, back, title rgb
	sixteen           [16]rgb
}

// paletteOf returns colours that read well on a dark or a light background.
func paletteOf(dark bool) palette {
	if dark {
		return palette{
			fore: 0xc8ccd8, back: 0x16161e, title: 0x8b93a7,
			sixteen: [16]rgb{
				0x2b3040, 0xff7b72, 0x7ee787, 0xe3b341, 0x6cb6ff, 0xb49cff, 0x56d4c0, 0xc8ccd8,
				0x6b7289, 0xffa198, 0xa5f2ab, 0xf0cf7a, 0x9ccfff, 0xcbbcff, 0x8be6d7, 0xffffff,
			},
		}
	}
	return palette{
		fore: 0x24283b, back: 0xffffff, title: 0x6b7080,
		sixteen: [16]rgb{
			0x24283b, 0xc1272d, 0x1a7f37, 0x9a6700, 0x0a6fb8, 0x6639ba, 0x137a6c, 0xb4b9c6,
			0x6b7080, 0xdd4a4f, 0x2f9e4f, 0xb98518, 0x2f8fd4, 0x8659d6, 0x2a9d8d, 0xf4f5f8,
		},
	}
}

// rgb is what colour c looks like, or the given default.
func (p palette) rgb(c colour, standard rgb) rgb {
	n := int(c & 0xffffff)
	switch {
	case c == 0:
		return standard
	case c&isTrue != 0:
		return rgb(n)
	case n < 16:
		return p.sixteen[n]
	case n < 232:
		n -= 16
		return level(n/36)<<16 | level(n/6%6)<<8 | level(n%6)
	}
	return rgb(8+10*(n-232)) * 0x010101
}

// level is a step of the cube of 6×6×6 colours.
func level(n int) rgb {
	if n == 0 {
		return 0
	}
	return rgb(55 + 40*n)
}

// ink is what a pen comes to on a palette.
type ink struct {
	fore, back rgb
	bold       bool
	underline  bool
}

func (p palette) ink(by pen) ink {
	fore, back := p.rgb(by.fore, p.fore), p.rgb(by.back, p.back)
	if by.faint {
		fore = fore.mix(back)
	}
	if by.revert {
		fore, back = back, fore
	}
	return ink{fore, back, by.bold, by.underline}
}
