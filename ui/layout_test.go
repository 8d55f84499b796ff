package ui

import "testing"

// Every cell of the body belongs to exactly one pane, at every size.
func TestPanesTileTheBody(t *testing.T) {
	for _, zoom := range []bool{false, true} {
		for w := 1; w <= 220; w += 3 {
			for h := 1; h <= 70; h++ {
				for focus := paneTier; focus <= paneCall; focus++ {
					l := arrange(w, h, focus, zoom)
					if l.tooSmall {
						if w >= minWidth && h >= minHeight {
							t.Fatalf("%d×%d is called too small", w, h)
						}
						continue
					}
					area := 0
					for id, r := range l.panes {
						if r.w < 4 || r.h < 3 {
							t.Fatalf("%d×%d: pane %d is %d×%d", w, h, id, r.w, r.h)
						}
						if r.x < l.body.x || r.y < l.body.y || r.x+r.w > l.body.x+l.body.w || r.y+r.h > l.body.y+l.body.h {
							t.Fatalf("%d×%d: pane %d %v leaves the body %v", w, h, id, r, l.body)
						}
						for other, o := range l.panes {
							if other > id && r.x < o.x+o.w && o.x < r.x+r.w && r.y < o.y+o.h && o.y < r.y+r.h {
								t.Fatalf("%d×%d: panes %d and %d overlap", w, h, id, other)
							}
						}
						area += r.w * r.h
					}
					if area != l.body.w*l.body.h {
						t.Fatalf("%d×%d: panes cover %d of %d cells", w, h, area, l.body.w*l.body.h)
					}
					if _, ok := l.panes[focus]; !ok {
						t.Fatalf("%d×%d: the focused pane %d is not shown", w, h, focus)
					}
				}
			}
		}
	}
}

func TestHowManyPanesShow(t *testing.T) {
	for _, tc := range []struct{ w, h, want int }{
		{160, 48, 5}, {120, 36, 5}, {119, 36, 2}, {120, 35, 2}, {80, 24, 1}, {40, 10, 1},
	} {
		if got := len(arrange(tc.w, tc.h, paneTier, false).panes); got != tc.want {
			t.Errorf("%d×%d shows %d panes, want %d", tc.w, tc.h, got, tc.want)
		}
	}
	if got := len(arrange(160, 48, paneQuery, true).panes); got != 1 {
		t.Errorf("zoomed shows %d panes, want 1", got)
	}
}
