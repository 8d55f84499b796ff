package engine

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// shortLimit is the most characters of a description that a listing shows,
// before the ellipsis.
const shortLimit = 60

// ShortDescription returns what a full listing shows of a description: its
// white space collapsed, cut after its first sentence, and at most 60
// characters of that, cut back to a word, with an ellipsis. The rule is the
// engine's specification, §4. It reads no further than the text it returns, so
// that a description of any length costs little.
func ShortDescription(s string) string {
	var b strings.Builder
	chars := 0
	for word := range strings.FieldsSeq(s) {
		if chars > 0 {
			b.WriteByte(' ')
			chars++
		}
		b.WriteString(word)
		chars += utf8.RuneCountInString(word)
		if chars > shortLimit {
			return clip(b.String())
		}
		if endsSentence(word) {
			break
		}
	}
	return b.String()
}

// clip returns the first 60 characters of s, less the word that the cut may
// have broken, with an ellipsis. s is longer than that.
func clip(s string) string {
	n := 0
	for i := range s {
		if n == shortLimit {
			s = s[:i]
			break
		}
		n++
	}
	if i := strings.LastIndexByte(s, ' '); i >= 0 {
		s = s[:i]
	}
	return strings.TrimRight(s, ",;: ") + "…"
}

// endsSentence reports whether a sentence ends with the word: its last
// character is a full stop, an exclamation or a question mark, and it is not
// the mark after one of the abbreviations that stand amid a sentence.
func endsSentence(word string) bool {
	switch word[len(word)-1] {
	case '.', '!', '?':
	default:
		return false
	}
	word = word[:len(word)-1]
	for _, abbreviation := range [...]string{"e.g", "i.e", "etc"} {
		if before, ok := strings.CutSuffix(word, abbreviation); ok {
			r, _ := utf8.DecodeLastRuneInString(before)
			if before == "" || r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				return false
			}
		}
	}
	return true
}
