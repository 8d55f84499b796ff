package engine

import (
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"
)

// Token is one token of a text: a run of ASCII letters and digits.
type Token struct {
	Raw  string // as it stands in the text
	Stem string // lower-cased and stemmed (Snowball English); no stop word is dropped
}

// Tokens returns the tokens of a text, in order: the engine's specification, §6.
func Tokens(text string) []Token {
	var out []Token
	stems := stemmer{}
	for start, end := nextToken(text, 0); start < end; start, end = nextToken(text, end) {
		out = append(out, Token{Raw: text[start:end], Stem: stems.stem(text[start:end])})
	}
	return out
}

// stemmer stems each word once: it remembers the stems of the words it met,
// as they stand. Stemming is the cost of an index.
type stemmer map[string]string

func (s stemmer) stem(word string) string {
	stem, ok := s[word]
	if !ok {
		stem = stemWord(strings.ToLower(word))
		s[word] = stem
	}
	return stem
}

// stemWord stems a lower-cased word. Stop words are stemmed as any other is.
func stemWord(word string) string {
	if strings.IndexFunc(word, isLower) < 0 {
		return word // digits alone have no ending
	}
	return english.Stem(word, true)
}

func isLower(r rune) bool { return 'a' <= r && r <= 'z' }

// nextToken returns where the next token of text at or after from starts and
// ends; both are len(text) where there is none.
func nextToken(text string, from int) (start, end int) {
	for from < len(text) && !alphanumeric[text[from]] {
		from++
	}
	start = from
	for from < len(text) && alphanumeric[text[from]] {
		from++
	}
	return start, from
}

// alphanumeric tells the bytes that tokens are made of.
var alphanumeric = func() (table [256]bool) {
	for c := range table {
		table[c] = isAlphanumeric(rune(c))
	}
	return table
}()

// isJoint tells the characters of a name that are between its words.
func isJoint(r rune) bool {
	return r == '_' || r == '.' || r == ':' || r == '-' || unicode.IsSpace(r)
}

// labelled reports whether the label is a part of the definition's document of
// its own: where it is not already one of the words of the wire name, a
// server's tool's less its prefix.
func (d *Definition) labelled() bool {
	return !hasWord(d.bareName(), d.Label)
}

// bareName returns the wire name, a server's tool's less its prefix.
func (d *Definition) bareName() string {
	if d.Source == SourceMCP {
		return strings.TrimPrefix(d.Name, "mcp_")
	}
	return d.Name
}

// hasWord reports whether a word, compared whole and case-sensitively, is among
// those of a name.
func hasWord(name, word string) bool {
	for w := range strings.FieldsFuncSeq(name, isJoint) {
		if w == word {
			return true
		}
	}
	return false
}
