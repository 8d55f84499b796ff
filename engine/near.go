package engine

import (
	"strings"
	"unicode/utf8"
)

// nearest returns the first of the names whose spelling is one edit away from
// s: one character put in, left out, replaced, or swapped with its neighbour.
func nearest(s string, names []string) (string, bool) {
	for _, name := range names {
		if oneEdit(s, name) {
			return name, true
		}
	}
	return "", false
}

// oneEdit reports whether a and b differ by exactly one edit.
func oneEdit(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if len(b)-len(a) > utf8.UTFMax {
		return false
	}
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	i := 0
	for i < len(x) && x[i] == y[i] {
		i++
	}
	switch len(y) - len(x) {
	case 0:
		if i == len(x) {
			return false // equal
		}
		if string(x[i+1:]) == string(y[i+1:]) {
			return true
		}
		return i+1 < len(x) && x[i] == y[i+1] && x[i+1] == y[i] && string(x[i+2:]) == string(y[i+2:])
	case 1:
		return string(x[i:]) == string(y[i+1:])
	}
	return false
}

// maxSuggested is how many names "did you mean" offers at most.
const maxSuggested = 3

// near returns the wire names of the deferred tools that an unknown name may
// stand for, at most three. A name may be the end of a wire name, or be spelled
// one edit or only case and underscores away; a server's own name may be one
// edit away too.
func (a Assembly) near(name string) []string {
	var near []string
	for _, d := range a.Deferred {
		if len(near) == maxSuggested {
			break
		}
		if strings.HasSuffix(d.Name, "_"+name) || d.Tool.Name == name || folded(d.Name) == folded(name) || oneEdit(d.Name, name) || oneEdit(d.Tool.Name, name) {
			near = append(near, d.Name)
		}
	}
	return near
}

// folded returns a name in lower case, with runs of underscores as one.
func folded(name string) string {
	name = strings.ToLower(name)
	for strings.Contains(name, "__") {
		name = strings.ReplaceAll(name, "__", "_")
	}
	return name
}
