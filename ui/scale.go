package ui

import (
	"math"
	"slices"
)

// scale maps budgets to the columns of a chart. Every band has a column at
// least, so that each of its thresholds shows; the others are shared out by
// the logarithm of the budget.
type scale struct {
	edges         []int // the least budget of each column
	bands         []int // the band of each column
	end           int   // the least budget beyond the columns
	before, after int   // bands beyond either end, where there are more than columns
}

// newScale makes a scale of so many columns for bands that begin at the given
// budgets, the last one ending at end. Where there are too many it shows those
// around one of them.
func newScale(from []int, end, columns, around int) scale {
	var s scale
	shown := min(len(from), max(0, columns))
	if shown == 0 {
		return s
	}
	s.before = max(0, min(around-shown/2, len(from)-shown))
	s.after = len(from) - shown - s.before
	limits := append(slices.Clone(from), max(end, from[len(from)-1]+1))
	s.end = limits[s.before+shown]
	// What is added to a budget keeps the first bands from taking all the room:
	// the logarithm of next to nothing has no bounds.
	added := 16.0
	if len(from) > 1 {
		added = max(added, float64(from[1]))
	}
	at := func(budget int) float64 { return math.Log(float64(budget) + added) }
	total := at(s.end) - at(limits[s.before])
	spare := columns - shown
	used, share := 0, 0.0
	for i := s.before; i < s.before+shown; i++ {
		low, high := at(limits[i]), at(limits[i+1])
		// By the running sum, so that what is shared out comes to the whole.
		share += (high - low) / total * float64(spare)
		n := 1 + int(share+0.5) - used
		used += n - 1
		for j := range n {
			edge := int(math.Ceil(math.Exp(low+(high-low)*float64(j)/float64(n)) - added))
			if j == 0 {
				edge = limits[i]
			}
			s.edges = append(s.edges, min(max(edge, limits[i]), limits[i+1]-1))
			s.bands = append(s.bands, i)
		}
	}
	return s
}

// column returns the column that a budget lies in, and whether it lies in one:
// where every band is shown, what is beyond the last column counts as in it.
func (s scale) column(budget int) (int, bool) {
	at := -1
	for i, edge := range s.edges {
		if edge > budget {
			break
		}
		// A band of few budgets may have more columns than those: the first
		// stands for all that are alike.
		if at < 0 || s.edges[at] != edge {
			at = i
		}
	}
	return at, at >= 0 && (s.after == 0 || budget < s.end)
}

// step returns the least budget of the next column with another one, to the
// right or to the left of a budget; the budget itself where there is none.
func (s scale) step(budget, direction int) int {
	if direction > 0 {
		for _, edge := range s.edges {
			if edge > budget {
				return edge
			}
		}
		return budget
	}
	for _, edge := range slices.Backward(s.edges) {
		if edge < budget {
			return edge
		}
	}
	return budget
}

// begins reports whether a band begins at a column.
func (s scale) begins(column int) bool {
	return column == 0 || s.bands[column] != s.bands[column-1]
}
