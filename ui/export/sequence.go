package export

import "strings"

// sequence reads the escape sequence that s begins with. The kind is 'm' for a
// sequence that sets a style, with its parameters, and 0 for every other. A
// sequence that is broken off counts up to what breaks it.
func sequence(s string) (params string, kind byte, size int) {
	if len(s) < 2 {
		return "", 0, len(s)
	}
	switch s[1] {
	case '[':
		return control(s)
	case ']', 'P', 'X', '^', '_':
		return "", 0, stringEnd(s)
	}
	i := skip(s, 1, ' ', '/')
	if i < len(s) && s[i] >= '0' && s[i] <= '~' {
		i++
	}
	return "", 0, i
}

// control reads a sequence that begins with ESC [.
func control(s string) (params string, kind byte, size int) {
	end := skip(s, 2, '0', '?')
	i := skip(s, end, ' ', '/')
	if i == len(s) || s[i] < '@' || s[i] > '~' {
		return "", 0, i
	}
	// Private parameters make another command of it, not a style.
	if params = s[2:end]; s[i] == 'm' && i == end && !strings.ContainsAny(params, "<=>?") {
		return params, 'm', i + 1
	}
	return "", 0, i + 1
}

// stringEnd is the length of a sequence that carries a string, such as a title
// or a link: up to its terminator, or what cancels it, or the end of s.
func stringEnd(s string) int {
	for i := 2; i < len(s); i++ {
		switch s[i] {
		case 0x07:
			if s[1] == ']' {
				return i + 1
			}
		case 0x18, 0x1a:
			return i + 1
		case 0x1b:
			if strings.HasPrefix(s[i:], "\x1b\\") {
				return i + 2
			}
			return i
		}
	}
	return len(s)
}

// skip returns the first place from i on whose byte is not within from and to.
func skip(s string, i int, from, to byte) int {
	for i < len(s) && s[i] >= from && s[i] <= to {
		i++
	}
	return i
}
