package ui

// The least screen that is drawn; below it one line says what is needed.
const (
	minWidth  = 40
	minHeight = 10
)

// The least screen that shows all five panes at once.
const (
	fullWidth  = 120
	fullHeight = 36
)

// rect is a rectangle of cells, its borders included.
type rect struct{ x, y, w, h int }

// contains reports whether a cell lies inside r.
func (r rect) contains(x, y int) bool {
	return x >= r.x && x < r.x+r.w && y >= r.y && y < r.y+r.h
}

// layout is where everything is for one size of the screen.
type layout struct {
	tooSmall bool
	tabs     bool // a line of tabs stands under the header: not all panes are shown
	panes    map[paneID]rect
	body     rect // all panes together: where overlays are centred
	caption  rect // of the tour; empty where it says nothing
}

// arrange turns a screen of width × height cells into rectangles. One line goes
// to the header and one to the footer. All five panes show from 120×36 on; two
// where only one side is large enough; one below that, or when zoomed.
func arrange(width, height int, focus paneID, zoom bool) layout {
	if width < minWidth || height < minHeight {
		return layout{tooSmall: true}
	}
	l := layout{panes: map[paneID]rect{}, body: rect{0, 1, width, height - 2}}
	wide, tall := width >= fullWidth, height >= fullHeight
	if wide && tall && !zoom {
		l.panes = arrangeAll(l.body)
		return l
	}
	l.tabs = true
	b := rect{0, 2, width, height - 3}
	l.body = b
	other := partner(focus)
	switch {
	case zoom || !wide && !tall:
		l.panes[focus] = b
	case wide:
		left := b.w * 42 / 100
		first, second := min(focus, other), max(focus, other)
		l.panes[first] = rect{b.x, b.y, left, b.h}
		l.panes[second] = rect{b.x + left, b.y, b.w - left, b.h}
	default:
		top := b.h * 55 / 100
		first, second := min(focus, other), max(focus, other)
		l.panes[first] = rect{b.x, b.y, b.w, top}
		l.panes[second] = rect{b.x, b.y + top, b.w, b.h - top}
	}
	return l
}

// arrangeAll places all five panes: the decision on the left, its evidence on
// the right, the call along the bottom.
func arrangeAll(b rect) map[paneID]rect {
	left := min(max(b.w*34/100, 46), 64)
	call := max(7, b.h*19/100)
	upper := b.h - call
	top := upper * 60 / 100
	return map[paneID]rect{
		paneTier:    {b.x, b.y, left, top},
		paneListing: {b.x + left, b.y, b.w - left, top},
		paneBudget:  {b.x, b.y + top, left, upper - top},
		paneQuery:   {b.x + left, b.y + top, b.w - left, upper - top},
		paneCall:    {b.x, b.y + upper, b.w, call},
	}
}

// partner is the pane that is shown beside another where two fit.
func partner(p paneID) paneID {
	switch p {
	case paneTier:
		return paneListing
	case paneQuery:
		return paneCall
	case paneCall:
		return paneQuery
	}
	return paneTier
}
